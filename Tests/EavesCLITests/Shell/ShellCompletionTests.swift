// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesCLI

@Suite("The completion of a shell's line")
struct ShellCompletionTests {
    private let completion = ShellCompletion(
        Completion(
            commands: [
                CompletedCommand(name: "launch", operands: [.feature]),
                CompletedCommand(
                    name: "list", options: [OptionSpec("by", value: "KEY", help: ""), .json]),
                CompletedCommand(name: "swap", operands: [.service, .provider]),
                CompletedCommand(name: "inspect", operands: [.module]),
                CompletedCommand(name: "enable", operands: [.module]),
                CompletedCommand(name: "help", operands: [.command]),
            ],
            globalOptions: [],
            features: ["users", "login"].map { Candidate($0) },
            modules: ["users", "users-v2", "home"].map { Candidate($0) },
            providers: [
                "UserService": ["users-v2", "users-memory"].map { Candidate($0) },
                "EventHandler": [Candidate("analytics")],
            ]))

    @Test(
        "inserts what is sure, and lists what is possible",
        arguments: [
            ("la", "unch ", ""), ("l", "", "launch  list\n"), ("x", "", ""), ("lis", "t ", ""),
            ("launch ", "", "login  users\n"), ("launch u", "sers ", ""), ("launch users ", "", ""),
            ("swap U", "serService ", ""), ("swap UserService u", "sers-", ""),
            ("swap UserService users-", "", "users-memory  users-v2\n"),
            ("swap UserService users-m", "emory ", ""), ("inspect h", "ome ", ""),
            ("enable u", "sers", ""), ("list --j", "son ", ""), ("help s", "wap ", ""),
        ])
    func completing(line: String, insertion: String, listing: String) {
        #expect(
            completion.complete(line)
                == ShellCompletion.Result(insertion: insertion, listing: listing))
    }
}
