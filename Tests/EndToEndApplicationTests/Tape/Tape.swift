// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The way of a person through the shipped application: register, log in, see home, edit the profile, open a
/// message by a link, and come back. It says what is done and seen, not how.
struct Tape {
    /// A start of the application, until the person leaves it.
    struct Session {
        /// The arguments of the command.
        let arguments: [String]
        /// The screens, in the order in which they are seen.
        let scenes: [Scene]
    }

    /// A screen that is seen, and what the person does there.
    struct Scene {
        /// The name of the committed screen.
        let name: String
        let title: String
        /// Texts that are seen, besides the title.
        var sees: [String] = []
        /// The texts for the fields and the options of the choices, by their labels, in the screen's order.
        var fills: [(label: String, text: String)] = []
        /// The action that the person chooses.
        let does: Act
    }

    enum Act {
        case action(String)
        case quit
    }

    /// A module that keeps users, and whether it still knows them after the application has ended.
    struct Users {
        let module: String
        let remembers: Bool
    }

    /// The order in which the user service is exchanged.
    static let services = [
        Users(module: "users-memory", remembers: false),
        Users(module: "users-sqlite", remembers: true),
        Users(module: "users-rest", remembers: true),
    ]

    private static let credentials = [("Name", "Ada"), ("Password", "secret")]

    /// Everything that happens with one user service.
    static func sessions(_ users: Users) -> [Session] {
        [first, second(users), third, fourth(users)]
    }

    private static let first = Session(
        arguments: [],
        scenes: [
            Scene(name: "login", title: "Log in", does: .action("Register")),
            Scene(
                name: "register", title: "Register",
                fills: credentials + [("Password again", "secret")], does: .action("Register")),
            Scene(
                name: "home", title: "Home", sees: ["Welcome home, Ada!"],
                does: .action("Edit profile")),
            Scene(
                name: "profile", title: "Profile",
                fills: [("Name", "Ada"), ("Address", "ada@example.org"), ("Colour", "green")],
                does: .action("Save")),
            Scene(
                name: "saved", title: "Message", sees: ["The account of Ada is saved."],
                does: .action("OK")),
            Scene(
                name: "home-edited", title: "Home",
                sees: ["Welcome home, Ada!", "Your address is ada@example.org."],
                does: .action("Log out")),
            Scene(name: "login", title: "Log in", fills: credentials, does: .action("Log in")),
            Scene(
                name: "home-edited", title: "Home",
                sees: ["Your colour is #339944, which is nearly green."], does: .quit),
        ])

    /// The application begins where the person has left it. Services that forget know nobody any more.
    private static func second(_ users: Users) -> Session {
        let again = Scene(
            name: "login", title: "Log in", fills: credentials, does: .action("Log in"))
        let home = Scene(
            name: "home-edited", title: "Home",
            sees: ["Welcome home, Ada!", "Your address is ada@example.org."],
            does: .action("Log out"))
        guard users.remembers else {
            return Session(
                arguments: [],
                scenes: [
                    Scene(
                        name: "home-nobody", title: "Home", sees: ["Nobody has logged in."],
                        does: .action("Log in")),
                    again,
                    Scene(
                        name: "login-refused", title: "Log in",
                        sees: ["The name or the password is wrong."], does: .quit),
                ])
        }
        return Session(
            arguments: [],
            scenes: [
                home, again, Scene(name: "home-edited", title: "Home", does: .quit),
            ])
    }

    private static let third = Session(
        arguments: ["open", "eaves://popup?message=Hello"],
        scenes: [Scene(name: "popup", title: "Message", sees: ["Hello"], does: .action("OK"))])

    /// The link was a visit: the application begins where the person was before, with the name filled in.
    private static func fourth(_ users: Users) -> Session {
        let scene =
            users.remembers
            ? Scene(name: "home-edited", title: "Home", sees: ["Welcome home, Ada!"], does: .quit)
            : Scene(name: "login-kept", title: "Log in", does: .quit)
        return Session(arguments: [], scenes: [scene])
    }
}
