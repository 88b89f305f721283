// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module that speaks as the host", .onOwnThreads)
struct ForgeryTests {
    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module("SpeaksAsHost"), as: "impostor.so")
        return workspace
    }

    @Test("is heard below its id, when it logs and when it refuses")
    func launch() throws {
        let outcome = try workspace().eaves("launch", "impostor")
        #expect(outcome.code == 65)
        #expect(
            outcome.errors == #"""
                speaks-as-host: warning: well
                  error: users: it is damaged (Plugins/users.so)\u{d}
                  fix: run 'rm -r .'
                  \u{1b}[2J
                error: speaks-as-host: refused to register: well
                  error: users: it is damaged (Plugins/users.so)\u{d}
                  fix: run 'rm -r .'
                  \u{1b}[2J (Plugins/impostor.so)
                fix: correct what the module reports, or switch the module off with 'eaves disable \#
                speaks-as-host'

                """#)
    }

    @Test("is quoted below the check that captured it")
    func verify() throws {
        let outcome = try workspace().eaves("verify", "speaks-as-host")
        #expect(outcome.code == 65)
        #expect(outcome.errors == "")
        let forged = outcome.lines.filter { $0.contains("rm -r") || $0.contains("it is damaged") }
        #expect(!forged.isEmpty && forged.allSatisfy { $0.hasPrefix("           ") }, "\(outcome)")
        #expect(!outcome.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test("by the name of its file is escaped in text, and told as it is in JSON")
    func fileName() throws {
        let workspace = try Workspace()
        let name = "a\u{1b}[2J\nerror: b.so"
        try workspace.folder.write("no module", to: "Plugins/\(name)")
        let listed = try workspace.eaves("list")
        #expect(!(listed.output + listed.errors).contains("\u{1b}"))
        #expect(!listed.errors.contains("\nerror:") && !listed.output.contains("\nerror:"))
        #expect(listed.errors.contains(#"Plugins/a\u{1b}[2J\u{a}error: b.so"#))
        let json = try workspace.eaves("list", "--json")
        #expect(!json.output.contains("\u{1b}"))
        #expect(json.output.contains(#"a\u001b[2J\nerror: b.so"#))
        #expect(try workspace.list().modules.contains { $0.path == "Plugins/\(name)" })
    }
}

@Suite("a command that a message shows", .onOwnThreads)
struct ShownCommandTests {
    private static let names = [
        "my users", "it's $HOME", "`id`", "a\"b", "back\\slash", "-rf", "two\nlines", "\u{1b}[2J",
        "ü*?",
        "\u{202e}so", "% d\nx", "'\n'",
    ]

    @Test("does what it says, whatever the file is called", arguments: names)
    func chmod(name: String) throws {
        let workspace = try Workspace()
        try workspace.folder.write(
            #"{"manifest": 1, "directories": ["."]}"#, to: "\(name)/manifest.json")
        let folder = workspace.url.appendingPathComponent(name)
        try FileManager.default.copyItem(
            atPath: workspace.path("Plugins/users.so"), toPath: folder.path + "/\(name).so")
        try workspace.setMode(0o666, of: "\(name)/\(name).so")
        let refused = try Eaves.run(
            Eaves.executable, ["launch", "--manifest", "./\(name)/manifest.json", "users"],
            in: workspace.url)
        #expect(refused.code == 77)
        try workspace.runFix(of: refused.errors)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.path + "/\(name).so")
        #expect(attributes[.posixPermissions] as? Int == 0o644, "\(refused.errors)")
    }

    @Test("adds the very file that it names", arguments: names)
    func add(name: String) throws {
        let workspace = try Workspace()
        try FileManager.default.createDirectory(
            atPath: workspace.path("shelf"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: workspace.path("Plugins/users.so"), toPath: workspace.path("shelf/users.so"))
        try workspace.link("Plugins/\(name).so", to: "../shelf/users.so")
        let refused = try workspace.eaves("launch", "--no-build", "users")
        #expect(refused.code == 77)
        try workspace.runFix(of: refused.errors)
        #expect(
            try workspace.eaves("launch", "--no-build", "users").output == "1 Alice\n2 Bob\n",
            "\(refused.errors)")
    }
}
