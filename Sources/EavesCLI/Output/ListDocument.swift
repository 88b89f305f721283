// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesInterface
import EavesJSON
import EavesManifest
import EavesSystem

/// What `eaves list --json` shows.
///
/// Where there is nothing to say about a module, its texts go from the cache to the output as they
/// stand.
struct ListDocument {
    private let listing: CatalogListing
    private let manifest: Manifest

    init(_ listing: CatalogListing, manifest: Manifest) {
        self.listing = listing
        self.manifest = manifest
    }

    /// Writes the contract's object, with a line break at its end.
    func write(to terminal: Terminal) throws(ConsoleError) {
        var failure: ConsoleError?
        var json = JSONStream { bytes in
            guard failure == nil else { return }
            do throws(ConsoleError) { try terminal.write(bytes) } catch { failure = error }
        }
        json.object { json in
            json.value("schema", 1)
            json.array("features") { json in writeFeatures(to: &json) }
            json.array("modules") { json in writeModules(to: &json) }
            json.object("bindings") { json in
                for binding in manifest.bindings { json.member(binding.service, binding.module) }
            }
        }
        json.finish()
        if let failure { throw failure }
    }

    private func writeFeatures(to json: inout JSONStream) {
        let plain = listing.plain
        var others = ListedFeature.all(of: listing.entries)[...]
        for feature in plain.features {
            if !others.isEmpty {
                let (name, id) = (plain.string(feature.name), plain.string(feature.module))
                while let next = others.first, (next.name, next.module) < (name, id) {
                    json.write(others.removeFirst())
                }
            }
            json.write(feature, of: plain)
        }
        for feature in others { json.write(feature) }
    }

    private func writeModules(to json: inout JSONStream) {
        let plain = listing.plain
        let folders = listing.directories.map { folder in
            // Without the quotes around it.
            Array(
                JSON.string(Path.join(folder, "")).text(pretty: false).utf8.dropFirst().dropLast())
        }
        var others = listing.entries[...]
        for module in plain.modules {
            if !others.isEmpty {
                let id = plain.string(module.id)
                while let next = others.first, next.id < id { json.write(others.removeFirst()) }
            }
            json.write(module, in: folders[module.directory], of: plain)
        }
        for entry in others { json.write(entry) }
    }
}
