// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest

/// A service that the manifest binds, and the modules that get a share of those who ask for it.
struct BoundService: Hashable, Sendable {
    /// The key as the manifest writes it.
    let key: String
    /// The name of the service, as the manifest writes it.
    let service: String
    /// The name of the implementation; `nil` for the unnamed one.
    var name: String?
    let shares: [BindingShare]
    let place: ManifestPlace

    /// The sum of the weights; `nil` if there are none.
    var total: Int? {
        let weights = shares.compactMap(\.weight)
        return weights.isEmpty ? nil : weights.reduce(0, +)
    }
}

/// One module that a service is bound to.
struct BindingShare: Hashable, Sendable {
    /// The id of the module.
    let module: String
    /// The weight; `nil` where the service is bound to one module without weights.
    let weight: Int?
}

extension Manifest {
    /// All bindings, in the order of the file. The one place that knows how a manifest writes them.
    var boundServices: [BoundService] {
        bindings.map { binding in
            BoundService(
                key: binding.key.text, service: binding.key.service, name: binding.key.name,
                shares: binding.shares,
                place: place(of: binding))
        }
    }
}

extension Binding {
    /// The modules that the service is bound to.
    fileprivate var shares: [BindingShare] {
        weights?.shares.map { BindingShare(module: $0.module, weight: $0.weight) }
            ?? modules.map { BindingShare(module: $0, weight: nil) }
    }
}
