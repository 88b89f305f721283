// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("refuses files that others could change", .onOwnThreads)
struct PermissionTests {
    @Test(
        "a module's file, a directory on its path, the manifest's folder, the manifest",
        arguments: [
            ("Plugins/users.so", 0o666, "file"), ("Plugins/users.so", 0o602, "file"),
            ("Plugins", 0o777, "directory"), (".", 0o777, "directory"),
            ("manifest.json", 0o666, "manifest"),
        ] as [(String, mode_t, String)])
    func writable(name: String, mode: mode_t, kind: String) throws {
        let isModule = kind == "file"
        let message = """
            error: \(isModule ? "users" : name): expected a \(kind) that only its owner can write, \
            found that everybody can (mode 0\(String(mode, radix: 8)))\(isModule ? " (\(name))" : "")
            fix: check that \(kind == "directory" ? "all in it is yours" : "it is what you put there"), \
            then run 'chmod go-w \(name)'
            """
        let workspace = try Workspace()
        try workspace.setMode(mode, of: name)
        try workspace.eaves("launch", "users").expectFailure(77, message)
        if name.hasPrefix("Plugins") {
            try workspace.expectListed(
                "Plugins/users.so", as: "untrusted",
                String(message.split(separator: "\n")[0].dropFirst("error: ".count)))
            // Said once, however many modules depend on it.
            #expect(
                try workspace.eaves("list").errors
                    == message.replacingOccurrences(of: "error:", with: "warning:") + "\n")
            let inspected = try workspace.eaves("inspect", "users")
            inspected.expectFailure(77, message, output: inspected.output)
            #expect(inspected.lines.contains("state:     untrusted"))
        }
        // What the message says mends it.
        try workspace.runFix(of: message)
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }

    @Test("several modules, in one message with one command")
    func several() throws {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        let files = ["Plugins/common.so", "Plugins/users.so", "Plugins/users-memory.so"]
        for name in files { try workspace.setMode(0o666, of: name) }
        let message = """
            error: Plugins: expected modules that only their owner can write, found that others can \
            write several (mode 0666)
            fix: check that they are what you put there, then run 'chmod go-w Plugins/*.so'
            """
        try workspace.eaves("launch", "users").expectFailure(77, message)
        let listed = try workspace.eaves("list").errors.split(separator: "\n")
        #expect(listed.count { $0.hasSuffix("write several (mode 0666)") } == 1, "\(listed)")
        try workspace.runFix(of: message)
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
    }

    @Test("the store, and the copies in it", arguments: [".eaves", ".eaves/modules"])
    func store(name: String) throws {
        let workspace = try Workspace()
        try workspace.expectOthersWork()
        try workspace.setMode(0o777, of: name)
        let message = """
            error: \(name): expected a store that only its owner can write, found that everybody \
            can (mode 0777)
            fix: check that all in it is yours, then run 'chmod -R go= \(name)'
            """
        try workspace.eaves("launch", "users").expectFailure(77, message)
        try workspace.runFix(of: message)
        try workspace.expectOthersWork()
        for made in [".eaves", ".eaves/modules"] {
            #expect(try workspace.mode(of: made) == 0o700)
        }
    }

    @Test("an untrusted manifest stops every command before it reads anything else")
    func everyCommand() throws {
        let workspace = try Workspace()
        try workspace.setMode(0o666, of: "manifest.json")
        // Each of these would be complained about if it were looked at.
        try workspace.drop(Data("damaged".utf8), as: "damaged.so")
        _ = try workspace.folder.write("damaged", to: ".eaves/history.json")
        let list = "find . -printf \'%p %s %m %T@\\n\' | sort"
        let before = try Eaves.shell(list, in: workspace.url).output
        for arguments in [
            ["list"], ["inspect", "users"], ["validate"], ["verify", "users"], ["build"],
            ["build", "users"], ["launch", "users"], ["quarantine"],
            ["quarantine", "clear", "--all"],
            ["swap", "UserService", "users-memory"], ["rollback"], ["enable", "users"],
            ["disable", "users"], ["add", "Plugins/users.so"], ["remove", "users"],
            ["pin", "users"], ["sign", "users"],
        ] {
            try workspace.eaves(arguments).expectFailure(
                77,
                """
                error: manifest.json: expected a manifest that only its owner can write, found that \
                everybody can (mode 0666)
                fix: check that it is what you put there, then run 'chmod go-w manifest.json'
                """)
        }
        #expect(try Eaves.shell(list, in: workspace.url).output == before)
    }

    @Test("checks the file that is copied once more, at the moment of the copy")
    func copied() throws {
        let workspace = try Workspace()
        try workspace.expectOthersWork()
        let preload = try CFixtures.module("OpensToOthers")
        try workspace.eaves(
            "launch", "users", environment: ["LD_PRELOAD": preload.path]
        ).expectFailure(
            77,
            """
            error: users: expected a file that only its owner can write, found that everybody can \
            (mode 0666) (Plugins/users.so)
            fix: check that it is what you put there, then run 'chmod go-w Plugins/users.so'
            """)
    }
}

extension Workspace {
    fileprivate func mode(of name: String) throws -> mode_t {
        var status = stat()
        guard stat(path(name), &status) == 0 else { throw FixtureError("stat \(name)") }
        return status.st_mode & 0o7777
    }
}
