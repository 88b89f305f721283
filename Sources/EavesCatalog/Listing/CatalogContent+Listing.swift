// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import EavesTrust
import EavesManifest
import EavesSystem

extension CatalogContent {
    /// All modules. Of those that are plain, only the cache is read; the others are gone through as
    /// they always are.
    var listing: CatalogListing {
        plainListing
            ?? CatalogListing(
                entries: whole.entries, plain: PlainModules(in: nil, profile: profile),
                directories: [], diagnostics: whole.diagnostics)
    }

    /// `nil` where a thing is wrong whose message speaks of all modules, or that concerns all of
    /// them.
    private var plainListing: CatalogListing? {
        let paths = survey.directories.map(\.path)
        guard survey.cache != nil, !survey.isNarrow, Set(paths).count == paths.count,
            !QuarantineStore(manifest.store).isThere, TrustCheck.error(of: manifest) == nil
        else { return nil }
        let check = TrustCheck(manifest)
        guard paths.allSatisfy({ check.error(of: TrustPlace($0, .way)) == nil }) else { return nil }
        var plain = PlainModules(
            in: survey.cache, profile: profile,
            capacity: survey.directories.reduce(0) { $0 + $1.files.count })
        var others = KeptFiles()
        for (number, directory) in survey.directories.enumerated() {
            for case .kept(let file) in directory.files where !plain.add(file, in: number) {
                others.add([file])
            }
        }
        // Whatever the manifest speaks of.
        let ids = manifest.modules.map(\.id) + manifest.bindings.map(\.module)
        for id in ids { others.add(survey.kept(.id(id))) }
        let scan = closedScan(&others)
        let indexByID = scan.indexByID
        let bindings = BindingCheck(manifest, entries: scan.entries, indexByID: indexByID)
        guard bindings.faults.isEmpty, ids.allSatisfy({ indexByID[$0] != nil }) else { return nil }
        plain.close(without: others)
        return CatalogListing(
            entries: applyingLayers(to: scan.entries), plain: plain,
            directories: paths.map(manifest.shown), diagnostics: scan.diagnostics)
    }
}
