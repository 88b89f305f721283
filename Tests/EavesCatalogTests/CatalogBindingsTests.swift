// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesJSON
import EavesSystem
import EavesTestSupport
import Testing

@Suite("Bindings of the manifest")
struct CatalogBindingsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.add(.sample("users-v1", provides: ["UserService"]))
        try folder.add(.sample("users-v2", provides: ["UserService"]))
        try folder.add(.sample("login", provides: ["LoginFactory"], requires: ["Routing"]))
    }

    private func diagnostics(_ bindings: String) throws -> [Diagnostic] {
        try folder.catalog("{ \"manifest\": 1,\n  \"bindings\": { \(bindings) } }").diagnostics
    }

    private var place: String { Path.join(folder.path, "manifest.json") }

    @Test("that hold are not spoken of")
    func good() throws {
        #expect(try diagnostics(#""UserService": "users-v2", "LoginFactory": "login""#).isEmpty)
    }

    @Test("to a module that is nowhere are told, with what may be meant")
    func unknownModule() throws {
        #expect(
            try diagnostics(#""UserService": "users-v3""#) == [
                Diagnostic(
                    "\(place):2:17: bindings.UserService: there is no module 'users-v3', "
                        + "did you mean 'users-v1' or 'users-v2'?",
                    fix: "bind it to one that 'eaves list' shows, "
                        + "or put the module into a directory",
                    code: .notFound)
            ])
    }

    @Test("of one service under two names are told, with the place of the one that decides")
    func repeated() throws {
        try folder.add(.sample("clock", provides: ["API.Clock"]))
        try folder.add(.sample("other", provides: ["OtherAPI.Clock"]))
        #expect(
            try diagnostics(#""API.Clock": "clock", "Clock": "clock""#) == [
                Diagnostic(
                    "\(place):2:39: bindings.Clock: Clock is bound twice, and this binding has no effect: "
                        + "\(place):2:17: bindings.API.Clock goes before it",
                    fix: "remove one of the two", code: .configuration)
            ])
        #expect(try diagnostics(#""API.Clock": "clock", "Clock": "other""#).isEmpty)
        #expect(try diagnostics(#""API.Clock": "clock", "OtherAPI.Clock": "other""#).isEmpty)
    }

    @Test("to a module that does not provide it are told, with those that do")
    func notProvided() throws {
        let found = try diagnostics(#""UserService": "login", "Routing": "login""#)
        #expect(
            found.map(\.message) == [
                "\(place):2:17: bindings.UserService: 'login' does not provide UserService, "
                    + "these modules do: users-v1, users-v2",
                "\(place):2:41: bindings.Routing: 'login' does not provide Routing, "
                    + "and neither does any other module",
            ])
        #expect(found.first?.fix == "run 'eaves swap UserService users-v1'")
    }

    @Test("of a service that nobody knows are told, with what may be meant")
    func unknownService() throws {
        #expect(
            try diagnostics(#""UserServise": "users-v2""#).map(\.message) == [
                "\(place):2:17: bindings.UserServise: no module provides UserServise "
                    + "or requires it, did you mean 'UserService'?"
            ])
    }

    @Test("to a module that cannot be read are left to what is wrong with the module")
    func unreadable() throws {
        try folder.write("text", to: "Plugins/broken.so")
        #expect(try diagnostics(#""UserService": "broken""#).isEmpty)
    }
}
