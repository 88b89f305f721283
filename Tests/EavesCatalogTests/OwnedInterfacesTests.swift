// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesCatalog

@Suite("Interfaces that a module owns")
struct OwnedInterfacesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try addInterface("common", nil)
        try addInterface("login-interface", "login")
        try addInterface("tracking-interface", "tracking")
        try add("login", .feature, naming: ["common", "login-interface"])
        try add("tracking", .core, naming: ["common", "tracking-interface"])
        try add("root", .composition, naming: ["login-interface", "tracking-interface"])
    }

    private func swiftModule(_ interface: String) -> String {
        interface.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private func needs(_ interfaces: [String]) -> [InterfaceNeed] {
        interfaces.map {
            let version = InterfaceVersion(major: 1, minor: 0)
            return InterfaceNeed(
                $0, built: InterfaceStamp(module: swiftModule($0), version: version))
        }
    }

    private func addInterface(
        _ id: String, _ owner: String?, naming interfaces: [String] = [],
        protocols: [String] = ["Handler"]
    ) throws {
        try folder.add(
            ModuleDeclaration(
                id: id, version: "1.0", layer: .interface, interfaces: needs(interfaces),
                owner: owner,
                interface: InterfaceContent(module: swiftModule(id), protocols: protocols)))
    }

    private func add(
        _ id: String, _ layer: Layer, naming interfaces: [String], provides: [String] = [],
        requires: [String] = []
    ) throws {
        var declaration = ModuleDeclaration.sample(
            id, provides: ["\(id)Service"] + provides, requires: requires)
        declaration.layer = layer
        declaration.interfaces = needs(interfaces)
        try folder.add(declaration)
    }

    /// The problem of a module: with and without a table, by itself or among all.
    private func problem(
        _ id: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CatalogProblem? {
        let entry = try #require(try folder.catalogWithoutTable().entry(id))
        _ = try folder.catalogLater().entries
        let whole = try folder.catalogLater()
        #expect(whole.entry(id) == entry, sourceLocation: sourceLocation)
        let narrow = try #require(NarrowModules(try folder.load()))
        if entry.declaration?.layer != .interface {
            let found = narrow.modules(providing: "\(id)Service")
            #expect(found == [entry], sourceLocation: sourceLocation)
        }
        return entry.problem
    }

    private func owned(_ interface: String, _ owner: String, _ layer: Layer?) -> CatalogProblem {
        .interfaces([.owned(interface, ForeignOwner(id: owner, layer: layer))])
    }

    @Test("may be named by their owners and by compositions")
    func allowed() throws {
        let catalog = try folder.catalog()
        #expect(catalog.entries.allSatisfy { $0.problem == nil })
        for id in ["login", "tracking", "root"] { #expect(try problem(id) == nil) }
    }

    @Test("may be named by features if a core module owns them, and not by other core modules")
    func ofCore() throws {
        try add("home", .feature, naming: ["tracking-interface"])
        try add("base", .core, naming: ["tracking-interface"])
        #expect(try problem("home") == nil)
        #expect(try problem("base") == owned("tracking-interface", "tracking", .core))
    }

    @Test("must not be named by a feature that does not own them; the message says what to do")
    func ofFeature() throws {
        try add("home", .feature, naming: ["common", "login-interface"])
        #expect(try problem("home") == owned("login-interface", "login", .feature))
        let entry = try #require(try folder.catalogLater().entry("home"))
        #expect(entry.state == .invalid)
        #expect(!entry.isAvailable)
        #expect(
            entry.diagnostics == [
                Diagnostic(
                    "home: it names the interface 'login-interface', which belongs to the feature "
                        + "'login': only 'login' and modules of the layer 'composition' may use it "
                        + "(Plugins/home.so)",
                    fix:
                        "share what both need through a common interface, which has no owner, or let a "
                        + "module of the layer 'composition' bridge the two; then take "
                        + "'login-interface' out of 'interfaces', and build 'home' again",
                    code: .badData)
            ])
        try add("base", .core, naming: ["login-interface"])
        #expect(
            try folder.catalogLater().entries.mergedDiagnostics.map(\.message) == [
                "base, home: they name the interface 'login-interface', which belongs to the feature "
                    + "'login': only 'login' and modules of the layer 'composition' may use it"
            ])
    }

    @Test("are counted strictly where their owner is not there, and by its layer where it is off")
    func withoutOwner() throws {
        try add("home", .feature, naming: ["tracking-interface"])
        try folder.write(
            #"{ "manifest": 1, "modules": { "tracking": { "enabled": false } } }"#,
            to: "manifest.json")
        #expect(try problem("home") == nil)
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try Files.remove(folder.file("Plugins/tracking.so"))
        #expect(try problem("home") == owned("tracking-interface", "tracking", nil))
        #expect(try problem("root") == nil)
    }

    @Test("may be used by the interfaces of their owner, and by no common one")
    func interfaces() throws {
        try addInterface("login-types", "login", naming: ["login-interface"])
        try addInterface("home-interface", "home", naming: ["tracking-interface"])
        try add("home", .feature, naming: ["home-interface"])
        try addInterface("shared", nil, naming: ["login-interface"])
        #expect(try problem("login-types") == nil)
        #expect(try problem("home-interface") == nil)
        #expect(try problem("shared") == owned("login-interface", "login", .feature))
        // Whoever names the interface cannot have it.
        try add("other", .feature, naming: ["shared"])
        guard case .interfaces(let problems)? = try problem("other"),
            case .unusable? = problems.first
        else {
            Issue.record("an interface was used that must not be as it is")
            return
        }
    }

    @Test("keep their owner if the program has them linked in")
    func linked() throws {
        try Files.remove(folder.file("Plugins/login-interface.so"))
        try add("home", .feature, naming: ["login-interface"])
        var profile = HostProfile.sample
        profile.interfaces = [
            ProgramInterface(
                id: "login-interface", module: "LoginInterface",
                version: InterfaceVersion(major: 1, minor: 0), owner: "login")
        ]
        let manifest = try folder.load()
        let catalog = Catalog(manifest: manifest, profile: profile, table: nil)
        #expect(catalog.entry("login")?.problem == nil)
        #expect(catalog.entry("root")?.problem == nil)
        #expect(
            catalog.entry("home")?.problem == owned("login-interface", "login", .feature))
    }

    @Test("let a core module need what others above implement, and it alone")
    func inversion() throws {
        try add(
            "tracking", .core, naming: ["common", "tracking-interface"],
            requires: ["TrackingInterface.Handler"])
        try add(
            "root", .composition, naming: ["common", "tracking-interface"],
            provides: ["TrackingInterface.Handler", "Common.Handler"])
        #expect(try problem("tracking") == nil)
        try add(
            "tracking", .core, naming: ["common", "tracking-interface"],
            requires: ["Common.Handler"])
        #expect(
            try problem("tracking")
                == .layer([UpwardNeed(service: "Handler", providers: ["root"])]))
        // A word alone may be any of them.
        try add("tracking", .core, naming: ["tracking-interface"], requires: ["Handler"])
        #expect(try problem("tracking") == nil)
        try add("base", .core, naming: ["common"], requires: ["Handler"])
        #expect(
            try problem("base") == .layer([UpwardNeed(service: "Handler", providers: ["root"])]))
    }
}
