// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesLife
import EavesLoader
import EavesRegistry
import EavesRules
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesModules

@Suite("Errors that name a module", .onOwnThreads)
struct ModuleErrorTests {
    private let entry = CatalogEntry(
        id: "users", path: "Plugins/users.so", file: "/project/Plugins/users.so")

    @Test("keep the words of what the module could not do, with its id and file")
    func words() {
        let cases: [(any Error, Diagnostic)] = [
            (
                Diagnostic("cannot copy it", fix: "make room", code: .cannotCreate),
                Diagnostic(
                    "users: cannot copy it (Plugins/users.so)", fix: "make room",
                    code: .cannotCreate)
            ),
            (
                PlainError(),
                Diagnostic("users: it broke (Plugins/users.so)", code: .badData)
            ),
            (
                LoadError.noEntryPoint,
                LoadError.noEntryPoint.diagnostic(of: "users").naming("users", "Plugins/users.so")
            ),
        ]
        for (reason, expected) in cases {
            let error = ModuleError(entry, reason)
            #expect(error.diagnostics == [expected])
            #expect(error.description == expected.description)
            #expect(error.id == "users" && error.path == "Plugins/users.so")
        }
    }

    @Test("take the catalog's words for a file that it could not read")
    func damaged() {
        var damaged = entry
        damaged.problem = .binary(.empty)
        #expect(ModuleError(entry, ELFError.empty).diagnostics == damaged.diagnostics)
        let missing = SystemError(.open, entry.file, .noSuchFile)
        damaged.problem = .binary(.unreadable(missing))
        #expect(ModuleError(entry, missing).diagnostics == damaged.diagnostics)
    }

    @Test("keep the system's words for another file")
    func otherFile() {
        let error = SystemError(.create, "/project/.eaves/modules/users", .brokenPipe)
        #expect(
            ModuleError(entry, error).diagnostics
                == error.diagnostics.map { $0.naming("users", "Plugins/users.so") })
    }

    @Test("put each message on a line of its own")
    func lines() {
        let mismatch = RegistrationMismatchError(
            undeclared: ["A"], unregistered: [], foreign: ["B.C"], reserved: [])
        let error = ModuleError(entry, mismatch)
        #expect(error.diagnostics.count == 2)
        #expect(error.description == error.diagnostics.map(\.description).joined(separator: "\n"))
    }
}

@Suite("Errors of features", .onOwnThreads)
struct FeatureErrorTests {
    private let module = CatalogEntry(id: "login", path: "Plugins/login.so", file: "/login.so")

    private func made(_ error: any Error) -> FeatureError? {
        FeatureError("login", of: module, error)
    }

    private func resolution(
        _ reason: ResolutionError.Reason, of service: Any.Type, name: String? = nil
    ) -> ResolutionError {
        ResolutionError(reason, wanted: ServiceRequest(service, name: name))
    }

    @Test("name the feature, its module and its file")
    func words() {
        let error = made(PlainError())
        #expect(error?.reason is PlainError)
        #expect(
            error?.diagnostics == [
                Diagnostic(
                    "login: feature 'login' failed: it broke (Plugins/login.so)", code: .crashed)
            ])
    }

    @Test("are not made of errors that say everything themselves")
    func leftAlone() {
        #expect(made(ConsoleError("cannot write")) == nil)
        #expect(made(UsageError("option needs a value")) == nil)
        #expect(made(Diagnostic("no such file", code: .notFound)) == nil)
        #expect(made(resolution(.notRegistered, of: (any UserService).self)) == nil)
        #expect(made(resolution(.cycle, of: (any UserService).self)) == nil)
        #expect(made(resolution(.moduleFailed(PlainError()), of: (any Users2).self)) == nil)
        for reason: any Error in [ConsoleError("closed"), UsageError("needs a value")] {
            #expect(made(resolution(.factoryFailed(reason), of: (any UserService).self)) == nil)
        }
    }

    private protocol Users2: Sendable {}

    @Test("are made of the error with which the feature's own factory failed")
    func ownFactory() {
        let error = made(
            resolution(.factoryFailed(PlainError()), of: (any Feature).self, name: "login"))
        #expect(error?.reason is PlainError)
    }

    @Test("name the service whose factory failed, or the other feature")
    func otherFactory() {
        let service = made(resolution(.factoryFailed(PlainError()), of: (any UserService).self))
        #expect(service?.reason is ResolutionError)
        #expect(
            service?.diagnostics.first?.message
                == "login: feature 'login' failed: cannot create UserService: it broke "
                + "(Plugins/login.so)")
        let feature = made(
            resolution(.factoryFailed(PlainError()), of: (any Feature).self, name: "home"))
        #expect(feature?.reason is ResolutionError)
    }
}
