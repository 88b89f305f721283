// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesQuarantine
import Synchronization

/// The modules of one survey: the few that somebody asks for, or all of them.
///
/// Safe from any thread.
final class SurveyedModules: Sendable {
    /// All modules that the survey has seen.
    struct Whole: Sendable {
        /// Sorted by id, then by path.
        let entries: [CatalogEntry]
        let diagnostics: [Diagnostic]
        let indexByID: [String: Int]
    }

    let survey: Survey
    let manifest: Manifest
    let profile: HostProfile
    private let scanned = Mutex<Whole?>(nil)

    init(_ survey: Survey, manifest: Manifest, profile: HostProfile) {
        self.survey = survey
        self.manifest = manifest
        self.profile = profile
    }

    /// All modules, scanned when somebody first asks for them.
    ///
    /// - Precondition: The survey is not narrow.
    var whole: Whole {
        precondition(!survey.isNarrow, "a narrow survey has not looked at all modules")
        return scanned.withLock { scanned in
            if let scanned { return scanned }
            let made = scanAll()
            scanned = made
            return made
        }
    }

    private func scanAll() -> Whole {
        var scan = ModuleScan(survey, manifest: manifest, profile: profile)
        scan.run()
        let entries = LayerRule.applied(to: scan.entries) { _ in scan.entries }
        let indexByID = scan.indexByID
        let references = ManifestReferenceProblem.all(
            in: manifest, entries: entries, indexByID: indexByID)
        return Whole(
            entries: entries,
            diagnostics: scan.diagnostics + references.map(\.diagnostic)
                + scan.quarantineDiagnostics,
            indexByID: indexByID)
    }

    /// The modules that declare a capability. Sorted by id, then by path.
    func entries(declaring capability: Capability) -> [CatalogEntry] {
        switch capability {
        case .feature(let name): entries(under: .feature(name)) { $0.declares(capability) }
        case .service(let service, _):
            entries(under: .service(service)) { $0.declares(capability) }
        }
    }

    /// The modules whose declarations fulfil a condition, found without looking at the others.
    ///
    /// - Parameter key: A key that the cache has for every module that may fulfil it.
    func entries(
        under key: CacheKey, where isWanted: (ModuleDeclaration) -> Bool
    ) -> [CatalogEntry] {
        let isWanted: (CatalogEntry) -> Bool = { $0.declaration.map(isWanted) ?? false }
        if let whole = scanned.withLock({ $0 }) { return whole.entries.filter(isWanted) }
        return applyingLayers(to: scan(for: key).entries.filter(isWanted))
    }

    /// The same entries; those whose declarations break the rule about layers have that problem.
    func applyingLayers(to entries: [CatalogEntry]) -> [CatalogEntry] {
        LayerRule.applied(to: entries) { services in
            services.flatMap { scan(for: .service($0)).entries }
        }
    }

    private func scan(for key: CacheKey) -> ModuleScan {
        var selection = FileSelection()
        selection.add(survey.cachedFiles(key))
        return closedScan(&selection)
    }

    /// Scans the selected files together with those that influence what becomes of them: other modules
    /// with the same ids, and the files that sources are built to.
    func closedScan(_ selection: inout FileSelection) -> ModuleScan {
        for source in survey.directories.flatMap(\.sources) {
            guard let id = source.id else { continue }
            selection.add(survey.cachedFiles(.file(id + DirectorySurvey.suffix)))
        }
        while true {
            var scan = ModuleScan(survey, manifest: manifest, profile: profile, only: selection)
            scan.run()
            let count = selection.count
            for entry in scan.entries {
                selection.add(survey.cachedFiles(.id(entry.id)))
                // The manifest may list the same file under another id.
                if let own = entry.note?.declaration.id {
                    selection.add(survey.cachedFiles(.id(own)))
                }
            }
            if selection.count == count { return scan }
        }
    }

    /// The problems of the files of a manifest's quarantine.
    static func quarantineDiagnostics(_ manifest: Manifest) -> [Diagnostic] {
        let store = QuarantineStore(manifest.store)
        guard store.isThere else { return [] }
        var errors: [QuarantineError] = []
        _ = store.read(&errors)
        return errors.flatMap(\.diagnostics)
    }
}
