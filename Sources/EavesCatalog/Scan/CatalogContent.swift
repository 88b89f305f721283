// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import EavesDiagnostics
import EavesManifest
import EavesSystem
import Synchronization

/// The modules of a survey: those that are asked for, and all of them when all are.
final class CatalogContent: Sendable {
    /// Everything that a survey has seen.
    struct Whole: Sendable {
        let entries: [CatalogEntry]
        let diagnostics: [Diagnostic]
        let indexByID: [String: Int]
    }

    let survey: ModuleSurvey
    let manifest: Manifest
    let profile: HostProfile
    private let known = Mutex<Whole?>(nil)

    init(_ survey: ModuleSurvey, manifest: Manifest, profile: HostProfile) {
        self.survey = survey
        self.manifest = manifest
        self.profile = profile
    }

    /// Made when it is first asked for.
    var whole: Whole {
        known.withLock { known in
            if let known { return known }
            let made = makeWhole()
            known = made
            return made
        }
    }

    private func makeWhole() -> Whole {
        let survey =
            survey.isNarrow
            ? ModuleSurvey(manifest, cache: survey.cache, now: WallClock.now) : survey
        var scan = CatalogScan(survey, manifest: manifest, profile: profile)
        scan.run()
        let entries = LayerRule.applied(to: scan.entries) { _ in scan.entries }
        let indexByID = scan.indexByID
        let bindings = BindingCheck(manifest, entries: entries, indexByID: indexByID)
        return Whole(
            entries: entries,
            diagnostics: scan.diagnostics + bindings.faults.map(\.diagnostic)
                + scan.quarantineFaults,
            indexByID: indexByID)
    }

    /// What is wrong with the notes of the quarantine.
    var quarantineFaults: [Diagnostic] {
        let store = QuarantineStore(manifest.store)
        guard store.isThere else { return [] }
        var faults: [QuarantineError] = []
        _ = store.read(&faults)
        return faults.flatMap(\.diagnostics)
    }

    /// The entries of ``whole`` that fulfil a condition on their declaration, found without the
    /// others.
    ///
    /// - Parameter key: What whoever fulfils it has in the cache.
    func entries(
        under key: CacheKey, where isWanted: (ModuleDeclaration) -> Bool
    ) -> [CatalogEntry] {
        let isWanted: (CatalogEntry) -> Bool = { $0.declaration.map(isWanted) ?? false }
        if let whole = known.withLock({ $0 }) { return whole.entries.filter(isWanted) }
        return applyingLayers(to: scan(for: key).entries.filter(isWanted))
    }

    /// The same entries; those whose declaration breaks the rule of the layers say so.
    func applyingLayers(to entries: [CatalogEntry]) -> [CatalogEntry] {
        LayerRule.applied(to: entries) { services in
            services.flatMap { scan(for: .service($0)).entries }
        }
    }

    private func scan(for key: CacheKey) -> CatalogScan {
        var selection = KeptFiles()
        selection.add(survey.kept(key))
        return closedScan(&selection)
    }

    /// Goes through the selected files, and those that have a say in what becomes of them: other
    /// modules of the same ids, and what stands where sources are built to.
    func closedScan(_ selection: inout KeptFiles) -> CatalogScan {
        for source in survey.directories.flatMap(\.sources) {
            if let id = source.id { selection.add(survey.kept(.file(id + ModuleDirectory.suffix))) }
        }
        while true {
            var scan = CatalogScan(survey, manifest: manifest, profile: profile, only: selection)
            scan.run()
            let count = selection.count
            for entry in scan.entries {
                selection.add(survey.kept(.id(entry.id)))
                // The manifest may list the same file under another id.
                if let own = entry.note?.declaration.id { selection.add(survey.kept(.id(own))) }
            }
            if selection.count == count { return scan }
        }
    }
}
