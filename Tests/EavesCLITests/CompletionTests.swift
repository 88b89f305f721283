// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesCLI

@Suite("The words that may come next on a command line")
struct CompletionTests {
    private let completion: Completion = {
        var completion = Completion(
            commands: Subcommand.all, globalOptions: Invocation.globalOptions)
        completion.features = [Candidate("login", "Log in"), Candidate("users")]
        completion.modules = [Candidate("home"), Candidate("users-v2"), Candidate("common")]
        completion.interfaces = [Candidate("common")]
        completion.providers = ["UserService": [Candidate("users-v2")], "UserService#v1": []]
        return completion
    }()

    @Test(
        "are those that fit",
        arguments: [
            ("", "lau", ["launch"]), ("", "--m", ["--manifest"]),
            ("launch", "", ["login", "users"]),
            ("launch", "--li", ["--live"]), ("launch -v", "u", ["users"]),
            // Behind the feature stand its own arguments.
            ("launch users", "--li", []), ("launch --manifest", "u", []),
            ("launch --manifest u", "u", ["users"]), ("launch --manifest=u", "u", ["users"]),
            ("--manifest u launch", "u", ["users"]), ("launch --", "-", []),
            ("swap", "User", ["UserService", "UserService#v1"]),
            ("swap UserService", "", ["users-v2"]), ("swap Nobody", "", []),
            ("swap UserService users-v2", "", []), ("pin home users-v2", "h", ["home"]),
            ("enable", "h", ["home"]), ("enable home", "h", []),
            ("new", "s", ["service"]), ("completion", "", ["bash", "fish", "zsh"]),
            ("list --state", "m", ["missing"]),
            ("list --provides", "User", ["UserService", "UserService#v1"]),
            ("graph --format", "", ["dot", "html", "json", "mermaid", "svg"]),
            ("graph --show", "a", ["all"]), ("graph --focus", "h", ["home"]), ("build -o", "", []),
            ("interface", "", ["actors", "bump", "check"]), ("interface check", "", ["common"]),
            ("interface check common", "", ["common"]), ("add", "", []), ("nothing", "", []),
        ])
    func candidates(before: String, word: String, expected: [String]) {
        let words = before.split(separator: " ").map(String.init)
        #expect(completion.candidates(after: words, for: word).map(\.word) == expected)
    }

    @Test("stand next to what they are for")
    func summaries() {
        #expect(
            completion.candidates(after: ["launch"], for: "l") == [Candidate("login", "Log in")])
        #expect(completion.candidates(after: [], for: "shell").first?.summary.isEmpty == false)
    }

    @Test("are known for every operand of every command")
    func everyCommand() {
        for command in Subcommand.all where !command.operands.isEmpty {
            let isFree =
                command.name == Subcommand.open.name || command.name == Subcommand.initialize.name
            #expect(command.completed.isEmpty == isFree, "\(command.name)")
        }
    }
}
