// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest

/// The output of `eaves list` for people.
struct ListReport {
    private let listing: CatalogListing
    private let manifest: Manifest

    init(_ listing: CatalogListing, manifest: Manifest) {
        self.listing = listing
        self.manifest = manifest
    }

    /// Three tables: features, modules, bindings.
    var text: String {
        var tables: [String] = []
        if !listing.features.isEmpty {
            var table = Table(headings: ["FEATURE", "MODULE", "STATE", "SUMMARY"])
            table.rows = listing.features.map { feature in
                [
                    listing.string(feature.name), listing.string(feature.module),
                    feature.state.rawValue, listing.string(feature.summary),
                ]
            }
            tables.append(table.text)
        }
        if !listing.modules.isEmpty {
            // Most manifests pin no module, and need no column for it.
            let showsPins = listing.modules.contains(where: \.isPinned)
            var table = Table(
                headings: ["MODULE", "VERSION", "STATE"] + (showsPins ? ["PINNED"] : [])
                    + ["PROVIDES", "REQUIRES", "FILE"])
            table.rows = listing.modules.map { module in
                [
                    listing.string(module.id), module.version.map(listing.string) ?? "-",
                    module.state.rawValue,
                ] + (showsPins ? [module.isPinned ? "yes" : "-"] : [])
                    + [names(module.provides), names(module.requires), listing.string(module.path)]
            }
            tables.append(table.text)
        }
        if !manifest.bindings.isEmpty {
            // Most manifests have no weights, and need no column for what they choose.
            let showsChoice = manifest.bindings.contains { $0.weights != nil }
            var table = Table(
                headings: ["SERVICE", "BOUND TO"] + (showsChoice ? ["CHOSEN"] : []))
            table.rows = manifest.bindings.map {
                [$0.key.text, $0.words] + (showsChoice ? [manifest.chosenWords($0)] : [])
            }
            tables.append(table.text)
        }
        return tables.isEmpty ? "no modules\n" : tables.joined(separator: "\n")
    }

    private func names(_ texts: ListedTexts) -> String {
        var names: [String] = []
        listing.forEach(texts) { names.append(listing.string($0)) }
        return names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}

extension Manifest {
    /// The module that a binding gives here, in words.
    fileprivate func chosenWords(_ binding: Binding) -> String {
        guard let choice = chosen[binding.key] else { return "-" }
        return switch choice.reason {
        case .chance where binding.weights?.drawsEachCall == true: "at each call"
        case .chance: "by each process"
        case .noValue: "\(choice.module), without a \(binding.weights?.key ?? "")"
        case .bound, .value, .call, .demanded: choice.module
        }
    }
}
