// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
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

@Suite("Bindings of named services, and of modules that share one")
struct NamedBindingsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.add(.sample("memory", provides: ["UserService"]))
        try folder.add(.sample("second", provides: ["UserService"]))
        try folder.add(
            .sample("archive", provides: ["UserService"]).providing("UserService", named: "old"))
        try folder.add(.sample("login"))
    }

    private func catalog(_ bindings: String) throws -> Catalog {
        try folder.catalog(#"{ "manifest": 1, "bindings": { \#(bindings) } }"#)
    }

    private func provider(_ name: String?, _ bindings: String) throws -> String {
        let catalog = try catalog(bindings)
        do throws(ProviderError) {
            return try catalog.provider(of: .service("UserService", name: name))?.id ?? "the host"
        } catch {
            return error.diagnostics.first?.message ?? ""
        }
    }

    @Test("a name goes to the module that it is bound to, which need not know the name")
    func unnamed() throws {
        let bindings =
            #""UserService": "archive", "UserService#v1": "memory", "UserService#v2": "second""#
        #expect(try provider(nil, bindings) == "archive")
        #expect(try provider("v1", bindings) == "memory")
        #expect(try provider("v2", bindings) == "second")
        #expect(try provider("old", bindings) == "archive")
    }

    @Test("a name that nothing has is an error about the name, with those that there are")
    func unknown() throws {
        let catalog = try catalog(#""UserService": "archive", "UserService#v1": "memory""#)
        let error = #expect(throws: ProviderError.self) {
            try catalog.provider(of: .service("UserService", name: "v3"))
        }
        let fix = "choose one of the names old, v1, or add a module that provides it"
        #expect(
            error?.diagnostics == [
                Diagnostic(
                    "no module provides UserService named 'v3', did you mean 'v1'?", fix: fix,
                    code: .notFound)
            ])
        #expect(
            error?.reworded("no source is called 'v3'").diagnostics == [
                Diagnostic(
                    "no source is called 'v3', did you mean 'v1'?", fix: fix, code: .notFound)
            ])
    }

    @Test("a name that is bound to a module without the service is an error that shows the binding")
    func unusable() throws {
        #expect(
            try provider("v1", #""UserService#v1": "login""#)
                == "UserService#v1 is bound to 'login', which does not provide it")
        #expect(
            try provider("v1", #""UserService#v1": "ghost""#)
                == "UserService#v1 is bound to 'ghost', which is not there")
    }

    @Test("each module among weights has to be there and to provide the service")
    func references() throws {
        let messages = try catalog(
            #""UserService": { "memory": 1, "secnd": 1, "login": 0 }, "UserService#v1": "login""#
        ).diagnostics
        let place = "bindings.UserService"
        #expect(messages.count == 3)
        #expect(
            messages[0].message.hasSuffix(
                "\(place): there is no module 'secnd', did you mean 'second'?"))
        #expect(
            messages[1].message.hasSuffix(
                "\(place): 'login' does not provide UserService, these modules do: archive, memory, second"
            ))
        #expect(
            messages[1].fix
                == "give its weight to archive or memory or second, or remove it from the binding")
        #expect(
            messages[2].message.hasSuffix(
                "\(place)#v1: 'login' does not provide UserService, these modules do: archive, memory, "
                    + "second"))
        #expect(messages[2].fix == "run 'eaves swap \"UserService#v1\" archive'")
    }

    @Test("the module with the greatest weight provides the service where nothing else decides")
    func weights() throws {
        #expect(
            try provider(nil, #""UserService": { "memory": 1, "second": 2, "by": "user" }"#)
                == "second")
    }
}
