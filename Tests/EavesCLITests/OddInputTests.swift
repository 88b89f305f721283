// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EavesCLI

/// Command lines that nobody means, and that scripts with an empty variable write all the same.
@Suite("odd inputs")
struct OddInputTests {
    @Test(
        "that are empty are refused, since an empty path would be the current folder",
        arguments: [
            (["add", ""], "'eaves add' expects FILE, found an empty text"),
            (["enable", ""], "'eaves enable' expects ID, found an empty text"),
            (["swap", "", "home"], "'eaves swap' expects SERVICE MODULE, found an empty text"),
            (["inspect", ""], "'eaves inspect' expects FILE-OR-ID, found an empty text"),
            (["build", ""], "'eaves build' expects [ID-OR-FOLDER…], found an empty text"),
            (["list", "--manifest", ""], "option '--manifest' expects PATH, found an empty text"),
            (["--manifest=", "list"], "option '--manifest' expects PATH, found an empty text"),
            (["sign", "a", "--key="], "option '--key' expects KEYFILE, found an empty text"),
            (["build", "-o", "", "a"], "option '--output' expects PATH, found an empty text"),
            (["verify", "--only", ""], "option '--only' expects ID, found an empty text"),
        ])
    func empty(words: [String], message: String) {
        let outcome = TestCommand.run(words)
        #expect(outcome.code == 64)
        #expect(outcome.errors.hasPrefix("error: \(message)\nfix: "), "\(outcome)")
    }

    @Test("of a feature may be empty")
    func emptyArgument() throws {
        guard case .run(_, let options) = try Invocation(["launch", "a", ""]) else {
            Issue.record("'launch' does not run")
            return
        }
        #expect(options.operands == ["a", ""])
    }

    @Test(
        "with line breaks or control characters do not reach the terminal as they are",
        arguments: [
            ["li\nst"], ["list", "--m\u{1b}x"], ["list", "--state", "a\u{1b}[31m"],
            ["enable", "a\nb"],
            ["inspect", "a\u{7}b"], ["list", "--manifest", "/a\nb"],
            ["list", "--manifest", "\u{1b}"],
            ["quarantine", "x\ny"], ["verify", "--timeout", "1\n"],
        ])
    func controlCharacters(words: [String]) throws {
        let workspace = try Workspace()
        let outcome = TestCommand.run(["--manifest", workspace("manifest.json")] + words)
        #expect(outcome.code != 0)
        #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
        #expect(outcome.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }

    @Test("that are very long are shortened")
    func long() {
        let outcome = TestCommand.run([String(repeating: "a", count: 2_000)])
        #expect(outcome.code == 64)
        #expect(outcome.errors.utf8.count < 500)
    }

    @Test("a file that takes the place of another one is added with a word about that")
    func replacing() throws {
        let workspace = try Workspace()
        let first = try workspace.addFile("a/far.so", "far")
        let second = try workspace.addFile("b/far.so", "far")
        #expect(workspace.eaves("add", "--pin", first).code == 0)
        let pin = try workspace.read("manifest.json").split(separator: "\"")
            .first { $0.utf8.count == 64 }
        #expect(
            workspace.eaves("add", second).errors
                == "added far 1.0.0, in the place of a/far.so, no longer pinned to \(pin ?? "")\n")
        #expect(workspace.eaves("disable", "far").code == 0)
        #expect(
            workspace.eaves("add", first).errors == """
                added far 1.0.0, in the place of b/far.so
                far is disabled: 'eaves enable far' switches it on

                """)
    }

    @Test("'--all' of nothing says so")
    func allOfNothing() throws {
        let workspace = try Workspace()
        #expect(workspace.eaves("pin", "--all").errors == "no module could be loaded now\n")
        #expect(workspace.eaves("pin", "--all", "--remove").errors == "no module is pinned\n")
    }

    @Test("a quarantine that cannot be read is not called empty")
    func unreadableQuarantine() throws {
        let workspace = try Workspace()
        try workspace.write(".eaves/quarantine", "a file in the place of the folder")
        let outcome = workspace.eaves("quarantine")
        #expect(outcome.output == "")
        #expect(outcome.code == 74)
    }

    @Test(
        "something else in the place of the history or the store is named, with a way to mend it",
        arguments: ["history.json", ""])
    func strangeStore(name: String) throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home", provides: "Weather")
        if name.isEmpty {
            try workspace.write(".eaves", "a file")
        } else {
            try workspace.write(".eaves/history.json/file", "in a folder")
        }
        let before = try workspace.read("manifest.json")
        let outcome = workspace.eaves("swap", "Weather", "home")
        #expect(outcome.code == (name.isEmpty ? 73 : 65))
        #expect(outcome.errors.contains("\nfix: "), "\(outcome)")
        #expect(try workspace.read("manifest.json") == before)
    }
}
