// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesModules

/// With the weights of these tests, `frank` is one of the tenth, and `alice` is not.
@Suite("Modules that share a binding, in a host", .onOwnThreads)
struct ModuleChoiceTests {
    private let folder: TemporaryFolder
    private static let canary =
        #""UserService": { "users-v2": 10, "users-memory": 90, "by": "user" }"#

    init() throws {
        folder = try TemporaryFolder()
        try folder.createFolder("Plugins")
        try folder.addSource("users-memory")
        try folder.addSource("users-v2")
    }

    private func host(
        _ bindings: String = canary, choosingBy values: [String: String] = [:],
        binding demands: [String: String] = [:]
    ) throws -> Host {
        let path = try folder.write(
            #"{ "manifest": 1, "bindings": { \#(bindings) } }"#, to: "manifest.json")
        var configuration = Host.Configuration()
        configuration.values = values
        configuration.bindings = demands
        return try Host(manifest: path, configuration)
    }

    private func users(_ services: ServiceContainer) throws -> Source? {
        try services.resolve((any UserService).self) as? Source
    }

    /// Adds a module that keeps the source of users that it got.
    private func addLogin() throws {
        try folder.addLoadable(
            .sample(
                "login", provides: ["LoginFactory"], requires: ["UserService"],
                features: ["login"])
        ) { registrar in
            registrar.register((any LoginFactory).self, scope: .shared) { resolver in
                KeptLogin(users: try resolver.resolve((any UserService).self))
            }
            registrar.registerFeature("login") { resolver in
                KeptLogin(users: try resolver.resolve((any UserService).self))
            }
        }
    }

    @Test("are chosen by a value for the whole host, or by the greatest weight")
    func wholeHost() throws {
        #expect(try users(host().services)?.module == "users-memory")
        let host = try host(choosingBy: ["user": "frank"])
        #expect(try users(host.services)?.module == "users-v2")
        #expect(host.observers.loaded == ["users-v2"])
        #expect(host.bindings.map(\.reason) == [.value])
        #expect(host.bindings.first?.shares.map(\.weight) == [10, 90])
        #expect(host.bindings(choosingBy: ["user": "alice"]).map(\.module) == ["users-memory"])
    }

    @Test("are chosen for each child, and give all of them the same instances")
    func children() throws {
        let host = try host()
        let services = host.services
        let frank = try users(services.child(choosingBy: ["user": "frank"]))
        let grace = try users(services.child(choosingBy: ["user": "grace"]))
        let alice = try users(services.child(choosingBy: ["user": "alice"]))
        #expect(frank?.module == "users-v2" && frank === grace)
        #expect(alice?.module == "users-memory")
        #expect(try alice === users(services))
        #expect(try alice === users(services.child(choosingBy: [:])))
        #expect(host.observers.loaded == ["users-v2", "users-memory"])
        let nested = services.child(choosingBy: ["user": "frank"]).child()
        #expect(try users(nested.child(choosingBy: ["tenant": "x"])) === frank)
        #expect(try users(nested.child(choosingBy: ["user": "alice"])) === alice)
        #expect(
            try services.child(choosingBy: ["user": "frank"])
                .resolveAll((any UserService).self).count == 2)
    }

    @Test("are followed when the host exchanges them, with their choice and everybody's instances")
    func exchanged() throws {
        try addLogin()
        let host = try host()
        let services = host.services
        let child = services.child(choosingBy: ["user": "frank"])
        #expect(try users(child)?.module == "users-v2")
        let login = try child.resolve((any LoginFactory).self) as? KeptLogin
        let next = StagedRegistrar(module: "users-v2", settings: Settings())
        next.register((any UserService).self, scope: .shared) { _ in Source("next") }
        let retired = try next.replace(in: host.container, where: { _ in false })
        #expect(try users(child)?.module == "next")
        #expect(try users(services.child(choosingBy: ["user": "grace"]))?.module == "next")
        #expect(try users(services)?.module == "users-memory")
        // An object that keeps the old one stays, and the old one is counted.
        #expect(try child.resolve((any LoginFactory).self) as? KeptLogin === login)
        #expect((login?.users as? Source)?.module == "users-v2")
        #expect(retired.living == 1)
        // The manifest's bindings are the same, so everything stays where it is.
        let catalog = host.modules.catalog
        host.container.rebind(where: { registration in
            let chosen = try? catalog.provider(of: Capability(registration.request))
            return chosen?.id == registration.module
        })
        #expect(try users(child)?.module == "next")
        #expect(try child.resolve((any LoginFactory).self) as? KeptLogin === login)
        // One that was taken back is chosen anew once it is back.
        host.container.unregister(module: "users-v2")
        let back = StagedRegistrar(module: "users-v2", settings: Settings())
        back.register((any UserService).self, scope: .shared) { _ in Source("back") }
        try back.commit(to: host.container, where: { _ in false })
        #expect(try users(child)?.module == "back")
    }

