// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesHost

/// A source of users with an identity.
final class Source: UserService {
    let module: String
    let detail: String

    init(_ module: String, _ detail: String = "") {
        self.module = module
        self.detail = detail
    }

    func users() async throws -> [User] { [User(id: 1, name: module)] }
}

extension TemporaryFolder {
    /// Adds a module that registers one shared source of users, without a name.
    func addSource(_ id: String) throws {
        try addLoadable(.sample(id, provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self, scope: .shared) { _ in Source(id) }
        }
    }
}

/// The same feature with two sources at once, chosen in the manifest.
@Suite("A named binding to a module that registers the service without a name", .onOwnThreads)
struct NamedBindingTests {
    private let folder: TemporaryFolder
    private static let both =
        #""UserService": "memory", "UserService#v1": "memory", "UserService#v2": "second""#

    init() throws {
        folder = try TemporaryFolder()
        try folder.createFolder("Plugins")
        try folder.addSource("memory")
        try folder.addSource("second")
    }

    /// What the feature `both` has to show: two properties with two names.
    private struct Screen: Feature {
        @Injected(name: "v1") var first: any UserService
        @Injected(name: "v2") var second: any UserService

        func launch(_ launch: Launch) async throws -> ExitCode {
            for users in [first, second] {
                for user in try await users.users() { try launch.console.print(user.name) }
            }
            return .success
        }
    }

    @Test("one feature shows users of two sources in one run")
    func feature() async throws {
        try folder.addLoadable(.sample("both", requires: ["UserService"], features: ["both"])) {
            $0.registerFeature("both") { _ in Screen() }
        }
        let console = KeptConsole()
        let host = try folder.host(bindings: Self.both)
        let code = try await host.launch("both", console: console)
        #expect(code == .success)
        #expect(console.text == "memory\nsecond\n")
        // Only the manifest says which is which.
        let swapped = KeptConsole()
        let other = try folder.host(
            bindings:
                #""UserService": "memory", "UserService#v1": "second", "UserService#v2": "memory""#)
        _ = try await other.launch("both", console: swapped)
        #expect(swapped.text == "second\nmemory\n")
    }

    @Test("gives the instances of the module, and resolveAll gives them once")
    func instances() throws {
        let host = try folder.host(bindings: Self.both)
        let v1 = try host.resolve((any UserService).self, name: "v1") as? Source
        let unnamed = try host.resolve((any UserService).self) as? Source
        let v2 = try host.resolve((any UserService).self, name: "v2") as? Source
        #expect(v1 === unnamed)
        #expect(v1?.module == "memory" && v2?.module == "second")
        let all = try host.services.resolveAll((any UserService).self).compactMap { $0 as? Source }
        #expect(all.map(\.module) == ["memory", "second"])
        #expect(all.first === v1 && all.last === v2)
        #expect(try host.resolve((any UserService).self, name: "v2") as? Source === v2)
    }

    @Test("answers with runtime arguments, awaited, and on the main actor, with the same instances")
    @MainActor
    func kinds() async throws {
        try folder.addLoadable(
            .sample("kinds", provides: ["UserService", "EventHandler", "LoginFactory"])
        ) { registrar in
            registrar.register((any UserService).self) { (_: any Resolver, number: Int) in
                Source("kinds", "\(number)")
            }
            registrar.registerAsync((any EventHandler).self, scope: .shared) { _ in
                await Task.yield()
                return KeptEvents()
            }
            registrar.registerOnMainActor((any LoginFactory).self, scope: .shared) { _ in
                KeptLogins()
            }
        }
        let host = try folder.host(
            bindings: #"""
                "UserService": "memory", "UserService#x": "kinds", "EventHandler#x": "kinds",
                "LoginFactory#x": "kinds"
                """#)
        let users = try host.container.resolve((any UserService).self, name: "x", arguments: 7)
        #expect((users as? Source)?.detail == "7")
        let events = try await host.resolveAsync((any EventHandler).self, name: "x")
        let same = try await host.resolveAsync((any EventHandler).self)
        #expect(events as? KeptEvents === same as? KeptEvents && events is KeptEvents)
        let login = try host.container.resolveOnMainActor((any LoginFactory).self, name: "x")
        let again = try await host.resolveAsync((any LoginFactory).self)
        #expect(login as? KeptLogins === again as? KeptLogins && login is KeptLogins)
        host.services.reset(.shared)
    }

    @Test("leaves a name to the module that registers it, unless it is bound elsewhere")
    func registered() throws {
        try folder.addLoadable(
            .sample("named", provides: []).providing("UserService", named: "v1"))
        let unbound = try folder.host(bindings: #""UserService": "memory""#)
        let own = try unbound.resolve((any UserService).self, name: "v1") as? Users
        #expect(own?.module == "named")
        let bound = try folder.host(bindings: Self.both)
        let elsewhere = try bound.resolve((any UserService).self, name: "v1") as? Source
        #expect(elsewhere?.module == "memory")
        #expect(try bound.services.resolveAll((any UserService).self).count == 3)
        #expect(try bound.validate(loading: true).isEmpty)
    }

    @Test("gives way to what the program provides under the name")
    func provided() throws {
        let host = try folder.host(bindings: Self.both)
        host.provide((any UserService).self, name: "v1") { _ in Source("program") }
        let own = try host.resolve((any UserService).self, name: "v1") as? Source
        #expect(own?.module == "program")
        #expect((try host.resolve((any UserService).self) as? Source)?.module == "memory")
        let later = try folder.host(bindings: Self.both)
        _ = try later.resolve((any UserService).self, name: "v1")
        later.provide((any UserService).self, name: "v1") { _ in Source("program") }
        let replaced = try later.resolve((any UserService).self, name: "v1") as? Source
        #expect(replaced?.module == "program")
    }
}

private final class KeptEvents: EventHandler {
    func handle(_ event: Event) async throws {}
}

private final class KeptLogins: LoginFactory, FeatureFactory {
    func makeLogin(name: String?) throws -> any Feature { Answer(module: "kept") }
}
