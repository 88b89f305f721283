// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesTestSupport
import Testing

@testable import EavesGraph

@Suite("the declarations that a binary mentions")
struct BinaryMentionsTests {
    private func mentions(_ needs: [String], defines: [String] = []) throws -> BinaryMentions {
        var module = Application.Module.module("users", needs: needs)
        module.defines = defines
        let application = try Application([module])
        let entry = try #require(application.catalog.entry("users"))
        return try #require(BinaryMentions(of: entry))
    }

    private let service = "CommonInterface.UserService"

    @Test("tell whether it asks for a service, calls it, or only implements it")
    func roles() throws {
        let passes = try mentions([Symbol.descriptor("UserService")])
        #expect(passes.asks(for: service) && !passes.calls(service))
        let calls = try mentions([Symbol.thunk("UserService")])
        #expect(calls.asks(for: service) && calls.calls(service))
        let implements = try mentions([
            Symbol.descriptor("UserService"), Symbol.requirement("UserService"),
        ])
        #expect(!implements.asks(for: service) && implements.implements(service))
        #expect(implements.mentions(service) && implements.mentions("UserService"))
        #expect(!implements.mentions("CommonInterface.User"))
    }

    @Test("of an interface tell what the members of a type mention")
    func companions() throws {
        // HomeRoute.feature(from: HomeFactory) throws -> EavesInterface.Feature
        let member =
            "$s15CommonInterface9HomeRouteV7feature4from05EavesB07Feature_pAA0C7Factory_p_tKF"
        let found = try mentions([], defines: [member]).companions["CommonInterface.HomeRoute"]
        #expect(found?.contains("CommonInterface.HomeFactory") == true)
    }

    @Test("are not known of a module in another language, nor of one that is not there")
    func unknown() throws {
        var module = Application.Module.module("users")
        module.tag.compiler = nil
        let application = try Application([module])
        let entry = try #require(application.catalog.entry("users"))
        #expect(BinaryMentions(of: entry) == nil)
        let missing = CatalogEntry(id: "gone", path: "gone.so", file: "/nowhere/gone.so")
        #expect(BinaryMentions(of: missing) == nil)
    }

    @Test("are qualified names, and each of their beginnings")
    func names() {
        let text =
            "dispatch thunk of (extension in A):A.B.c(named: Swift.String) async throws -> [A.D]?"
        #expect(QualifiedNames.all(in: text) == ["A.B.c", "Swift.String", "A.D"])
        #expect(QualifiedNames.all(in: "a ... b. .c d.e.") == [])
        #expect(QualifiedNames.beginnings(of: "A.B.c") == ["A.B", "A.B.c"])
        #expect(QualifiedNames.declaration("A.B.c.d") == "A.B")
        #expect(QualifiedNames.declaration("A.B") == "A.B")
    }
}