    @Test("reach the modules that depend on them, which all users of one choice share")
    func dependents() throws {
        try addLogin()
        let host = try host()
        let services = host.services
        func login(_ user: String) throws -> KeptLogin? {
            try services.child(choosingBy: ["user": user])
                .resolve((any LoginFactory).self) as? KeptLogin
        }
        let plain = try services.resolve((any LoginFactory).self) as? KeptLogin
        let (frank, grace, alice) = (try login("frank"), try login("grace"), try login("alice"))
        #expect((plain?.users as? Source)?.module == "users-memory")
        #expect((frank?.users as? Source)?.module == "users-v2")
        #expect(frank === grace && alice === plain && frank !== plain)
        let session = services.child()
        session.provide((any EventHandler).self) { _ in Events(module: "session") }
        let child = session.child(choosingBy: ["user": "frank"])
        let inSession = try child.resolve((any LoginFactory).self) as? KeptLogin
        #expect((inSession?.users as? Source)?.module == "users-v2")
        #expect(inSession !== frank)
    }

    @Test("reach a module that depends on them through another one")
    func dependentsOfDependents() throws {
        try addLogin()
        try folder.addLoadable(
            .sample("audit", provides: ["EventHandler"], requires: ["LoginFactory"])
        ) { registrar in
            registrar.register((any EventHandler).self, scope: .shared) { resolver in
                let login = try resolver.resolve((any LoginFactory).self) as? KeptLogin
                return Events(module: (login?.users as? Source)?.module ?? "none")
            }
        }
        let services = try host().services
        func seen(_ services: ServiceContainer) throws -> String? {
            (try services.resolve((any EventHandler).self) as? Events)?.module
        }
        #expect(try seen(services) == "users-memory")
        #expect(try seen(services.child(choosingBy: ["user": "frank"])) == "users-v2")
        #expect(try seen(services.child(choosingBy: ["user": "alice"])) == "users-memory")
    }

    @Test("reach a feature that is launched for a user, and the routes that it opens")
    func launch() async throws {
        try addLogin()
        try folder.addLoadable(.sample("start", features: ["start"])) { registrar in
            registrar.registerFeature("start") { resolver in
                Starter(routing: try resolver.resolve((any Routing).self))
            }
        }
        try folder.addLoadable(
            .sample("begin", requires: ["UserService"], features: ["begin"])
        ) { registrar in
            registrar.registerFeature("begin") { resolver in
                Starter(routing: try resolver.resolve((any Routing).self))
            }
        }
        let host = try host()
        func output(_ feature: String, _ user: String) async throws -> String {
            let console = KeptConsole()
            _ = try await host.launch(feature, choosingBy: ["user": user], console: console)
            return console.text
        }
        #expect(try await output("login", "frank") == "users-v2\n")
        #expect(try await output("login", "alice") == "users-memory\n")
        #expect(try await output("begin", "frank") == "users-v2\n")
        #expect(try await output("begin", "alice") == "users-memory\n")
    }

    @Test("are not borrowed from a parent that chose otherwise")
    func borrowing() throws {
        let services = try host().services
        #expect(try users(services)?.module == "users-memory")
        let frank = services.child(choosingBy: ["user": "frank"])
        let module = try frank.resolver.borrow((any UserService).self) { ($0 as? Source)?.module }
        #expect(module == "users-v2")
    }

    @Test("are decorated as often as in the host's container")
    func decorated() throws {
        let host = try host()
        host.services.provide { registrar in
            registrar.decorate((any UserService).self) { _, users in
                let source = users as? Source
                return Source(source?.module ?? "", "decorated \(source?.detail ?? "")")
            }
        }
        let frank = try users(host.services.child(choosingBy: ["user": "frank"]))
        #expect(frank?.module == "users-v2" && frank?.detail == "decorated ")
    }

