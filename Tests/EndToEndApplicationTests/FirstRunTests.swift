// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// What a module can do to its host while it is loaded and registers, other than crash.
@Suite("a module that ends or holds up its host", .onOwnThreads, .patiently)
struct FirstRunTests {
    private func workspace(_ macros: [String: String]) throws -> Workspace {
        let workspace = try Workspace.bare()
        try workspace.drop(CFixtures.module("MisbehavesInC", macros: macros), as: "c.so")
        return workspace
    }

    static let exits: [(macros: [String: String], words: String)] = [
        (["CONSTRUCTOR": "exit(0)"], "exit code 0 while it was loaded"),
        (["REGISTER": "exit(0)"], "exit code 0 while it registered"),
        (["REGISTER": "exit(7)"], "exit code 7 while it registered"),
        (["REGISTER": "quick_exit(0)"], "quick_exit while it registered"),
    ]

    @Test(
        "by exit: launch and validate --load fail, name it, and count it", arguments: exits.indices)
    func endsByExit(index: Int) throws {
        let (macros, words) = Self.exits[index]
        let workspace = try workspace(macros)
        let commands = [
            ["launch", "misbehave-in-c"], ["validate", "--load"], ["validate", "--load", "--json"],
        ]
        for command in commands {
            #expect(try workspace.list().module("misbehaves-in-c")?.state == "ready")
            let outcome = try workspace.eaves(command)
            let feature = command[0] == "launch" ? " in the launch of 'misbehave-in-c'" : ""
            outcome.expectFailure(
                70,
                """
                error: misbehaves-in-c: ended the process with \(words)\(feature) (Plugins/c.so)
                fix: report an error instead: a module must not end the host; see where with \
                'eaves verify misbehaves-in-c'
                """)
        }
        let problem = try #require(try workspace.list().module("misbehaves-in-c")?.problem)
        let cause = words.split(separator: " ").prefix { $0 != "while" }.joined(separator: " ")
        #expect(problem.contains("crashed 3 times, last with \(cause) ("), "\(problem)")
        let report = try workspace.eaves("quarantine", "--json").output
        #expect(report.contains("\"signal\": null"))
    }

    @Test("by hanging: launch names it while it hangs, and goes on with it")
    func hang() throws {
        // It registers once the message has been read, and what comes after that is up to the feature.
        let workspace = try workspace([
            "REGISTER": #"int gate = open("gate", 0); char c; if (read(gate, &c, 1) != 1) return 9"#
        ])
        let outcome = try Eaves.shell(
            """
            mkfifo gate errors
            eaves launch misbehave-in-c 2> errors &
            read -r line < errors
            echo go > gate
            wait $!
            echo "code $?"
            echo "$line"
            """, in: workspace.url)
        #expect(
            outcome.lines == [
                "usage", "code 0",
                "warning: misbehaves-in-c: has been registering for 5 s, and goes on (Plugins/c.so)",
            ], "\(outcome)")
    }

    @Test("by printing: validate --load --json prints one object, and nothing else")
    func prints() throws {
        let workspace = try workspace([
            "CONSTRUCTOR": #"puts("{ loud"); if (write(1, "at once\n", 8)) {}"#,
            "REGISTER": #"printf("registering"); system("echo child")"#,
            "DESTRUCTOR": #"puts("at the end")"#,
        ])
        let outcome = try workspace.eaves("validate", "--load", "--json")
        #expect(outcome.code == 0)
        #expect(
            outcome.output
                == "{\n  \"schema\": 1,\n  \"problems\": [],\n  \"warnings\": []\n}\n")
        for text in ["{ loud", "at once", "registering", "child", "at the end"] {
            #expect(outcome.errors.contains(text), "\(text)")
        }
        let plain = try workspace.eaves("validate", "--load")
        #expect(plain.output == "no problems\n")
    }
}
