// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest

/// Compares what services are bound to with what the modules declare.
///
/// Of a module that cannot be read nothing is said: its own problem is reason enough.
struct BindingCheck {
    let faults: [ManifestFault]

    init(_ manifest: Manifest, entries: [CatalogEntry], indexByID: [String: Int]) {
        guard !manifest.bindings.isEmpty else {
            faults = []
            return
        }
        let declarations = entries.compactMap(\.declaration)
        let known = Set(declarations.flatMap { $0.provides.map(\.service) + $0.requires })
        faults = manifest.bindings.compactMap { binding in
            let (service, place) = (binding.service, manifest.place(of: binding))
            guard let index = indexByID[binding.module] else {
                return .unknownModule(binding.module, place, known: indexByID.keys.sorted())
            }
            guard let declaration = entries[index].declaration, !declaration.provides(service)
            else { return nil }
            guard known.contains(service) else {
                return .unknownService(service, place, known: known.sorted())
            }
            let providers = Set(declarations.filter { $0.provides(service) }.map(\.id)).sorted()
            return .notProvided(service, by: binding.module, place, providers: providers)
        }
    }
}
