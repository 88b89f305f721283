// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The shipped application from a pipe: links, saved states, results, events, and what goes wrong.
@Suite("the shipped application", .onOwnThreads, .patiently)
struct ApplicationTests {
    private let application: ShippedApplication
    private var eaves: Eaves { application.eaves }

    init() throws {
        application = try ShippedApplication()
    }

    /// Types lines into the application that a command starts.
    private func type(_ lines: String..., into arguments: [String] = []) throws -> Eaves.Outcome {
        try eaves(arguments, input: lines.map { $0 + "\n" }.joined())
    }

    @Test("has no object that keeps a service which a swap exchanges, and nothing else is wrong")
    func validates() throws {
        let outcome = try eaves("validate", "--load", "--no-build")
        #expect(outcome.output.hasPrefix("no problems"))
        #expect(!outcome.errors.contains(" keeps "), "\(outcome)")
        #expect(outcome.code == 0)
        #expect(try eaves("inspect", "login-interface").lines.contains("owner:     login"))
        let owned = try eaves("inspect", "--json", "profile-interface")
        #expect(owned.output.contains(#""owner": "profile""#))
    }

    @Test(
        "is read a line at a time on a terminal after a swap, which hides passwords there",
        .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
    func plainOnTerminal() throws {
        let window = try TerminalWindow(in: application.url)
        try window.run("clear; \(Eaves.executable.path) swap ScreenRenderer renderer-plain")
        try window.wait(forLine: "ScreenRenderer: renderer-terminal → renderer-plain")
        try window.run("clear; \(Eaves.executable.path); stty -a > after")
        try window.wait(forLine: "Name:")
        try window.run("Ada")
        try window.wait(forLine: "Password:")
        try window.run("secret")
        try window.wait(forLine: "[Log in")
        try window.run("log in")
        let seen = try window.wait(forLine: "Problem: The name or the password is wrong.")
        #expect(seen.contains("Name: Ada"))
        #expect(!seen.joined().contains("secret"))
        try window.press("C-d")
        try window.wait { $0.last { !$0.isEmpty }?.hasSuffix("$") == true }
        #expect(try application.folder.read("after").contains(" echo "))
    }

    @Test("prints where the person is, and opens it again")
    func printedState() throws {
        let printed = try type(
            "/Register", "Ada", "/quit", into: ["open", "eaves://login?name=Bob", "--print-state"])
        let state = try #require(printed.lines.last)
        #expect(
            state
                == #"{"steps":[{"form":{"name":"Bob"},"isModal":false,"link":"eaves://login;name=Bob","state":{}},"#
                + #"{"form":{"name":"Ada"},"isModal":false,"link":"eaves://register;name=Bob","state":{}}]}"#
        )
        try application.folder.write(state, to: "state.json")
        let opened = try type(
            "", "/back", "/quit", into: ["launch", "navigate", "--state", "state.json"])
        #expect(opened.code == 0, "\(opened)")
        #expect(opened.output.hasPrefix("\nLog in > Register\n=================\nName [Ada]: "))
        #expect(opened.output.contains("\nLog in\n======\nName [Bob]: "))
    }

    @Test("tells that a state cannot be opened")
    func wrongStates() throws {
        let fix = "fix: name a file with a state that '--print-state' has printed"
        try eaves("launch", "navigate", "--state", "none.json")
            .expectFailure(64, "error: there is no file 'none.json'\n\(fix)")
        try application.folder.write("{\"steps\":[", to: "torn.json")
        try eaves("launch", "navigate", "--state", "torn.json")
            .expectFailure(64, "error: torn.json holds no saved screens\n\(fix)")
    }

    @Test(
        "goes on after a restart where the person was, with what is filled in, and without passwords"
    )
    func restart() throws {
        _ = try type("/Register", "Ada", "secret", "/quit")
        #expect(try !application.folder.read("navigation.json").contains("secret"))
        let outcome = try type("", "/quit")
        #expect(outcome.output.hasPrefix("\nLog in > Register\n=================\nName [Ada]: "))
        // After the last screen was closed, it begins anew.
        _ = try type("/back", "/quit")
        #expect(try type("/quit").output.hasPrefix("\nLog in\n======\n"))
    }

