// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("Swapping the module of a service", .onOwnThreads)
struct SwapTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.add(.sample("users", provides: ["UserService"]), tag: BuildTag(abi: 1))
        try folder.add(.sample("users-v2", provides: ["UserService"]), tag: BuildTag(abi: 1))
        try folder.add(.sample("login", provides: ["LoginFactory"]), tag: BuildTag(abi: 1))
        _ = try folder.manifest()
    }

    /// The manifest as it is now: each command of a person reads it anew.
    private var manifest: Manifest {
        get throws { try Manifest.load(folder.file("manifest.json")) }
    }

    private var bound: String? {
        get throws { try manifest.chosen[BindingKey("UserService")]?.module }
    }

    @discardableResult
    private func swap(_ service: String = "UserService", to module: String) throws -> String? {
        try manifest.swap(service, to: module).map(words)
    }

    @discardableResult
    private func rollback() throws -> String {
        words(try ManifestEditor.edit(folder.file("manifest.json")) { try $0.undoLast(1)[0] })
    }

    private func words(_ edit: ManifestEdit) -> String {
        let part = edit.parts[0]
        return "\(part.service ?? "-"): \(part.bindingBefore?.words ?? "none") → "
            + (part.bindingAfter?.words ?? "none")
    }

    /// The messages of a swap or rollback that fails and leaves the manifest as it is.
    private func failure(_ change: () throws -> Any) throws -> [Diagnostic] {
        let before = try folder.read("manifest.json")
        let error = #expect(throws: (any Error).self) { _ = try change() }
        #expect(try folder.read("manifest.json") == before)
        return try #require(error as? any Diagnosable).diagnostics
    }

    @Test("binds the service, and tells what it was bound to")
    func swaps() throws {
        #expect(
            try swap(to: "users-v2") == "UserService: none → users-v2")
        #expect(try bound == "users-v2")
        #expect(
            try swap(to: "users") == "UserService: users-v2 → users")
        #expect(try bound == "users")
    }

    private func addSource(_ id: String, of service: String) throws {
        try folder.addSource(.sample(id, provides: [service]), in: "Plugins/\(id)")
    }

    @Test(
        "changes the binding that decides, however the service is named",
        arguments: [
            #""EastAPI.Greeter": "east2""#, #""Greeter": "east2""#,
            #""EastAPI.Greeter": "east2", "Greeter": "east""#,
        ], ["Greeter", "EastAPI.Greeter"])
    func spelled(bindings: String, name: String) throws {
        for id in ["east", "east2"] { try addSource(id, of: "EastAPI.Greeter") }
        let text = #"{"manifest": 1, "bindings": {\#(bindings)}}"#
        try folder.write(text.replacing("east2", with: "east"), to: "manifest.json")
        try swap(name, to: "east2")
        #expect(try folder.read("manifest.json") == text)
    }

    @Test("to the same module changes nothing, and is no step to take back")
    func same() throws {
        try swap(to: "users")
        #expect(try swap(to: "users") == nil)
        try rollback()
        #expect(try bound == nil)
        #expect(throws: HistoryError.nothingToUndo) { try rollback() }
    }

    @Test("is taken back step by step, to no binding in the end")
    func rollsBack() throws {
        try swap(to: "users")
        try swap(to: "users-v2")
        #expect(
            try rollback() == "UserService: users → users-v2")
        #expect(try bound == "users")
        #expect(try rollback() == "UserService: none → users")
        #expect(try bound == nil)
        #expect(
            try failure { try rollback() }.map(\.message) == [
                "there is no swap or removal to undo"
            ])
    }

    @Test("is not taken back if the manifest binds the service to something else by now")
    func changedSince() throws {
        try swap(to: "users")
        try swap(to: "users-v2")
        try folder.write(
            #"{ "manifest": 1, "bindings": { "UserService": "login" } }"#, to: "manifest.json")
        #expect(
            try failure { try rollback() } == [
                Diagnostic(
                    "UserService: expected it bound to 'users-v2', as the last swap left it, "
                        + "found 'login'",
                    fix: "choose with 'eaves swap UserService users'", code: .configuration)
            ])
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        #expect(
            try failure { try rollback() }.map(\.message) == [
                "UserService: expected it bound to 'users-v2', as the last swap left it, "
                    + "found no binding"
            ])
    }

    @Test("of a word that means two services asks which one, and then binds that one alone")
    func sharedWord() throws {
        for id in ["east", "east2"] { try addSource(id, of: "EastAPI.Greeter") }
        try folder.write(
            #"{ "manifest": 1, "bindings": { "Greeter": "east" } }"#, to: "manifest.json")
        #expect(
            try swap("EastAPI.Greeter", to: "east2")
                == "Greeter: east → east2")
        try addSource("west", of: "WestAPI.Greeter")
        #expect(
            try failure { try swap("Greeter", to: "east") as Any } == [
                Diagnostic(
                    "Greeter can mean EastAPI.Greeter and WestAPI.Greeter",
                    fix: "name one with its Swift module: EastAPI.Greeter or WestAPI.Greeter",
                    code: .usage)
            ])
        #expect(
            try failure { try swap("Greeter#old", to: "east") as Any }.map(\.fix) == [
                "name one with its Swift module: EastAPI.Greeter#old or WestAPI.Greeter#old"
            ])
        #expect(
            try swap("WestAPI.Greeter", to: "west")
                == "WestAPI.Greeter: none → west")
        let bindings = try manifest.bindings.map { "\($0.key.text) \($0.words)" }
        #expect(bindings == ["Greeter east2", "WestAPI.Greeter west"])
        let share = try CanaryShare("10%")
        let canary = try manifest.swap("EastAPI.Greeter", to: "east", canary: share)
        #expect(canary?.services.first == "EastAPI.Greeter")
    }

    @Test("to a module that is nowhere, of a service that nobody provides, or that it lacks fails")
    func unknown() throws {
        #expect(
            try failure { try swap("UserServise", to: "users") as Any } == [
                Diagnostic(
                    "no module provides a service 'UserServise', did you mean 'UserService'?",
                    fix: "see all services with 'eaves list'", code: .notFound)
            ])
        #expect(
            try failure { try swap(to: "users-v3") as Any } == [
                Diagnostic(
                    "there is no module 'users-v3', did you mean 'users-v2'?",
                    fix: "choose users or users-v2", code: .notFound)
            ])
        #expect(
            try failure { try swap(to: "login") as Any } == [
                Diagnostic(
                    "module 'login' does not provide UserService",
                    fix: "choose users or users-v2", code: .notFound)
            ])
    }

    @Test("to a module that is off or cannot be loaded fails")
    func unusable() throws {
        _ = try folder.manifest(modules: #""users": { "enabled": false }"#)
        #expect(
            try failure { try swap(to: "users") as Any } == [
                Diagnostic(
                    "module 'users' is disabled", fix: "'eaves enable users', and try again",
                    code: .noProvider)
            ])
        try folder.add(.sample("old", provides: ["UserService"]), tag: BuildTag(abi: 2))
        #expect(try failure { try swap(to: "old") as Any }.map(\.code) == [.incompatible])
        // It may provide the service: nobody can read whether it does.
        try folder.write("no module", to: "Plugins/broken.so")
        #expect(try failure { try swap(to: "broken") as Any }.map(\.code) == [.badData])
        #expect(!folder.has(".eaves/history.json"))
    }

    @Test("to a module whose file is bad fails, also if a build could make a better one")
    func badFileWithSources() throws {
        try folder.addSource(.sample("users", provides: ["UserService"]), in: "Plugins/Users")
        try folder.write("no module", to: "Plugins/users.so")
        #expect(try failure { try swap(to: "users") as Any }.map(\.code) == [.badData])
        try folder.add(.sample("users", provides: ["UserService"]), tag: BuildTag(abi: 2))
        let found = try failure { try swap(to: "users") as Any }
        #expect(found.map(\.code) == [.incompatible])
        #expect(found.map(\.fix) == ["run 'eaves build users'"])
    }

    @Test("to a module that was not built yet is made: the next launch builds it")
    func notBuilt() throws {
        try Files.remove(folder.file("Plugins/users.so"))
        try folder.addSource(.sample("users", provides: ["UserService"]), in: "Plugins/Users")
        try swap(to: "users")
        #expect(try bound == "users")
    }

    @Test("to a module that a launch would refuse for its symbols or its pin fails")
    func unloadable() throws {
        let note = ModuleNote(
            declaration: .sample("users", provides: ["UserService"]), tag: BuildTag(abi: 1))
        let bytes = try Binaries.module(note)
        let renamed = Array("eaves_registeX".utf8)
        var broken = bytes
        let name = Array("eaves_register".utf8)
        for start in bytes.indices where bytes[start...].starts(with: name) {
            broken.replaceSubrange(start..<start + name.count, with: renamed)
        }
        try folder.write(broken, to: "Plugins/users.so")
        let entry = try failure { try swap(to: "users") as Any }
        #expect(entry.map(\.code) == [.badData])
        #expect(entry.first?.message.contains("eaves_register") == true)
        try folder.write(bytes, to: "Plugins/users.so")
        let pin = String(repeating: "0", count: 64)
        _ = try folder.manifest(modules: #""users": { "sha256": "\#(pin)" }"#)
        #expect(try failure { try swap(to: "users") as Any }.map(\.code) == [.untrusted])
    }

    @Test(
        "is neither made nor taken back over a history that eaves did not write",
        arguments: [
            "", "no JSON", "[]", #"{ "schema": 3, "changes": [] }"#, #"{ "changes": [] }"#,
            #"{ "schema": 2 }"#, #"{ "schema": 2, "changes": [ {} ] }"#,
            #"{ "schema": 2, "changes": [ { "manifest": "m", "service": "S", "from": null } ] }"#,
            #"{ "schema": 2, "changes": [ { "service": "S", "to": "t" } ] }"#,
            #"{ "schema": 2, "changes": [ { "manifest": "m", "removed": "a", "services": [1] } ] }"#,
        ])
    func damagedHistory(text: String) throws {
        try folder.write(text, to: ".eaves/history.json")
        #expect(
            try failure { try rollback() } == [
                Diagnostic(
                    "\(folder.file(".eaves/history.json")): expected the history that eaves wrote, "
                        + "found something else",
                    fix: "remove it; the manifest stays as it is", code: .badData)
            ])
        #expect(try failure { try swap(to: "users") as Any }.map(\.code) == [.badData])
        #expect(try folder.read(".eaves/history.json") == text)
    }
}
