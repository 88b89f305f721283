// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Testing

@testable import EavesGraph

@Suite("the picture of an application")
struct ModuleGraphTests {
    @Test("has an edge for everything that modules declare and the manifest binds")
    func edges() throws {
        let application = try Application(
            [
                .common(), .module("memory", provides: ["UserService"]),
                .module("second", provides: ["UserService"]),
                .module("users", .feature, requires: ["UserService"], features: ["list"]),
            ], manifest: #"{ "manifest": 1, "bindings": { "UserService": "memory" } }"#)
        #expect(
            application.graph.lines == [
                "module memory -names-> interface common",
                "module memory -provides-> service CommonInterface.UserService",
                "module second -names-> interface common",
                "module second -provides, unbound-> service CommonInterface.UserService",
                "module users -offers-> feature users list",
                "module users -names-> interface common",
                "module users -requires-> service CommonInterface.UserService",
                "service CommonInterface.UserService -bound to-> module memory",
            ])
        let layers = application.graph.groups.map { $0.layer?.rawValue }
        #expect(layers == ["interface", "core", "feature"])
    }

    /// The lines of a picture of modules alone, or with some parts.
    private func lines(_ application: Application, _ parts: GraphPart...) -> [String] {
        ModuleGraph(application.wiring, showing: Set(parts)).lines
    }

