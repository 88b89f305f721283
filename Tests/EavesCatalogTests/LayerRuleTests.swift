// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesTestSupport
import Testing

@Suite("What a layer may need")
struct LayerRuleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func add(
        _ id: String, _ layer: Layer, provides: [String] = [], requires: [String] = []
    ) throws {
        var declaration = ModuleDeclaration.sample(id, provides: provides, requires: requires)
        declaration.layer = layer
        try folder.add(declaration)
    }

    @Test("a core module that requires what only features provide is invalid, and both are named")
    func upward() throws {
        try add("base", .core, requires: ["Screens", "Users", "Nowhere"])
        try add("home", .feature, provides: ["Screens"])
        try add("login", .feature, provides: ["Screens"])
        try add("users", .core, provides: ["Users"])
        let entry = try #require(try folder.catalog().entry("base"))
        #expect(entry.state == .invalid)
        let need = UpwardNeed(service: "Screens", providers: ["home", "login"])
        #expect(entry.problem == .layer([need]))
        #expect(
            entry.diagnostics.map(\.message) == [
                "base: its layer is 'core', and it requires what only features or compositions provide: "
                    + "Screens (of home, login) (Plugins/base.so)"
            ])
        #expect(
            entry.diagnostics.map(\.fix) == [
                "let a module of the layer 'core' provide it, put its protocol into an interface that this "
                    + "module owns, or give this one another 'layer' in its module.json and rebuild it"
            ])
        #expect(entry.diagnostics.map(\.code) == [.badData])
    }

    @Test("it must not if compositions alone provide it, or compositions and features")
    func compositions() throws {
        try add("base", .core, requires: ["Screens"])
        try add("root", .composition, provides: ["Screens"])
        #expect(
            try folder.catalog().entry("base")?.problem
                == .layer([UpwardNeed(service: "Screens", providers: ["root"])]))
        try add("home", .feature, provides: ["Screens"])
        #expect(
            try folder.catalog().entry("base")?.problem
                == .layer([UpwardNeed(service: "Screens", providers: ["home", "root"])]))
    }

    @Test("it may if a core module provides it as well")
    func several() throws {
        try add("base", .core, requires: ["Screens"])
        try add("home", .feature, provides: ["Screens"])
        try add("other", .core, provides: ["Screens"])
        #expect(try folder.catalog().entry("base")?.state == .ready)
        let disabled = #"{"manifest": 1, "modules": {"other": {"enabled": false}}}"#
        #expect(try folder.catalog(disabled).entry("base")?.state == .invalid)
    }

    @Test("other layers may need anything", arguments: [Layer.feature, .composition])
    func others(layer: Layer) throws {
        try add("base", layer, requires: ["Screens"])
        try add("home", .feature, provides: ["Screens"])
        #expect(try folder.catalog().entries.allSatisfy { $0.state == .ready })
    }

    @Test("a module may need what it provides itself")
    func itself() throws {
        try add("base", .core, provides: ["Screens"], requires: ["Screens"])
        try add("home", .feature, provides: ["Screens"])
        #expect(try folder.catalog().entry("base")?.state == .ready)
    }
}