    @Test("give way to what the program provides, wherever it does")
    func provided() throws {
        let host = try host()
        let session = host.services.child()
        session.provide((any UserService).self) { _ in Source("session") }
        #expect(try users(session.child(choosingBy: ["user": "frank"]))?.module == "session")
        host.provide((any UserService).self) { _ in Source("program") }
        #expect(
            try users(host.services.child(choosingBy: ["user": "frank"]))?.module == "program")
    }

    @Test("share a named binding, too")
    func named() throws {
        let services = try host(
            #""UserService": "users-memory", "UserService#new": { "users-v2": 1, "by": "user" }"#
        ).services
        for values in [[:], ["user": "frank"]] {
            let child = services.child(choosingBy: values)
            let named = try child.resolve((any UserService).self, name: "new") as? Source
            #expect(named?.module == "users-v2")
            #expect(try users(child)?.module == "users-memory")
        }
        let weighted = try host(
            #"""
            "UserService": "users-memory",
            "UserService#new": { "users-v2": 10, "users-memory": 90, "by": "user" }
            """#
        ).services
        // The name draws for itself: who is one of the tenth differs from the binding without it.
        let names = ["alice", "frank", "olivia"] + (0..<30).map { "user-\($0)" }
        let modules = try names.map { name -> String? in
            let child = weighted.child(choosingBy: ["user": name])
            return (try child.resolve((any UserService).self, name: "new") as? Source)?.module
        }
        let weights = Weights(
            [BindingShare("users-v2", 10), BindingShare("users-memory", 90)], by: "user")
        let key = BindingKey("UserService", name: "new")
        #expect(modules == names.map { weights.module(for: $0, of: key) })
        #expect(Set(modules).count == 2)
    }

    @Test("are chosen on many threads at once, each loaded once")
    func threads() async throws {
        try addLogin()
        let host = try host()
        let found = try await withThrowingTaskGroup(of: (String, String?).self) { group in
            for number in 0..<64 {
                group.addTask {
                    let user = number.isMultiple(of: 2) ? "frank" : "alice"
                    let child = host.services.child(choosingBy: ["user": user])
                    let login = try child.resolve((any LoginFactory).self) as? KeptLogin
                    return (user, (login?.users as? Source)?.module)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            found.allSatisfy { $1 == ($0 == "frank" ? "users-v2" : "users-memory") })
        #expect(host.observers.loaded.sorted() == ["login", "users-memory", "users-v2"])
    }

    @Test("are an error where the chosen one cannot be used, and not silently another one")
    func unusable() throws {
        let path = try folder.write(
            #"""
            { "manifest": 1, "modules": { "users-v2": { "enabled": false } },
              "bindings": { \#(Self.canary) } }
            """#, to: "manifest.json")
        let host = try Host(manifest: path)
        #expect(try users(host.services)?.module == "users-memory")
        let error = try #require(throws: ResolutionError.self) {
            try users(host.services.child(choosingBy: ["user": "frank"]))
        }
        #expect("\(error)".contains("users-v2"))
        #expect(
            try host.validate().map(\.message) == [
                "UserService is bound to 'users-v2', which is disabled"
            ])
        #expect(try host.mistakes(loading: false).map(\.kind) == ["binding"])
    }

    @Test("may not require each other in a circle, whichever of them is chosen")
    func circles() throws {
        try folder.addLoadable(
            .sample("users-round", provides: ["UserService"], requires: ["LoginFactory"]))
        try addLogin()
        let host = try host(
            #""UserService": { "users-memory": 99, "users-round": 1, "by": "user" }"#)
        #expect(
            try host.validate().map(\.message) == [
                "modules require each other in a circle: 'login' requires UserService of 'users-round', "
                    + "'users-round' requires LoginFactory of 'login'"
            ])
    }

    @Test("are drawn once in a process where there is no key")
    func chance() throws {
        let text = #""UserService": { "users-v2": 1, "users-memory": 1 }"#
        let first = try users(host(text).services)?.module
        #expect(try users(host(text).services)?.module == first)
        #expect(try host(text).bindings.map(\.reason) == [.chance])
        #expect(try host(text).bindings.map(\.module) == [first])
    }

    @Test("give way to the module that is demanded for a host, which writes nothing")
    func demanded() throws {
        let host = try host(
            choosingBy: ["user": "alice"],
            binding: ["UserService": "users-v2", "UserService#old": "users-memory"])
        #expect(try users(host.services)?.module == "users-v2")
        let old = try host.resolve((any UserService).self, name: "old") as? Source
        #expect(old?.module == "users-memory")
        #expect(host.bindings.map(\.reason) == [.demanded, .demanded])
        #expect(try folder.read("manifest.json").contains("90"))
    }

    @Test(
        "are demanded by names that exist, and provide the service",
        arguments: [
            (
                ["UserServise": "users-v2"],
                "no module provides a service 'UserServise', did you mean 'UserService'?"
            ),
            (["UserService": "user-v2"], "there is no module 'user-v2', did you mean 'users-v2'?"),
            (["UserService#a": "login"], "module 'login' does not provide UserService"),
        ])
    func wrongDemand(demands: [String: String], message: String) throws {
        try addLogin()
        let error = try #require(throws: HostError.self) { try host(binding: demands) }
        #expect(error.problems.map(\.message) == [message])
        #expect(error.exitCode == ExitCode(66))
    }
}

/// Keeps the source of users that it got, and prints its module.
private final class KeptLogin: LoginFactory, FeatureFactory, Feature {
    let users: any UserService

    init(users: any UserService) {
        self.users = users
    }

    func makeLogin(name: String?) throws -> any Feature { self }

    func launch(_ launch: Launch) async throws -> ExitCode {
        for user in try await users.users() { try launch.console.print(user.name) }
        return .success
    }
}

/// Opens the login.
private struct Starter: Feature {
    let routing: any Routing

    func launch(_ launch: Launch) async throws -> ExitCode {
        try await routing.open(LoginRoute(), launch)
    }
}
