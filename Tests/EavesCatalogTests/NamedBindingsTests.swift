// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesTestSupport
import Testing

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

    @Test("a name that another module registers goes where it is bound")
    func overridden() throws {
        #expect(try provider("old", #""UserService#old": "memory""#) == "memory")
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