    @Test("of modules alone has an edge from each module to those whose services it gets")
    func uses() throws {
        let application = try Application(
            [
                .common(["UserService", "EventHandler", "Other", "Gone"]),
                .module("memory", provides: ["UserService", "Other"]),
                .module("second", provides: ["UserService"]),
                .module("one", provides: ["EventHandler"]),
                .module("two", provides: ["EventHandler"]),
                .module(
                    "users", .feature,
                    requires: ["UserService", "Other", "EventHandler", "EavesInterface.Routing"],
                    features: ["list"]),
                .module("lost", .feature, requires: ["Gone", "UserService"]),
            ], manifest: #"{ "manifest": 1, "bindings": { "UserService": "memory" } }"#)
        let plain = [
            "module lost -UserService-> module memory",
            "module lost -requires, missing-> service CommonInterface.Gone",
            "module users -UserService, Other-> module memory",
            "module users -EventHandler, several providers-> module one",
            "module users -EventHandler, several providers-> module two",
        ]
        #expect(lines(application) == plain)
        let nodes = ModuleGraph(application.wiring, showing: []).nodes
        #expect(!nodes.contains { $0.id.kind == .interface || $0.id.kind == .feature })
        #expect(nodes.contains { $0.name == "second" })
        #expect(
            Set(lines(application, .implementations)).subtracting(plain) == [
                "module lost -UserService, unbound-> module second",
                "module users -UserService, unbound-> module second",
            ])
        #expect(
            Set(lines(application, .features)).subtracting(plain) == [
                "module users -offers-> feature users list"
            ])
        #expect(
            Set(lines(application, .interfaces)).subtracting(plain).allSatisfy {
                $0.hasSuffix(" -names-> interface common")
            })
    }

    @Test("of modules alone tells weights, and which needs form a circle")
    func usesOfShares() throws {
        let application = try Application(
            [
                .common(["UserService", "A", "B"]), .module("memory", provides: ["UserService"]),
                .module("second", provides: ["UserService"]),
                .module("a", provides: ["A"], requires: ["B", "UserService"]),
                .module("b", provides: ["B"], requires: ["A"]),
            ],
            manifest: """
                { "manifest": 1, "bindings": { "UserService": { "memory": 3, "second": 1 } } }
                """)
        let found = lines(application)
        #expect(found.contains("module a -B, in a cycle-> module b"))
        #expect(found.contains("module b -A, in a cycle-> module a"))
        #expect(found.contains("module a -UserService 3 of 4-> module memory"), "\(found)")
        #expect(found.contains("module a -UserService 1 of 4-> module second"), "\(found)")
    }

    @Test("around a module is what is so many edges away, in either direction")
    func focus() throws {
        let application = try Application([
            .common(["A", "B", "C"]), .module("a", provides: ["A"]),
            .module("b", provides: ["B"], requires: ["A"]),
            .module("c", provides: ["C"], requires: ["B"]),
            .module("d", .feature, requires: ["C"]),
        ])
        let graph = ModuleGraph(application.wiring, showing: [])
        func names(_ depth: Int) -> [String] {
            graph.around({ $0.key == "b" }, depth: depth).nodes.map(\.name)
        }
        #expect(names(0) == ["b"])
        #expect(names(1) == ["a", "b", "c"])
        #expect(names(2) == ["a", "b", "c", "d"])
        #expect(names(Int.max) == ["a", "b", "c", "d"])
        #expect(graph.around({ $0.key == "b" }, depth: 1).edges.count == 2)
    }

    @Test("shows names that are bound to modules which provide the service without a name")
    func namedBindings() throws {
        let application = try Application(
            [
                .common(), .module("memory", provides: ["UserService"]),
                .module("second", provides: ["UserService"]),
            ],
            manifest: #"""
                { "manifest": 1, "bindings": { "UserService": "memory", "UserService#v2": "second" } }
                """#)
        let lines = application.graph.lines
        #expect(
            lines.contains("service CommonInterface.UserService v2 -bound to-> module second"))
        #expect(
            lines.contains(
                "module second -provides, unbound-> service CommonInterface.UserService"))
    }

    @Test("shows needs that nobody provides, that several modules provide, or the program")
    func needs() throws {
        let application = try Application([
            .common(), .module("one", provides: ["EventHandler"]),
            .module("two", provides: ["EventHandler"]),
            .module(
                "users", .feature,
                requires: ["UserService", "EventHandler", "EavesInterface.Routing"]),
        ])
        let lines = application.graph.lines
        #expect(
            lines.contains("module users -requires, missing-> service CommonInterface.UserService"))
        #expect(
            lines.contains(
                "module users -requires, several providers-> service CommonInterface.EventHandler"))
        #expect(lines.contains("module users -requires-> service EavesInterface.Routing"))
        let remarks = application.graph.nodes.filter { $0.layer == nil }.map {
            "\($0.name) \($0.remark ?? "") \($0.isUsable)"
        }
        #expect(remarks == ["UserService missing false", "Routing of the program true"])
    }

    @Test("shows bindings, interfaces and modules that are not there or switched off")
    func missing() throws {
        var users = Application.Module.module("users", .feature, requires: ["UserService"])
        users.declaration.interfaces.append(InterfaceNeed("gone-api"))
        let application = try Application(
            [.common(), .module("memory", provides: ["UserService"]), users],
            manifest: """
                { "manifest": 1, "modules": { "memory": { "enabled": false } },
                  "bindings": { "UserService": "memory", "EventHandler": "gone" } }
                """)
        let lines = application.graph.lines
        #expect(
            lines.contains("service CommonInterface.UserService -bound to, missing-> module memory")
        )
        #expect(lines.contains("service EventHandler -bound to, missing-> module gone"))
        #expect(lines.contains("module users -names, missing-> interface gone-api"))
        #expect(
            lines.contains(
                "module memory -provides, unbound-> service CommonInterface.UserService"))
        let node = application.graph.nodes.first { $0.name == "memory" }
        #expect(node?.remark == "disabled" && node?.isUsable == false)
    }

    @Test("marks the needs that form a circle, and no others")
    func circle() throws {
        let application = try Application([
            .common(["A", "B", "C", "D"]), .module("a", provides: ["A"], requires: ["B"]),
            .module("b", provides: ["B"], requires: ["C"]),
            .module("c", provides: ["C"], requires: ["A", "D"]),
            .module("d", provides: ["D"], requires: ["D"]),
        ])
        let cyclic = application.graph.edges.filter { $0.state == .cyclic }
        #expect(
            cyclic.map { "\($0.from.key) \($0.to.key)" } == [
                "a CommonInterface.B", "b CommonInterface.C", "c CommonInterface.A",
            ])
    }

    @Test("finds a circle whose modules also need one that was looked at before")
    func circleBeside() throws {
        let application = try Application([
            .common(["A", "B", "C"]), .module("a", provides: ["A"]),
            .module("b", provides: ["B"], requires: ["A", "C"]),
            .module("c", provides: ["C"], requires: ["B"]),
        ])
        let cyclic = application.graph.edges.filter { $0.state == .cyclic }
        #expect(
            cyclic.map { "\($0.from.key) \($0.to.key)" } == [
                "b CommonInterface.C", "c CommonInterface.B",
            ])
    }

    @Test("shows services that a binary asks for and does not declare")
    func undeclared() throws {
        let application = try Application([
            .common(), .module("memory", provides: ["UserService"]),
            .module("users", .feature, needs: [Symbol.descriptor("UserService")]),
        ])
        #expect(
            application.graph.lines.contains(
                "module users -may ask for-> service CommonInterface.UserService"))
    }

    @Test("shows the route to a factory that nobody provides")
    func routeToNothing() throws {
        #expect(
            try Application([.common(["HomeRoute", "HomeFactory"])]).graph.lines == [
                "route CommonInterface.HomeRoute -leads to, missing-> "
                    + "service CommonInterface.HomeFactory"
            ])
    }

    @Test("shows who opens a route, and the factory that it leads to")
    func routes() throws {
        let application = try Application([
            .common(["HomeRoute", "HomeFactory", "Route"]),
            .module("home", .feature, provides: ["HomeFactory"]),
            .module("login", .feature, needs: [Symbol.descriptor("HomeRoute")]),
            .module(
                "router", .composition,
                needs: [Symbol.descriptor("HomeRoute"), Symbol.requirement("HomeRoute")]),
        ])
        let lines = application.graph.lines.filter { $0.utf8.contains("R".utf8.first!) }
        #expect(
            lines == [
                "module login -opens-> route CommonInterface.HomeRoute",
                "route CommonInterface.HomeRoute -leads to-> service CommonInterface.HomeFactory",
            ])
    }

    @Test("shows destinations as routes by their names, and who may ask for them")
    func named() throws {
        var module = Application.Module.module("screens")
        module.declaration.provides = [
            Provision(service: "CommonInterface.Destination", name: "popup")
        ]
        let links = Application.Module.module(
            "links", .composition, needs: [Symbol.thunk("Destination")])
        let graph = try Application([.common(), module, links]).graph
        #expect(graph.nodes.last?.name == "popup")
        // It asks for whatever name a link has.
        #expect(
            graph.lines.contains(
                "module links -may ask for-> route CommonInterface.Destination popup"))
    }

    @Test("qualifies the names of services that two interfaces have")
    func ambiguous() throws {
        let application = try Application([
            .common(), .module("one", provides: ["UserService"]),
            .module("two", provides: ["OtherInterface.UserService", "EventHandler"]),
        ])
        let names = application.graph.nodes.filter { $0.id.kind == .service }.map(\.name)
        #expect(
            names == ["EventHandler", "CommonInterface.UserService", "OtherInterface.UserService"])
    }

    @Test("is the same however the modules are found")
    func deterministic() throws {
        let modules: [Application.Module] = [
            .common(), .module("one", provides: ["UserService"]),
            .module("two", requires: ["UserService"]), .module("three", provides: ["EventHandler"]),
        ]
        let texts = Set(
            try [modules, modules.reversed()].map { try Application($0).graph.dotText })
        #expect(texts.count == 1)
    }
}
