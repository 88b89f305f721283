// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("The validation of a manifest and its modules", .onOwnThreads)
struct ValidationTests {
    private let folder: TemporaryFolder
    private let log = EventLog()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Kind and first message of each problem.
    private func problems(_ text: String? = nil, loading: Bool = false) throws -> [String] {
        let manifest = try text.map(folder.manifest) ?? folder.manifest()
        let host = try Host(manifest: manifest) { [log] in log.add($0) }
        return try host.findProblems(loading: loading).map {
            "\($0.kind): \($0.diagnostics.first?.message ?? "")"
        }
    }

    @Test("finds nothing where everything fits, and runs nothing")
    func fine() throws {
        try folder.addLoadable(
            .sample("login", requires: ["UserService", "Routing"], features: ["login"]))
        try folder.addLoadable(.sample(provides: ["UserService"]))
        #expect(try problems() == [])
        #expect(log.lines.isEmpty)
        #expect(try problems(loading: true) == [])
        #expect(log.loaded == ["login", "users"])
    }

    @Test(
        "tells of two modules that a process cannot have together if a launch may want both",
        arguments: [false, true])
    func alternatives(areBothChosen: Bool) throws {
        let source = Binaries.unique("both")
        try folder.addLoadable(.sample(provides: ["UserService"]), source: source)
        let features = areBothChosen ? ["x"] : []
        try folder.addLoadable(
            .sample("others", provides: ["UserService"], features: features), source: source)
        let text = #"{ "manifest": 1, "bindings": { "UserService": "users" } }"#
        let found = try problems(text, loading: true)
        #expect(found.map { $0.hasPrefix("load: ") } == (areBothChosen ? [true] : []), "\(found)")
    }

    @Test("goes from the manifest to modules, features, services and circles")
    func order() throws {
        try folder.add(.sample("a", provides: ["A"], requires: ["B", "Nothing"], features: ["x"]))
        try folder.add(.sample("b", provides: ["B"], requires: ["A"], features: ["x"]))
        try folder.add(.sample("c1", provides: ["C"]))
        try folder.add(.sample("c2", provides: ["C"]))
        try folder.add(.sample("d", provides: ["D"]))
        try folder.write("no module", to: "Plugins/broken.so")
        try folder.write("no module", to: "Plugins/off.so")
        let found = try problems(
            """
            { "manifest": 1, "directories": ["Plugins", "nowhere"], "launch": "z",
              "modules": { "off": { "enabled": false } }, "bindings": { "D": "a" } }
            """)
        #expect(
            found.map { String($0.prefix { $0 != ":" }) } == [
                "manifest", "manifest", "module", "ambiguous", "missing", "missing", "ambiguous",
                "binding", "cycle",
            ])
        #expect(
            found[3...].map { $0 } == [
                "ambiguous: feature 'x' is offered by a and b",
                "missing: no module offers a feature 'z', did you mean 'x'?",
                "missing: no module provides Nothing (needed by a)",
                "ambiguous: C is provided by c1 and c2, and the manifest binds it to none",
                "binding: D is bound to 'a', which does not provide it",
                "cycle: modules require each other in a circle: 'a' requires B of 'b', "
                    + "'b' requires A of 'a'",
            ])
    }

    @Test("tells a service that is required and ambiguous once for each that requires it")
    func required() throws {
        try folder.add(.sample("a", requires: ["C"]))
        try folder.add(.sample("b", requires: ["C"]))
        try folder.add(.sample("c1", provides: ["C"]))
        try folder.add(.sample("c2", provides: ["C"]))
        #expect(
            try problems()
                == ["a", "b"].map {
                    "ambiguous: C is provided by c1 and c2, and the manifest binds it to none "
                        + "(needed by \($0))"
                })
    }

    @Test("tells two modules that provide one service under the same name")
    func named() throws {
        try folder.add(.sample("a", requires: ["C"]))
        try folder.add(.sample("c", provides: ["C"]))
        try folder.add(.sample("c1").providing("C", named: "n"))
        try folder.add(.sample("c2").providing("C", named: "n"))
        let found = try problems()
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("ambiguous: C named 'n' is provided by c1 and c2") == true)
    }

    @Test("a module that requires its own service is no circle")
    func own() throws {
        try folder.add(.sample("a", provides: ["A"], requires: ["A"]))
        #expect(try problems() == [])
    }

    @Test("of what modules register tells failures, then missing needs and what lives too long")
    func loading() throws {
        try folder.addLoadable(.sample("b")) { _ in throw PlainError() }
        try folder.addLoadable(.sample("a")) { _ in throw PlainError() }
        try folder.addLoadable(.sample("c", provides: ["UserService"])) { registrar in
            registrar.register(
                (any UserService).self, scope: .shared,
                needs: [.service((any HomeFactory).self), .service((any EventHandler).self)]
            ) { _ in Users(module: "c") }
        }
        try folder.addLoadable(.sample("d", provides: ["EventHandler"])) { registrar in
            registrar.register((any EventHandler).self, scope: .graph, needs: []) { _ in
                Events(module: "d")
            }
        }
        #expect(try problems() == [])
        let found = try problems(loading: true)
        try #require(found.count == 4)
        #expect(found[0].hasPrefix("load: a: "))
        #expect(found[1].hasPrefix("load: b: "))
        #expect(found[2].hasPrefix("missing: UserService (c, "))
        #expect(found[2].contains("needs HomeFactory, which has no provider"))
        #expect(found[3].hasPrefix("captive: UserService (c, "))
        #expect(found[3].contains(" is shared, and keeps EventHandler (d, "))
        #expect(found[3].hasSuffix(", which is graph"))
    }
}
