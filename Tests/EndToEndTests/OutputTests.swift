// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("an output that cannot be written", .onOwnThreads)
struct OutputTests {
    static let commands = [
        "eaves list", "eaves launch users", "eaves --help", "eaves verify home",
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

    @Test("if it is a pipe that nobody reads, ends quietly, by no signal", arguments: commands)
    func broken(command: String) throws {
        let workspace = try Workspace()
        let ends = try Child.pipe()
        try ends.readEnd.close()
        // A process that another test starts at this moment has the read end, too, until it runs its
        // program. A shell that makes the pipe would have it as well, and close it too late.
        var watched = pollfd(fd: ends.writeEnd.fileDescriptor, events: 0, revents: 0)
        while watched.revents & Int16(POLLERR) == 0 {
            let count = poll(&watched, 1, Patience.milliseconds)
            try #require(count > 0, "somebody still reads")
        }
        let errors = workspace.url.appendingPathComponent("errors").path
        let child = try Child(
            URL(fileURLWithPath: "/bin/sh"), ["-c", command], in: workspace.url,
            environment: ["PATH": Eaves.executable.deletingLastPathComponent().path],
            [.reading("/dev/null"), .descriptor(ends.writeEnd.fileDescriptor), .writing(errors)])
        try ends.writeEnd.close()
        let (code, signal) = try child.wait()
        #expect(try workspace.folder.read("errors") == "")
        #expect(signal == nil)
        #expect(code == 74)
    }

    @Test("if its reader has seen enough, ends quietly, and without reading the rest")
    func head() throws {
        let workspace = try Workspace()
        for command in ["eaves launch users", "eaves list", "eaves launch --help"] {
            let outcome = try Eaves.shell("\(command) | head -n 1", in: workspace.url)
            #expect(outcome.lines.count == 1)
            #expect(outcome.errors == "")
        }
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
}
