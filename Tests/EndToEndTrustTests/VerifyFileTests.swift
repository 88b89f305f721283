// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves verify, of a file that breaks a rule", .onOwnThreads)
struct VerifyFileTests {
    /// Checks that one check fails, with this message, and that no code of the module runs.
    private func expect(
        _ workspace: Workspace, _ path: String, fails id: String, _ message: String,
        code: Int32, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let module = try #require(try workspace.verify(path, code: code).first)
        #expect(module.ids("failed").first == id, "\(module)", sourceLocation: sourceLocation)
        let check = try module.check(id)
        #expect(
            check.message?.contains(message) == true, "\(check)", sourceLocation: sourceLocation)
        #expect(check.fix != nil, sourceLocation: sourceLocation)
        let loads = try module.check("loads")
        #expect(loads.result == "skipped", sourceLocation: sourceLocation)
        #expect(loads.message == "'\(id)' did not pass", sourceLocation: sourceLocation)
        #expect(!module.passed, sourceLocation: sourceLocation)
    }

    /// A note of the right type that declares nothing.
    private static let note = #""{\"type\":\"eaves\",\"name\":\"bad\",\"eaves\":{\"abi\":1}}""#

    @Test("elf-readable")
    func elf() throws {
        let workspace = try Workspace(modules: [])
        try workspace.drop(Data("no module".utf8), as: "text.so")
        try expect(
            workspace, "text", fails: "elf-readable", "begins with 'no modul'", code: 65)
        try expect(
            workspace, "nowhere.so", fails: "elf-readable", "the file is not there", code: 66)
    }

    @Test(
        "note-present, note-valid",
        arguments: [("NoNote", "note-present"), ("BrokenNote", "note-valid")])
    func note(fixture: String, id: String) throws {
        let workspace = try Workspace(modules: [])
        let macros = ["NOTE_TEXT": Self.note]
        try workspace.drop(CFixtures.module(fixture, macros: macros), as: "bad.so")
        try expect(workspace, "bad", fails: id, "note", code: 65)
    }

    @Test("declared-needs, which is a warning")
    func declaredNeeds() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("uses-undeclared"))
        let module = try #require(
            try workspace.verify("--only", "declared-needs", "uses-undeclared", code: 0).first)
        #expect(module.ids("warned") == ["declared-needs"])
        #expect(
            try module.check("declared-needs").message
                == "uses-undeclared: uses UserService, which its 'requires' does not name "
                + "(Plugins/uses-undeclared.so)")
    }

    @Test("digest")
    func digest() throws {
        let workspace = try Workspace(modules: ["users"])
        let pinned = String(repeating: "0", count: 64)
        try workspace.manifest(
            #"{"manifest": 1, "modules": {"users": {"sha256": "\#(pinned)"}}}"#)
        try expect(workspace, "users", fails: "digest", "expected SHA-256 \(pinned)", code: 77)
    }
}
