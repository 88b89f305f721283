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
}

@Suite("a command that a message shows", .onOwnThreads)
struct ShownCommandTests {
    @Test(
        "does what it says, whatever the file is called",
        arguments: ["it's $HOME", "-rf", "two\nlines", "\u{1b}[2J"])
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
}
