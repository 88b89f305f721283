// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest
import EavesRules
import EavesSystem
import EavesTestSupport
import Testing

extension ModuleDeclaration {
    static func subject(
        _ id: String = "subject", layer: Layer = .feature, provides: [String] = [],
        requires: [String] = [], interfaces: [InterfaceNeed] = []
    ) -> ModuleDeclaration {
        ModuleDeclaration(
            id: id, version: "1.0.0", summary: "A sample", layer: layer,
            provides: provides.map { Provision(service: $0) }, requires: requires, features: [],
            interfaces: interfaces)
    }
}

extension InterfaceNeed {
    /// The interface that ``TemporaryFolder/addWeather(version:source:)`` adds.
    static let weather = InterfaceNeed(
        "weather-api",
        built: InterfaceStamp(module: "WeatherAPI", version: InterfaceVersion(major: 1, minor: 1)))
}

extension TemporaryFolder {
    /// Adds an interface module with a protocol `WeatherService`.
    func addWeather(
        version: String = "1.1.0",
        source: String = Binary.defining("$s10WeatherAPI0A7ServiceMp")
    ) throws {
        let declaration = ModuleDeclaration(
            id: "weather-api", version: version, layer: .interface,
            interface: InterfaceContent(module: "WeatherAPI", protocols: ["WeatherService"]))
        try add(.module(declaration, source: source), as: "weather-api.so")
    }

    /// Compiles a binary into `Plugins`, and returns its path.
    @discardableResult
    func add(_ binary: Binary, as name: String = "subject.so") throws -> String {
        try write(binary.compiled(), to: "Plugins/\(name)")
    }

    func manifest(_ text: String = #"{ "manifest": 1 }"#) throws -> Manifest {
        try Manifest.load(write(text, to: "manifest.json"))
    }

    /// Inspects a module of `Plugins` as `eaves inspect` and `eaves verify` do.
    ///
    /// - Parameter change: Changes what the catalog knows of the module.
    func inspect(
        _ name: String = "subject.so", manifest text: String = #"{ "manifest": 1 }"#,
        change: (inout CatalogEntry) -> Void = { _ in }
    ) throws -> InspectedModule {
        let manifest = try manifest(text)
        let catalog = Catalog(
            manifest: manifest, profile: .sample, table: TableFile(in: manifest.store))
        let file = Files.resolved(file("Plugins/\(name)")) ?? file("Plugins/\(name)")
        var entry = try #require(
            catalog.entries.first { $0.file == file || Path.name(of: $0.file) == name })
        change(&entry)
        return InspectedModule(entry, among: catalog, in: manifest, host: .sample)
    }

    /// Inspects the private copy that a launch is about to load.
    ///
    /// - Parameter copy: The copy's bytes; those of the module's file if not given.
    func inspectCopy(
        _ copy: [UInt8]? = nil, manifest text: String = #"{ "manifest": 1 }"#
    ) throws -> InspectedModule {
        let manifest = try manifest(text)
        let catalog = Catalog(
            manifest: manifest, profile: .sample, table: TableFile(in: manifest.store))
        let entry = try #require(catalog.entry("subject"))
        let bytes = try copy ?? Files.read(entry.file)
        return InspectedModule(
            copy: try write(bytes, to: "copies/subject.so"), of: entry, among: catalog,
            in: manifest, host: .sample)
    }
}

extension InspectedModule {
    /// The outcome of one rule.
    func outcome(_ id: String) throws -> RuleOutcome {
        try #require(BinaryRules.all.first { $0.id == id }, "\(id)").outcome(for: self)
    }
}
