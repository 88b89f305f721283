// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Commands print some things in the window of a real terminal, and not in a pipe.
@Suite(
    "in a terminal's window", .onOwnThreads, .patiently,
    .enabled(if: TerminalWindow.isPossible, "needs tmux and bash"))
struct WindowTests {
    private let eaves = Eaves.executable.path

    private func rows(_ screen: [String]) -> [String] { screen.filter { !$0.isEmpty } }

    @Test("a list that is longer than the window goes through the pager of the environment")
    func pager() throws {
        let workspace = try Workspace()
        let window = try TerminalWindow(
            rows: 12, columns: 80, in: workspace.url, environment: ["PAGER": "sed s/^/page:/"])
        try window.run("clear; \(eaves) list; echo done")
        let paged = rows(try window.wait(forLine: "done"))
        #expect(paged.contains { $0.hasPrefix("page:UserService  users-memory") })
        try window.run("clear; \(eaves) list login; \(eaves) list | tail -3; echo again")
        let short = rows(try window.wait(forLine: "again"))
        #expect(!short.contains { $0.hasPrefix("page:") })
        // A pager that cannot be started is done without.
        try window.run("clear; PAGER=no-such-program \(eaves) list; echo last")
        let direct = rows(try window.wait(forLine: "last"))
        #expect(direct.contains { $0.hasPrefix("UserService  users-memory") })
    }

    /// A folder with a module that Cargo builds, and in `bin` a Cargo that waits for the file `go` and then fails.
    private func slowCrate() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(#"{"manifest": 1, "directories": ["."]}"#, to: "manifest.json")
        try folder.write(
            #"{"id": "slow", "version": "1.0.0", "layer": "core"}"#, to: "Slow/module.json")
        try folder.write("[package]\n", to: "Slow/Cargo.toml")
        try folder.write(
            """
            #!/bin/sh
            if [ "$1" = metadata ]; then
                echo '{"packages": [{"name": "slow", "manifest_path": "\(folder.path)/Slow/Cargo.toml",
                    "targets": [{"name": "slow", "crate_types": ["cdylib"]}]}]}'
                exit
            fi
            until [ -e '\(folder.path)/go' ]; do sleep 0.05; done
            echo 'error: the crate is odd'
            exit 1

            """, to: "bin/cargo")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.file("bin/cargo"))
        return folder
    }

    @Test(
        "one line tells what a build waits for and for how long, and is gone before the next message"
    )
    func progress() throws {
        let folder = try slowCrate()
        let window = try TerminalWindow(rows: 12, columns: 80, in: folder.url)
        try window.run("clear; PATH=$PWD/bin:$PATH \(eaves) build; echo code $?")
        // The number of seconds goes on while the test looks.
        try window.wait { screen in
            screen.contains { $0.hasPrefix("[0/1] slow ") && $0.hasSuffix(" s") }
        }
        try folder.write("", to: "go")
        let seen = rows(try window.wait(forLine: "code "))
        #expect(seen.contains("error: the crate is odd"), "\(seen)")
        #expect(seen.contains("error: slow: does not compile"), "\(seen)")
        #expect(!seen.contains { $0.contains("[0/1]") }, "\(seen)")
    }

    @Test("and in a pipe, a line says that another build program has begun")
    func pipe() throws {
        let folder = try slowCrate()
        try folder.write("", to: "go")
        let outcome = try Eaves.shell("PATH=$PWD/bin:$PATH \(eaves) build", in: folder.url)
        #expect(outcome.code == 65)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.first == "compiling slow with 'cargo build'", "\(outcome)")
        #expect(!outcome.errors.contains("[0/1]"))
    }
}