    @Test(
        "takes a link, a feature and a printed state for visits, and begins where the person was before"
    )
    func visits() throws {
        let place = application.url.appendingPathComponent("navigation.json").path
        let (printed, link) = ("state.json", "eaves://login/home")
        try application.folder.write(
            #"{"steps":[{"form":{},"isModal":false,"link":"eaves://login","state":{}}]}"#,
            to: printed)
        let visits = [
            ["open", "eaves://popup?message=Hello"], ["launch", "popup", "--message", "Hello"],
            ["open", link], ["launch", "navigate", link], ["launch", "login"],
            ["launch", "navigate", "--state", printed],
        ]
        func visit() throws {
            for arguments in visits {
                let outcome = try type("/quit", into: arguments)
                #expect(outcome.code == 0, "\(outcome)")
            }
        }
        try visit()
        #expect(!FileManager.default.fileExists(atPath: place))
        _ = try type("/Register", "Ada", "/quit")
        let kept = try application.folder.read("navigation.json")
        try visit()
        #expect(try application.folder.read("navigation.json") == kept)
        // Also a visit that goes on to another screen in place of all.
        _ = try type("/Log in", "/quit", into: ["open", link])
        #expect(try application.folder.read("navigation.json") == kept)
        #expect(try type("/quit").output.hasPrefix("\nLog in > Register\n"))
    }

    @Test(
        "begins anew where a saved screen, its parameters or its source are not there any more",
        arguments: [
            ("eaves://gone", "no screen has the path 'gone'"),
            ("eaves://login;nme=Ada", "cannot open 'login': it takes no parameter 'nme'"),
            (
                "eaves://users;from=v3",
                "no source of users is called 'v3', did you mean 'v1' or 'v2'?"
            ),
        ])
    func goneState(link: String, reason: String) throws {
        try application.folder.write(
            #"{"steps":[{"form":{},"isModal":false,"link":"\#(link)","state":{}}]}"#,
            to: "navigation.json")
        let outcome = try eaves()
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output == "\nLog in\n======\nName: \n")
        #expect(
            outcome.errors.contains("The screens where you were cannot be opened: \(reason)\n"),
            "\(outcome)")
        #expect(try eaves().errors == "")
    }

    @Test("sets a damaged file with the state aside, and begins anew")
    func damagedState() throws {
        try application.folder.write("{\"steps\":[", to: "navigation.json")
        let outcome = try eaves()
        let path = application.url.appendingPathComponent("navigation.json").path
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output == "\nLog in\n======\nName: \n")
        #expect(
            outcome.errors.contains(
                "\(path) holds no saved screens; it is now called \(path).damaged\n"))
        #expect(try application.folder.read("navigation.json.damaged") == "{\"steps\":[")
        #expect(try eaves().errors == "")
    }

    @Test("says on its screen that a service is down, and stays there")
    func serviceDown() throws {
        let down = try ShippedApplication { manifest in
            // Nobody listens at this port.
            manifest["modules"] = [
                "users-rest": ["settings": ["url": "http://127.0.0.1:9", "timeout": 1]]
            ]
            manifest["bindings"] = [
                "UserService": "users-rest", "EventHandler": "analytics",
                "ScreenRenderer": "renderer-plain",
            ]
        }
        let outcome = try down.eaves(input: "Ada\nsecret\nLog in\n/quit\n")
        #expect(outcome.code == 0, "\(outcome)")
        let screens = outcome.output.components(separatedBy: "\nLog in\n======\n")
        #expect(screens.count == 3)
        #expect(screens.last?.hasPrefix("Problem: ") == true, "\(outcome)")
        #expect(screens.last?.contains("http://127.0.0.1:9") == true, "\(outcome)")
    }

    @Test(
        "keeps warnings away from its screens, and writes them after the last one",
        .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
    func messages() throws {
        let failing = try ShippedApplication { manifest in
            // The folder of the file is not there, so that no event can be kept.
            manifest["modules"] = ["analytics": ["settings": ["path": "none/events.jsonl"]]]
        }
        let window = try TerminalWindow(in: failing.url)
        try window.run("clear; \(Eaves.executable.path)")
        try window.wait(forLine: "▸ Name")
        try window.type("Ada")
        try window.press("Tab", "Tab", "Enter")
        try window.expectScreen("tape-login-refused")
        try window.press("C-c")
        let seen = try window.wait { $0.joined().contains("cannot track 'login.refused'") }
        #expect(seen.joined().contains("none/events.jsonl"))
        #expect(try window.property("alternate_on") == "0")
    }

    @Test(
        "opens on a terminal from a fresh copy, and builds what it needs before",
        .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
    func freshCopy() throws {
        let fresh = try ShippedApplication.sources()
        let window = try TerminalWindow(in: fresh.url)
        try window.run("clear; \(Eaves.executable.path)")
        // All that it needs is built first.
        try window.wait(forLine: "▸ Name")
        try window.expectScreen("tape-login")
        try window.press("C-c")
        let seen = try window.wait { $0.last { !$0.isEmpty } == "$" }
        let messages = seen.dropFirst().filter { !$0.isEmpty && $0 != "$" }
        #expect(messages.contains { $0.hasPrefix("built login in ") })
        #expect(messages.allSatisfy { $0.hasPrefix("built ") }, "\(messages)")
    }
}
