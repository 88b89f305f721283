// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDiagnostics
import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("Services that modules may lack", .onOwnThreads)
struct OptionalServiceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("are nil if no module provides them, or only modules that are switched off")
    func absent() throws {
        try folder.addLoadable(.sample("users", provides: ["UserService"]))
        try folder.addLoadable(.sample("events", provides: ["EventHandler"]))
        let host = try folder.host(modules: #""events": { "enabled": false }"#)
        #expect(try host.container.resolveIfProvided((any LoginFactory).self) == nil)
        #expect(try host.container.resolveIfProvided((any EventHandler).self) == nil)
        #expect(try host.container.resolveIfProvided((any UserService).self, name: "x") == nil)
        #expect(try host.container.resolveIfProvided((any UserService).self) is Users)
    }

    @Test("are nil in a factory, too, next to a file that is no module")
    func inFactory() throws {
        try folder.write("no module", to: "Plugins/broken.so")
        try folder.addLoadable(.sample("users", provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self) { resolver throws in
                #expect(try resolver.resolveIfProvided((any EventHandler).self) == nil)
                return Users(module: "users")
            }
        }
        let host = try folder.host()
        #expect(try host.container.resolve((any UserService).self) is Users)
    }

    @Test("are an error if the module that provides them cannot be loaded, or none can be chosen")
    func errors() throws {
        try folder.addLoadable(.sample("users", provides: ["UserService"])) { _ in
            throw PlainError()
        }
        try folder.addLoadable(.sample("one", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("two", provides: ["EventHandler"]))
        let host = try folder.host()
        #expect(throws: ResolutionError.self) {
            try host.container.resolveIfProvided((any UserService).self)
        }
        #expect(throws: ResolutionError.self) {
            try host.container.resolveIfProvided((any EventHandler).self)
        }
    }

    @Test("are told in words, whoever prints the error")
    func words() throws {
        try folder.addLoadable(.sample("one", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("two", provides: ["EventHandler"]))
        try folder.addLoadable(.sample("users", provides: ["UserService"]))
        let host = try folder.host(modules: #""users": { "enabled": false }"#)
        func text<Service: Sendable>(_ service: Service.Type) throws -> String {
            let provider = host.container.provider(service)
            return "\(try #require(throws: ResolutionError.self) { try provider.get() })"
        }
        #expect(
            try text((any EventHandler).self) == """
                cannot load the provider of EventHandler: EventHandler is provided by one and two, and \
                the manifest binds it to none
                fix: choose one: 'eaves swap EventHandler one' or 'eaves swap EventHandler two'
                """)
        #expect(
            try text((any UserService).self) == """
                no provider for UserService
                  UserService is provided by 'users', which is disabled
                  fix: 'eaves enable users'
                """)
        #expect(
            try text((any LoginFactory).self) == """
                no provider for LoginFactory
                  no module provides LoginFactory
                  fix: add a module that provides it, and see 'eaves list'
                """)
    }
}
