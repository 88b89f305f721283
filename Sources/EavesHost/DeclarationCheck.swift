// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesCatalog
import EavesInterface
package import EavesRegistry

/// Compares what a module registered with what its note declares.
package enum DeclarationCheck {
    /// Compares every registration, and tells of all that differ.
    ///
    /// - Throws: ``DeclarationMismatch`` if there is one more, or one less.
    package static func run(
        _ registrations: [Registration], against declaration: ModuleDeclaration
    ) throws(DeclarationMismatch) {
        let foreign = registrations.map(\.request.qualifiedService)
            .filter { !$0.hasPrefix("EavesInterface.") }.map(withoutBuildDigest)
        let registered = Set(registrations.map { Need($0.request) })
        let declared = Set(
            declaration.features.map { Need.feature($0.name) }
                + declaration.provides.map { Need.service($0.service, name: $0.name) })
        let mismatch = DeclarationMismatch(
            undeclared: registered.subtracting(declared).map(\.description).sorted(),
            unregistered: declared.subtracting(registered).map(\.description).sorted(),
            foreign: foreign.sorted(),
            reserved: Choices.own.intersection(declaration.provides.map(\.service)).sorted())
        guard mismatch.isEmpty else { throw mismatch }
    }

    /// `Weather.Cache` of `Weather_0123456789ab.Cache`: 'eaves build' gives each build a module name
    /// of its own, with the beginning of its digest.
    private static func withoutBuildDigest(_ qualified: String) -> String {
        let parts = qualified.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let mark = parts[0].lastIndex(of: "_") else { return qualified }
        let digest = parts[0][mark...].dropFirst()
        guard digest.count == 12, digest.allSatisfy(\.isHexDigit) else { return qualified }
        return "\(parts[0][..<mark]).\(parts[1])"
    }
}
