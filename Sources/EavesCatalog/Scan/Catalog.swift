// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
package import EavesDiagnostics
package import EavesManifest
import EavesSystem

/// What is known of all modules without running any of them.
///
/// The files are looked at when this is made. What is in them is taken apart when it is asked for,
/// and of those that the cache knows only what is asked for.
package struct Catalog: Sendable {
    /// How many modules' files had to be read, because the cache did not know them as they are.
    package let readCount: Int
    private let content: CatalogContent

    /// Looks at every module of a manifest. What is wrong with one is said in its entry and harms no
    /// other. No module's code runs.
    ///
    /// What was found is kept in the manifest's store, so that the next time only what has changed
    /// is read. The result is the same with and without.
    package init(manifest: Manifest, profile: HostProfile) {
        self.init(
            manifest: manifest, profile: profile, cache: CacheFile(in: manifest.store),
            now: WallClock.now)
    }

    /// - Parameters:
    ///   - cache: Where the last catalog was kept and this one will be; `nil` to do without.
    ///   - now: The time, in nanoseconds since 1970.
    package init(manifest: Manifest, profile: HostProfile, cache: CacheFile?, now: Int64) {
        let survey = ModuleSurvey(manifest, cache: cache?.read(), now: now)
        if survey.isNews { cache?.write(survey, since: now) }
        self.init(survey, manifest, profile)
    }

    /// A narrow catalog: looks at the directories, and of the modules only at those that it is asked
    /// for by a service or a feature, however many there are.
    ///
    /// What it finds is as it says. If it finds nothing, or ``isOutdated``, a whole catalog may know
    /// better.
    ///
    /// - Returns: `nil` if there is no cache that knows the directories as they are.
    package init?(narrow manifest: Manifest, profile: HostProfile) {
        guard let cache = CacheFile(in: manifest.store)?.read(narrow: true),
            let survey = ModuleSurvey(narrow: manifest, cache: cache)
        else { return nil }
        self.init(survey, manifest, profile)
    }

    private init(_ survey: ModuleSurvey, _ manifest: Manifest, _ profile: HostProfile) {
        readCount = survey.readCount
        content = CatalogContent(
            survey, manifest: manifest, profile: profile.allowing(compilers: manifest.compilers))
    }

    /// Whether it looks only at what it is asked for.
    package var isNarrow: Bool { content.survey.isNarrow }

    /// Whether a file it was asked for has changed since it was last read.
    package var isOutdated: Bool { content.survey.isOutdated }

    /// Sorted by id, then by path.
    package var entries: [CatalogEntry] { content.whole.entries }

    /// What is wrong beside the modules: with the manifest's directories and bindings, and with
    /// sources whose module is there all the same.
    package var diagnostics: [Diagnostic] { content.whole.diagnostics }

    /// Of these, what is wrong with the notes of the quarantine: a module may be let in that should
    /// not be.
    package var quarantineFaults: [Diagnostic] { content.quarantineFaults }

    /// All of this, for a list of the modules.
    package var listing: CatalogListing { content.listing }

    /// The module that an id stands for, in whatever state it is.
    package func entry(_ id: String) -> CatalogEntry? {
        let whole = content.whole
        return whole.indexByID[id].map { whole.entries[$0] }
    }

    /// The modules that say they provide a service, in whatever state. Sorted by id, then by path.
    ///
    /// - Parameter name: The name that the service is provided under; `nil` for none.
    package func modules(providing service: String, name: String?) -> [CatalogEntry] {
        content.entries(under: .service(service)) { declaration in
            declaration.provides.contains { $0.service == service && $0.name == name }
        }
    }

    /// The modules that say they provide a service, under whatever names.
    package func modules(providing service: String) -> [CatalogEntry] {
        content.entries(under: .service(service)) { $0.provides(service) }
    }

    /// The modules that say they offer a feature, in whatever state. Sorted by id, then by path.
    package func modules(offering feature: String) -> [CatalogEntry] {
        content.entries(under: .feature(feature)) { $0.offers(feature) }
    }
}

extension Catalog {
    /// Looks at one file, anywhere on the disk. No code of it runs.
    ///
    /// - Parameters:
    ///   - folder: That of the manifest that it is for, as an absolute path.
    ///   - checksTrust: Whether it counts who can change the file. A file in memory has no place
    ///     where that could be seen.
    package static func inspect(
        file path: String, for folder: String? = nil, checksTrust: Bool = true,
        profile: HostProfile
    ) -> CatalogEntry {
        let file = Path.absolute(path)
        var entry = CatalogEntry(
            ModuleFile(path), file: file, shownAs: path, profile: profile)
        if checksTrust, entry.status != nil,
            let fault = TrustCheck(from: folder).error(of: TrustPlace(file, .module))
        {
            entry.problem = .untrusted(fault)
        }
        return entry
    }
}
