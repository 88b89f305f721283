// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// One screen for each thing that a renderer has to get right.
enum SampleScreens {
    static func named(_ name: String) -> (screen: Screen, frame: ScreenFrame) {
        switch name {
        case "list": (list, ScreenFrame(trail: ["Log in", "Home"]))
        case "dialogue": (dialogue, ScreenFrame(trail: ["Log in", "Home"], isModal: true))
        case "long": (long, ScreenFrame(trail: ["Home"]))
        case "clock": (Screen("Clock", [.field(.init("name", "Name"))]), ScreenFrame())
        case "harm": (harm, ScreenFrame())
        case "pause": (pause, ScreenFrame())
        default: (form, ScreenFrame())
        }
    }

    /// Fields, a secret, a choice, and actions.
    private static let form = Screen(
        "Log in",
        [
            .text(
                "Welcome. Everybody who has an account can log in with the name and the password that "
                    + "were chosen when it was made."),
            .field(.init("name", "Name")),
            .field(.init("password", "Password", isSecret: true)),
            .choice(
                .init(
                    "language", "Language",
                    [.init("en", "English"), .init("de", "Deutsch"), .init("ja", "日本語")],
                    selected: "en")),
        ],
        actions: [
            .init("log-in", "Log in"), .init("register", "Register"), .init("note", "Write a note"),
        ])

    /// Rows with details and colours, in several scripts.
    private static let list = Screen(
        "Users",
        [
            .text("Choose a user."),
            .list(
                .init(
                    "users",
                    [
                        .init("1", "Grace Hopper", detail: "admiral", color: "#3366cc"),
                        .init("2", "山田太郎", detail: "日本", color: "#cc3333"),
                        .init("3", "Zoë 👩🏽‍🚀", detail: "astronaut", color: "#2e8b57"),
                        .init("4", "Edsger W. Dijkstra", detail: "shortest paths"),
                    ])),
        ],
        actions: [.init("add", "Add a user")])

    private static let dialogue = Screen(
        "Delete the account?",
        [.text("The account of Grace Hopper and all its notes are deleted. Nobody can undo this.")],
        actions: [.init("delete", "Delete"), .init("keep", "Keep the account")])

    /// More lines than a terminal has.
    private static let long = Screen(
        "Long",
        [.text("There are forty rows."), .field(.init("filter", "Filter"))]
            + [.list(.init("rows", (1...40).map { .init("\($0)", "Row \($0)") }))],
        actions: [.init("all", "Choose all"), .init("none", "Choose none")])

    /// An action during which no screen is shown.
    private static let pause = Screen(
        "Pause", [.field(.init("name", "Name"))], actions: [.init("pause", "Pause")])

    /// Actions that end the process in a way that a renderer does not see.
    private static let harm = Screen(
        "Harm", [.text("Choose the end.")],
        actions: ["trap", "abort", "fault", "exit", "busy", "throw"].map { .init($0, $0) })
}
