// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesInterface
import EavesRegistry

/// Compares what a module registered with what its note declares.
enum DeclarationCheck {
    /// - Throws: ``DeclarationMismatch`` if there is one more, or one less.
    static func run(
        _ registrations: [Registration], against declaration: ModuleDeclaration
    ) throws(DeclarationMismatch) {
        let foreign = registrations.map(\.request.qualifiedService)
            .filter { !$0.hasPrefix("EavesInterface.") }
        let registered = Set(registrations.map { Need($0.request) })
        let declared = Set(
            declaration.features.map { Need.feature($0.name) }
                + declaration.provides.map { Need.service($0.service, name: $0.name) })
        let mismatch = DeclarationMismatch(
            undeclared: registered.subtracting(declared).map(\.description).sorted(),
            unregistered: declared.subtracting(registered).map(\.description).sorted(),
            foreign: foreign.sorted())
        guard mismatch.isEmpty else { throw mismatch }
    }
}
