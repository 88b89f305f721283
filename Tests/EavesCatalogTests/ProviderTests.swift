// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesTestSupport
import Glibc
import Testing

@Suite("Who provides a service")
struct ProviderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func catalog(bindings: String = "", modules: String = "") throws -> Catalog {
        try folder.catalog(
            #"{ "manifest": 1, "bindings": { \#(bindings) }, "modules": { \#(modules) } }"#,
            hostServices: ["Routing"])
    }

    /// The id of the provider, or what keeps the catalog from choosing one.
    private func provider(
        _ service: String = "UserService", name: String? = nil, bindings: String = "",
        modules: String = ""
    ) throws -> String {
        let catalog = try catalog(bindings: bindings, modules: modules)
        do throws(ProviderError) {
            return try catalog.provider(of: .service(service, name: name))?.id ?? "the host"
        } catch {
            switch error {
            case .missing(let capability, let unusable, _, _, _):
                return (["missing \(capability)"] + unusable.map(\.id)).joined(separator: " ")
            case .ambiguous(let capability, let modules, _):
                return (["ambiguous \(capability)"] + modules).joined(separator: " ")
            case .unusableBinding(let service, let module, let entry, _):
                return "binding \(service) \(module) \(entry?.state.rawValue ?? "nowhere")"
            }
        }
    }

    private func messages(
        _ service: String = "UserService", name: String? = nil, bindings: String = "",
        modules: String = ""
    ) throws -> [Diagnostic] {
        let catalog = try catalog(bindings: bindings, modules: modules)
        let error = #expect(throws: ProviderError.self) {
            try catalog.provider(of: .service(service, name: name), neededBy: ["a", "b"])
        }
        return try #require(error).diagnostics
    }

    private func addUsers(_ ids: String...) throws {
        for id in ids { try folder.add(.sample(id, provides: ["UserService"])) }
    }

    private func addArchives(_ ids: String...) throws {
        for id in ids { try folder.add(.sample(id).providing("UserService", named: "archive")) }
    }

    @Test("is the host itself for its own services, whatever modules say")
    func host() throws {
        #expect(try provider("Routing") == "the host")
        try folder.add(.sample("routing", provides: ["Routing"]))
        #expect(try provider("Routing") == "the host")
        #expect(try provider("Routing", bindings: #""Routing": "routing""#) == "the host")
        #expect(try catalog().providers(ofAll: "Routing").isEmpty)
    }

    @Test("is the only module that declares it under that name")
    func only() throws {
        try addUsers("users")
        try addArchives("archive")
        #expect(try provider() == "users")
        #expect(try provider(name: "archive") == "archive")
        #expect(try provider(name: "other") == "missing UserService named 'other'")
        #expect(try catalog().providers(ofAll: "UserService").map(\.id) == ["archive", "users"])
    }

    @Test("is nobody where several could be, and the manifest does not choose")
    func ambiguous() throws {
        try addUsers("users", "users-v2")
        #expect(try provider() == "ambiguous UserService users users-v2")
        #expect(
            try messages() == [
                Diagnostic(
                    "UserService is provided by users and users-v2, and the manifest binds it to "
                        + "none (needed by b, needed by a)",
                    fix: "choose one: 'eaves swap UserService users' "
                        + "or 'eaves swap UserService users-v2'",
                    code: .configuration)
            ])
    }

    @Test("is nobody where a great many could be, and the message stays short")
    func manyProviders() throws {
        for number in 10..<60 { try addUsers("users-\(number)") }
        #expect(
            try messages() == [
                Diagnostic(
                    "UserService is provided by users-10 and users-11 and users-12 and users-13 and "
                        + "users-14 and 45 more, and the manifest binds it to none "
                        + "(needed by b, needed by a)",
                    fix: "choose one: 'eaves swap UserService users-10' "
                        + "or 'eaves swap UserService users-11' "
                        + "or 'eaves swap UserService users-12' or one of 47 others",
                    code: .configuration)
            ])
        for number in 10..<60 {
            try folder.write("no module", to: "Plugins/users-\(number).so")
        }
        let obstacles = try messages("UserServise").dropFirst().map(\.message)
        #expect(obstacles.count == 6)
        #expect(obstacles.last == "45 more problems keep modules from being read")
    }

    @Test("is the one that the manifest binds it to")
    func bound() throws {
        try addUsers("users", "users-v2")
        #expect(try provider(bindings: #""UserService": "users-v2""#) == "users-v2")
        #expect(try provider(bindings: #""EventHandler": "users""#).hasPrefix("ambiguous"))
    }

    @Test("is never another one than the manifest binds it to")
    func boundElsewhere() throws {
        try addUsers("users")
        try folder.add(.sample("login"))
        #expect(
            try provider(bindings: #""UserService": "ghost""#)
                == "binding UserService ghost nowhere")
        #expect(
            try messages(bindings: #""UserService": "ghost""#).map(\.fix) == [
                "add the module, or bind another: 'eaves swap UserService MODULE'"
            ])
        #expect(
            try provider(bindings: #""UserService": "login""#) == "binding UserService login ready")
        let off = #""login": { "enabled": false }"#
        #expect(
            try provider(bindings: #""UserService": "login""#, modules: off)
                == "binding UserService login disabled")
    }

    @Test("under a name is the only one, though the binding is about another module")
    func namedBesideBinding() throws {
        try addUsers("users", "users-v2")
        try addArchives("archive")
        #expect(
            try provider(name: "archive", bindings: #""UserService": "users""#) == "archive")
    }

    @Test("under a name is the bound one of two that have the name")
    func namedAndBound() throws {
        try addArchives("archive", "archive-v2")
        #expect(
            try provider(name: "archive", bindings: #""UserService": "archive-v2""#)
                == "archive-v2")
        #expect(
            try provider(name: "archive")
                == "ambiguous UserService named 'archive' archive archive-v2")
    }

    @Test("under a name is none of two, if the binding is about a third module")
    func namedAndBoundElsewhere() throws {
        try addUsers("users")
        try addArchives("archive", "archive-v2")
        #expect(
            try provider(name: "archive", bindings: #""UserService": "users""#)
                == "binding UserService users ready")
        #expect(
            try messages(name: "archive", bindings: #""UserService": "users""#) == [
                Diagnostic(
                    "UserService is bound to 'users', which does not provide it "
                        + "(needed by b, needed by a)",
                    fix: "bind another: 'eaves swap UserService MODULE'", code: .noProvider)
            ])
    }

    @Test("is no module that is off")
    func disabled() throws {
        try addUsers("users")
        let off = #""users": { "enabled": false }"#
        #expect(try provider(modules: off) == "missing UserService users")
        #expect(
            try messages(modules: off) == [
                Diagnostic(
                    "UserService is provided by 'users', which is disabled "
                        + "(needed by b, needed by a)",
                    fix: "'eaves enable users'", code: .noProvider)
            ])
        #expect(
            try messages(bindings: #""UserService": "users""#, modules: off) == [
                Diagnostic(
                    "UserService is bound to 'users', which is disabled "
                        + "(needed by b, needed by a)",
                    fix: "'eaves enable users', or bind another: 'eaves swap UserService MODULE'",
                    code: .noProvider)
            ])
        try addUsers("users-v2")
        #expect(try provider(modules: off) == "users-v2")
        #expect(try catalog(modules: off).providers(ofAll: "UserService").map(\.id) == ["users-v2"])
    }

    @Test("is no module that another user can change, and its problem is told")
    func untrusted() throws {
        try addUsers("users", "users-v2")
        try #require(chmod(folder.file("Plugins/users.so"), 0o666) == 0)
        #expect(try provider() == "users-v2")
        #expect(try catalog().providers(ofAll: "UserService").map(\.id) == ["users-v2"])
        let bound = try messages(bindings: #""UserService": "users""#)
        #expect(bound.count == 1)
        #expect(bound.first?.message.contains("users") == true)
        #expect(bound.first?.message.contains("is bound to") == false)
    }

    @Test("is no module for another host, and its problem is told in place of a riddle")
    func incompatible() throws {
        try folder.add(.sample(provides: ["UserService"]), tag: BuildTag(abi: 9))
        #expect(try provider() == "missing UserService users")
        #expect(try messages().map(\.code) == [.incompatible])
    }

    @Test("is nobody, and the message tells what is meant, and what may hide it")
    func missing() throws {
        try addUsers("users")
        try folder.write("no module", to: "Plugins/broken.so")
        let found = try messages("UserServise")
        #expect(
            found.first
                == Diagnostic(
                    "no module provides UserServise, did you mean 'UserService'? "
                        + "(needed by b, needed by a)",
                    fix: "add a module that provides it, and see 'eaves list'", code: .noProvider))
        #expect(found.dropFirst().map(\.message).count == 1)
        #expect(found.last?.message.hasPrefix("broken: ") == true)
        let off = #""broken": { "enabled": false }"#
        #expect(try messages("UserServise", modules: off).count == 1)
    }

    @Test("a feature of two modules has one of them too many")
    func features() throws {
        try folder.add(.sample("a", features: ["both"]))
        try folder.add(.sample("b", features: ["both"]))
        let catalog = try catalog()
        let error = #expect(throws: ProviderError.self) {
            try catalog.provider(of: .feature("both"), neededBy: [])
        }
        #expect(
            error?.diagnostics == [
                Diagnostic(
                    "feature 'both' is offered by a and b",
                    fix: "keep one: 'eaves disable b'", code: .configuration)
            ])
        let other = try self.catalog(modules: #""a": { "enabled": false }"#)
        #expect(try other.provider(of: .feature("both"))?.id == "b")
    }

    @Test("is answered from what the catalog looked at, until it looks again")
    func refresh() throws {
        try addUsers("users")
        let catalog = try catalog()
        let wanted = Capability.service("UserService", name: nil)
        #expect(try catalog.provider(of: wanted)?.id == "users")
        try addUsers("users-v2")
        #expect(try catalog.provider(of: wanted)?.id == "users")
        catalog.refresh()
        #expect(throws: ProviderError.self) { try catalog.provider(of: wanted) }
        #expect(catalog.entries.map(\.id) == ["users", "users-v2"])
    }
}
