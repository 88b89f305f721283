// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a bad file in Plugins", .onOwnThreads)
struct BadFileTests {
    /// What is no module, and what is said of it.
    enum Fault: CaseIterable {
        case empty, text, script, directory, pipe, brokenLink, program, object, noNote

        var problem: String {
            switch self {
            case .empty: "expected a shared object, found an empty file"
            case .text:
                "expected a shared object, found a file that begins with 'This is '"
            case .script: "expected a shared object, found a file that begins with '#!/bin/s'"
            case .directory: "expected a shared object, found a directory"
            case .pipe: "expected a shared object, found a named pipe"
            case .brokenLink: "the file is not there"
            case .program: "expected a shared object, found an executable"
            case .object: "expected a shared object, found an object file that is not linked"
            case .noNote: "no Eaves module: it has no '.note.package' note"
            }
        }

        var fix: String {
            switch self {
            case .empty, .text, .script: "copy it again from where it was built, or remove it"
            case .directory, .pipe: "move it away, or give it a name without '.so'"
            case .brokenLink: "build it, or correct the path"
            case .program, .object, .noNote:
                "build it again with 'eaves build FOLDER', or remove Plugins/bad.so"
            }
        }

        func put(at file: URL) throws {
            let files = FileManager.default
            switch self {
            case .empty: try Data().write(to: file)
            case .text: try Data("This is no module.\n".utf8).write(to: file)
            case .script: try Data("#!/bin/sh\nexit 0\n".utf8).write(to: file)
            case .directory: try files.createDirectory(at: file, withIntermediateDirectories: false)
            case .pipe:
                guard mkfifo(file.path, 0o600) == 0 else { throw FixtureError("mkfifo") }
            case .brokenLink:
                try files.createSymbolicLink(atPath: file.path, withDestinationPath: "nowhere")
            case .program: try files.copyItem(at: CFixtures.program("Program"), to: file)
            case .object:
                try files.copyItem(
                    at: CFixtures.module("NoNote", options: ["-c"]), to: file)
            case .noNote: try files.copyItem(at: CFixtures.module("NoNote"), to: file)
            }
        }
    }

    @Test("is named with what it is, and harms no other module", arguments: Fault.allCases)
    func fault(_ fault: Fault) throws {
        let workspace = try Workspace()
        try fault.put(at: workspace.plugins.appendingPathComponent("bad.so"))
        let state = fault == .brokenLink ? "missing" : "invalid"
        let message = "bad: \(fault.problem) (Plugins/bad.so)"
        try workspace.expectListed("Plugins/bad.so", as: state, message)
        let listed = try workspace.eaves("list")
        #expect(listed.errors == "warning: \(message)\nfix: \(fault.fix)\n")
        #expect(listed.code == 0)
        let inspected = try workspace.eaves("inspect", "bad")
        inspected.expectFailure(
            fault == .brokenLink ? 66 : 65, "error: \(message)\nfix: \(fault.fix)",
            output: inspected.output)
        try workspace.expectOthersWork()
    }

    @Test("is named when a feature is not found, because it may be the one that had it")
    func launched() throws {
        let workspace = try Workspace()
        try workspace.drop(try Workspace.bytes(of: "users").prefix(3000), as: "users.so")
        let size = try Workspace.bytes(of: "users").count
        try workspace.eaves("launch", "users").expectFailure(
            66,
            """
            error: no module offers a feature 'users'
            fix: see all features with 'eaves list'
            error: users: the file is cut short: it needs \(size) bytes and has 3000 \
            (Plugins/users.so)
            fix: copy it again from where it was built, or remove it
            """)
    }

    @Test("that a service is bound to is refused, and another can be bound")
    func bound() throws {
        let workspace = try Workspace()
        try workspace.drop(Data(), as: "users-memory.so")
        let message = """
            error: users-memory: expected a shared object, found an empty file \
            (Plugins/users-memory.so)
            fix: copy it again from where it was built, or remove it
            """
        try workspace.eaves("launch", "users").expectFailure(65, message)
        #expect(try workspace.eaves("swap", "UserService", "users-v2").code == 0)
        #expect(try workspace.eaves("launch", "users").output == "2 Charlie\n")
    }

    @Test(
        "cut short is refused by whatever names it",
        arguments: [1, 3, 4, 63, 64, 500, 1000, 4095, 4096, 4097, 20_000, -1])
    func truncatedAndUsed(length: Int) throws {
        let workspace = try Workspace()
        let whole = try Workspace.bytes(of: "users-memory")
        let size = length < 0 ? whole.count + length : length
        try workspace.drop(whole.prefix(size), as: "users-memory.so")
        for words in [
            ["launch", "users"], ["inspect", "users-memory"],
            ["inspect", "Plugins/users-memory.so"],
            ["add", "Plugins/users-memory.so"], ["swap", "UserService", "users-memory"],
        ] {
            let outcome = try workspace.eaves(words)
            #expect(outcome.code == 65, "\(outcome)")
            #expect(outcome.errors.hasPrefix("error: users-memory: "), "\(outcome)")
            #expect(outcome.errors.contains("(Plugins/users-memory.so)\nfix: copy it again "))
            outcome.expectNoCrash()
        }
    }
}
