// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesJSON

extension HostProfile {
    /// The host of all tests, unless they say otherwise.
    package static let sample = HostProfile(
        abi: 1, interface: InterfaceVersion(major: 1, minor: 3), compiler: "6.3")
}

extension ModuleDeclaration {
    package static func sample(
        _ id: String = "users", provides: [String] = [], requires: [String] = [],
        features: [String] = []
    ) -> ModuleDeclaration {
        ModuleDeclaration(
            id: id, version: "1.0.0", summary: "A sample", layer: .feature,
            provides: provides.map { Provision(service: $0) }, requires: requires,
            features: features.map { FeatureDeclaration(name: $0, summary: "Does \($0)") })
    }

    /// Returns a copy that also provides a service under a name.
    package func providing(_ service: String, named name: String) -> ModuleDeclaration {
        var declaration = self
        declaration.provides.append(Provision(service: service, name: name))
        return declaration
    }
}

extension BuildTag {
    package static let sample = BuildTag(
        abi: 1, interface: InterfaceVersion(major: 1, minor: 0), compiler: "6.3.1",
        target: "x86_64-unknown-linux-gnu", inputs: "00ff")
}

extension TemporaryFolder {
    /// Drops a module into a folder.
    @discardableResult
    package func add(
        _ declaration: ModuleDeclaration, tag: BuildTag = .sample, as name: String? = nil
    ) throws -> String {
        let note = ModuleNote(declaration: declaration, tag: tag)
        return try write(Binaries.module(note), to: name ?? "Plugins/\(declaration.id).so")
    }

    /// Adds a folder that a module can be built from.
    package func addSource(_ declaration: ModuleDeclaration, in folder: String) throws {
        try write(declaration.json.text(pretty: true), to: "\(folder)/module.json")
    }
}
