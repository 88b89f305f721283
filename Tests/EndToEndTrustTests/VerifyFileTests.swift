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

    @Test("elf-readable, of a module that is not built yet")
    func notBuilt() throws {
        let workspace = try Workspace(sources: true)
        try expect(workspace, "users", fails: "elf-readable", "it is not built yet", code: 66)
    }

    @Test("machine")
    func machine() throws {
        let workspace = try Workspace(modules: [])
        var bytes = try Workspace.bytes(of: "users")
        bytes[18] = 40
        try workspace.drop(bytes, as: "users.so")
        try expect(workspace, "users", fails: "machine", "built for arm, this host is", code: 76)
        bytes[4] = 1
        try workspace.drop(bytes, as: "users.so")
        try expect(workspace, "users", fails: "machine", "built for a 32-bit machine", code: 76)
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

    @Test(
        "abi-version, interface-version, compiler",
        arguments: [
            (#""abi":2"#, "abi-version", "built for ABI version 2, this host has 1"),
            (
                #""abi":1,"interface":"9.0""#, "interface-version",
                "built for interface 9.0, this host"
            ),
            (#""abi":1,"compiler":"5.0.1""#, "compiler", "built with Swift 5.0.1, this host"),
        ])
    func fit(tag: String, id: String, message: String) throws {
        let workspace = try Workspace(modules: [])
        let quoted = tag.replacingOccurrences(of: "\"", with: "\\\"")
        let module = try CFixtures.module(
            "BuiltForAnotherHost", macros: ["NOTE_TAG": "\"\(quoted)\""])
        try workspace.drop(module, as: "foreign.so")
        try expect(workspace, "Plugins/foreign.so", fails: id, message, code: 76)
    }

    @Test("manifest-entry")
    func duplicate() throws {
        let workspace = try Workspace(modules: ["users"])
        try workspace.drop(try Workspace.bytes(of: "users"), as: "zweitens.so")
        try expect(
            workspace, "Plugins/zweitens.so", fails: "manifest-entry",
            "another module has the same id", code: 65)
    }

    @Test("entry-point")
    func entry() throws {
        let workspace = try Workspace(modules: [])
        try workspace.drop(CFixtures.module("NoEntry"), as: "bad.so")
        try expect(
            workspace, "Plugins/bad.so", fails: "entry-point", "'eaves_register', found none",
            code: 65)
    }

    @Test("interface-not-carried, interface-symbols")
    func interface() throws {
        let workspace = try Workspace(modules: [])
        let carries = try SwiftFixtures.carriesInterface.get().url
        try workspace.drop(carries.appendingPathComponent("carries-interface.so"))
        try expect(
            workspace, "carries-interface", fails: "interface-not-carried",
            "carries a copy of EavesInterface", code: 76)
        let needs = try SwiftFixtures.needsNewerInterface.get().url
        try workspace.drop(needs.appendingPathComponent("needs-newer-interface.so"))
        try expect(
            workspace, "needs-newer-interface", fails: "interface-symbols",
            "needs symbols that this host's EavesInterface does not have", code: 76)
    }

    @Test("needed-libraries")
    func libraries() throws {
        let workspace = try Workspace.bare()
        let library = try CFixtures.module(
            "LeavesTrace", file: "library.c", macros: ["FUNCTION": "ghost"],
            options: ["-Wl,-soname,libghost.so"])
        let module = try CFixtures.module(
            "LeavesTrace", macros: ["CALLS": "ghost"], options: [library.path])
        try workspace.drop(module, as: "bad.so")
        try expect(
            workspace, "leaves-trace", fails: "needed-libraries",
            "needs the library 'libghost.so', which is not on this machine", code: 76)
        #expect(!workspace.folder.has("code-ran"))
    }

    @Test("module-links, module-symbols")
    func otherModules() throws {
        let workspace = try Workspace.bare()
        try workspace.drop(try CFixtures.module("SharesSymbol"), as: "shares-symbol.so")
        let macros = ["CALLS": "shared_function"]
        let link = ["-Wl,--no-as-needed", "-L\(workspace.plugins.path)", "-l:shares-symbol.so"]
        try workspace.drop(
            try CFixtures.module("LeavesTrace", macros: macros, options: link), as: "bad.so")
        try expect(
            workspace, "leaves-trace", fails: "module-links", "'shares-symbol.so' is", code: 65)
        try workspace.drop(try CFixtures.module("LeavesTrace", macros: macros), as: "bad.so")
        try expect(
            workspace, "leaves-trace", fails: "module-symbols",
            "'shared_function' of 'shares-symbol'", code: 65)
        #expect(!workspace.folder.has("code-ran"))
    }

    @Test("symbols")
    func symbols() throws {
        let workspace = try Workspace.bare()
        try workspace.drop(CFixtures.module("NeedsCSymbol"), as: "bad.so")
        try expect(
            workspace, "Plugins/bad.so", fails: "symbols",
            "which neither this host nor a loaded library has", code: 76)
    }

    @Test("layer, by what is declared, and by what is used")
    func layer() throws {
        let workspace = try Workspace()
        let macros = ["LAYER": #""core""#, "REQUIRES": #""\"UserService\",\"LoginFactory\"""#]
        try workspace.drop(try CFixtures.module("LeavesTrace", macros: macros), as: "bad.so")
        let message = "what only features or compositions provide: LoginFactory (of login)"
        try expect(workspace, "leaves-trace", fails: "layer", message, code: 65)
        try workspace.drop(try SwiftFixtures.module("uses-feature"))
        try expect(workspace, "uses-feature", fails: "layer", message, code: 65)
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
