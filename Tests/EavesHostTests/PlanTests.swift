// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesLife
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("The plan of a launch", .onOwnThreads)
struct PlanTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func plan(
        _ feature: String, bindings: String = "", own: Set<Capability> = []
    ) throws -> Plan {
        let catalog = folder.catalog(try folder.manifest(bindings: bindings))
        return try Plan(launching: feature, catalog, unless: own.contains)
    }

    private func problems(_ feature: String, bindings: String = "") throws -> [String] {
        let error = #expect(throws: PlanError.self) { try plan(feature, bindings: bindings) }
        return try #require(error).problems.map(\.inShort)
    }

    @Test("has each module once, behind those that it requires")
    func order() throws {
        try folder.add(
            .sample("login", requires: ["UserService", "EventHandler"], features: ["login"]))
        try folder.add(.sample("users", provides: ["UserService"], requires: ["EventHandler"]))
        try folder.add(.sample("analytics", provides: ["EventHandler"]))
        try folder.add(.sample("bystander", provides: ["HomeFactory"], features: ["other"]))
        let plan = try plan("login")
        #expect(plan.module.id == "login")
        #expect(plan.modules.map(\.id) == ["analytics", "users", "login"])
    }

    @Test("ends where modules require each other")
    func circle() throws {
        try folder.add(.sample("a", provides: ["A"], requires: ["B"], features: ["a"]))
        try folder.add(.sample("b", provides: ["B"], requires: ["A"]))
        #expect(try plan("a").modules.map(\.id) == ["b", "a"])
    }

    @Test("needs no module for what the program itself provides, nor those behind it")
    func own() throws {
        try folder.add(.sample("login", requires: ["UserService", "Ghost"], features: ["login"]))
        try folder.add(.sample("users", provides: ["UserService"], requires: ["Missing"]))
        let own: Set<Capability> = [
            .service("UserService", name: nil), .service("Ghost", name: nil),
        ]
        #expect(try plan("login", own: own).modules.map(\.id) == ["login"])
    }

    @Test("what the program provides under a name does not stand for the unnamed")
    func ownNamed() throws {
        try folder.add(.sample("login", requires: ["UserService"], features: ["login"]))
        #expect(throws: PlanError.self) {
            try plan("login", own: [.service("UserService", name: "archive")])
        }
    }

    @Test("reports every problem, in the order of the requirements, with the way to it")
    func everyProblem() throws {
        try folder.add(
            .sample(
                "login", requires: ["Missing", "Twice", "Deep", "Bound"], features: ["login"]))
        try folder.add(.sample("one", provides: ["Twice"]))
        try folder.add(.sample("two", provides: ["Twice"]))
        try folder.add(.sample("deep", provides: ["Deep"], requires: ["Deeper"]))
        try folder.add(.sample("bound", provides: ["Bound"]))
        #expect(
            try problems("login", bindings: #""Bound": "nowhere""#) == [
                "missing Missing < login", "ambiguous Twice (one, two) < login",
                "missing Deeper < login < deep", "binding Bound to nowhere < login",
            ])
    }

    @Test("reports a problem once that two modules have")
    func onceForTwo() throws {
        try folder.add(.sample("a", requires: ["B", "Missing"], features: ["a"]))
        try folder.add(.sample("b", provides: ["B"], requires: ["Missing"]))
        #expect(try problems("a") == ["missing Missing < a < b"])
    }

    @Test("tells an obstacle once, however many providers it may hide")
    func obstacles() throws {
        try folder.add(.sample("a", requires: ["B", "C"], features: ["a"]))
        try folder.write("no module", to: "Plugins/broken.so")
        let error = #expect(throws: PlanError.self) { try plan("a") }
        let messages = try #require(error).diagnostics.map(\.message)
        #expect(messages.count == 3)
        #expect(messages.filter { $0.hasPrefix("broken: ") }.count == 1)
        #expect(messages.first == "no module provides B (needed by a)")
        #expect(messages.last == "no module provides C (needed by a)")
    }

    @Test("tells of a directory that is not there below the feature that was not found")
    func missingDirectory() throws {
        let manifest = try folder.manifest(#"{ "manifest": 1, "directories": ["Plugin"] }"#)
        let error = #expect(throws: PlanError.self) {
            try Plan(launching: "users", folder.catalog(manifest), unless: { _ in false })
        }
        let messages = try #require(error).diagnostics.map(\.message)
        #expect(messages.first == "no module offers a feature 'users'")
        #expect(messages.last?.contains("cannot list the directory 'Plugin'") == true)
    }
}

extension ProviderError {
    /// The problem, and the chain of modules that leads to it from the outermost one.
    var inShort: String {
        let (what, chain) =
            switch self {
            case .missing(let capability, _, _, _, let chain): ("missing \(capability)", chain)
            case .ambiguous(let capability, let modules, let chain):
                ("ambiguous \(capability) (\(modules.joined(separator: ", ")))", chain)
            case .unusableBinding(let service, let module, _, let chain):
                ("binding \(service) to \(module)", chain)
            }
        return ([what] + chain).joined(separator: " < ")
    }
}
