// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("an output that cannot be written")
struct OutputTests {
    static let commands = [
        "eaves list", "eaves list --json", "eaves launch users", "eaves --help", "eaves --version",
        "eaves inspect users", "eaves launch --help", "eaves verify home",
        "eaves quarantine --json",
    ]

    @Test("if it is closed, is an error, and no file is written in its place", arguments: commands)
    func closed(command: String) throws {
        let workspace = try Workspace()
        try Eaves.shell("\(command) >&-", in: workspace.url).expectFailure(
            74, "error: cannot write standard output: Bad file descriptor")
        #expect(try workspace.folder.read("manifest.json").contains("users-memory"))
    }

    @Test("if it is full, is an error", arguments: commands)
    func full(command: String) throws {
        let workspace = try Workspace()
        try Eaves.shell("\(command) >/dev/full", in: workspace.url).expectFailure(
            74, "error: cannot write standard output: No space left on device")
    }

    @Test("if it is a pipe that nobody reads, is an error and not a signal", arguments: commands)
    func broken(command: String) throws {
        let workspace = try Workspace()
        // The reader closes its end, and only then lets the writer begin.
        let outcome = try Eaves.shell(
            """
            mkfifo gate
            { read -r go < gate; \(command); echo $? > code; } | { exec <&-; echo go > gate; }
            """, in: workspace.url)
        #expect(outcome.errors == "error: cannot write standard output: Broken pipe\n")
        #expect(try workspace.folder.read("code") == "74\n")
    }

    @Test("if it is for messages, changes neither the data nor the exit code")
    func closedErrors() throws {
        let workspace = try Workspace()
        let users = try Eaves.shell("eaves launch users 2>&-", in: workspace.url)
        #expect(users.output == "1 Alice\n2 Bob\n")
        #expect(users.code == 0)
        #expect(try Eaves.shell("eaves launch nobody 2>&-", in: workspace.url).code == 66)
        #expect(try Eaves.shell("eaves launch -v users 2>&-", in: workspace.url).code == 0)
        #expect(try Eaves.shell("eaves list >&- 2>&-", in: workspace.url).code == 74)
    }

    @Test("closed input is an error only of the feature that reads it")
    func closedInput() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("waits-for-line"))
        #expect(try Eaves.shell("eaves launch users <&-", in: workspace.url).code == 0)
        try Eaves.shell("eaves launch wait <&-", in: workspace.url).expectFailure(
            74, "error: cannot read standard input: Bad file descriptor",
            output: "Alice, Bob\nwaiting\n")
        #expect(
            try Eaves.shell("eaves launch users <&- >&- 2>&-", in: workspace.url).code == 74)
    }

    @Test("if a feature fails as well, both errors are reported")
    func closedAndFailing() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("throws-at-launch"))
        let outcome = try Eaves.shell("eaves launch throw >&-", in: workspace.url)
        #expect(
            outcome.errors == """
                error: cannot write standard output: Bad file descriptor
                error: throws-at-launch: feature 'throw' failed: the printer is on fire \
                (Plugins/throws-at-launch.so)

                """)
        #expect(outcome.code == 70)
    }
}
