// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesModules

@Suite("What a module registers, compared with what it declares", .onOwnThreads)
struct RegistrationCheckTests {
    private static let interfaces = ["EavesInterface", "CommonInterface"]

    private func mismatch(
        _ declaration: ModuleDeclaration, _ register: (StagedRegistrar) throws -> Void
    ) throws -> RegistrationMismatchError? {
        let registrar = StagedRegistrar(module: declaration.id, settings: Settings())
        try register(registrar)
        do throws(RegistrationMismatchError) {
            try RegistrationCheck.run(
                registrar.registrations, against: declaration.namingCommon())
            return nil
        } catch {
            return error
        }
    }

    @Test("is right if it is the same, with names, and whatever the order")
    func same() throws {
        let declaration = ModuleDeclaration.sample(
            provides: ["UserService", "EventHandler"], features: ["users"]
        ).providing("UserService", named: "archive")
        let found = try mismatch(declaration) { registrar in
            registrar.registerFeature("users") { _ in Answer(module: "users") }
            registrar.register((any UserService).self, name: "archive") { _ in
                Users(module: "users")
            }
            registrar.register((any EventHandler).self) { _ in Events(module: "users") }
            registrar.register((any UserService).self) { _ in Users(module: "users") }
        }
        #expect(found == nil)
    }

    @Test("counts a service once that is registered with several kinds of arguments")
    func overloads() throws {
        let found = try mismatch(.sample(provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self) { _ in Users(module: "users") }
            registrar.register((any UserService).self) { (_, name: String) in Users(module: name) }
        }
        #expect(found == nil)
    }

    @Test("is wrong if something is not declared, sorted")
    func undeclared() throws {
        let found = try mismatch(.sample()) { registrar in
            registrar.registerFeature("users") { _ in Answer(module: "users") }
            registrar.register((any UserService).self) { _ in Users(module: "users") }
            registrar.register((any EventHandler).self, name: "n") { _ in Events(module: "users") }
        }
        #expect(
            found
                == RegistrationMismatchError(
                    undeclared: ["EventHandler named 'n'", "UserService", "feature 'users'"],
                    unregistered: [], foreign: [], reserved: [], interfaces: Self.interfaces))
        #expect(
            found?.diagnostics == [
                Diagnostic(
                    "registers what it does not declare: "
                        + "EventHandler named 'n', UserService, feature 'users'",
                    fix: "make module.json and what the module registers agree, and rebuild it",
                    code: .badData)
            ])
    }

    @Test("is wrong if something declared is missing, sorted")
    func unregistered() throws {
        let declaration = ModuleDeclaration.sample(
            provides: ["UserService", "EventHandler"], features: ["users"])
        let found = try mismatch(declaration) { _ in }
        #expect(found?.unregistered == ["EventHandler", "UserService", "feature 'users'"])
        #expect(
            found?.diagnostics.map(\.message) == [
                "declares what it does not register: EventHandler, UserService, feature 'users'"
            ])
    }

    @Test("is wrong if the name is another one, and both are told in one message")
    func otherName() throws {
        let found = try mismatch(.sample(provides: ["UserService"])) { registrar in
            registrar.register((any UserService).self, name: "archive") { _ in
                Users(module: "users")
            }
        }
        #expect(
            found?.diagnostics.map(\.message) == [
                "registers what it does not declare: UserService named 'archive'; "
                    + "declares what it does not register: UserService"
            ])
    }

    private protocol Private: Sendable {}
    private struct Implementation: Private {}

    @Test("is wrong if the type is no protocol of the interface, declared or not")
    func foreign() throws {
        let name = ServiceRequest((any Private).self).service
        let found = try mismatch(.sample(provides: [name])) { registrar in
            registrar.register((any Private).self) { _ in Implementation() }
        }
        let qualified = ServiceRequest((any Private).self).qualifiedService
        #expect(found?.undeclared == [] && found?.unregistered == [])
        #expect(found?.foreign == [qualified])
        #expect(qualified.hasPrefix("EavesHostTests."))
        #expect(
            found?.diagnostics == [
                Diagnostic(
                    "registers \(qualified): expected a protocol of EavesInterface or "
                        + "CommonInterface, which others can ask for",
                    fix: "register it as a protocol of the interface, or of one that module.json "
                        + "names in 'interfaces'", code: .badData)
            ])
    }

    @Test("is wrong if the host itself provides it")
    func reserved() throws {
        let found = try mismatch(.sample(provides: ["Routing"])) { registrar in
            registrar.register((any Routing).self) { Router(resolver: $0) }
        }
        #expect(
            found
                == RegistrationMismatchError(
                    undeclared: [], unregistered: [], foreign: [], reserved: ["Routing"],
                    interfaces: Self.interfaces))
        #expect(
            found?.diagnostics == [
                Diagnostic(
                    "registers Routing, which the host itself provides",
                    fix: "leave it to the host, and ask for it where it is needed", code: .badData)
            ])
    }

    @Test("tells all differences together")
    func everything() throws {
        let found = try mismatch(.sample(provides: ["Routing", "EventHandler"])) { registrar in
            registrar.register((any Private).self) { _ in Implementation() }
            registrar.register((any Routing).self) { Router(resolver: $0) }
        }
        #expect(found?.undeclared == [ServiceRequest((any Private).self).service])
        #expect(found?.unregistered == ["EventHandler"])
        #expect(found?.foreign.count == 1 && found?.reserved == ["Routing"])
        #expect(found?.diagnostics.count == 3)
    }
}
