// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesDeclaration
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTrust

// The quick way to a listing: self-contained modules come from the cache as they stand, and only the
// other modules are scanned. With a thousand modules, a listing through entries alone takes twice as long
// (Documentation/Benchmarks.md).
extension SurveyedModules {
    /// All modules as a list shows them.
    var listing: CatalogListing {
        quickListing
            ?? CatalogListing(whole.entries, whole.services, diagnostics: whole.diagnostics)
    }

    /// - Returns: `nil` where something is wrong that concerns all modules, or whose message names all
    ///   modules.
    private var quickListing: CatalogListing? {
        let paths = survey.directories.map(\.path)
        guard let cache = survey.cache, !survey.isNarrow, Set(paths).count == paths.count,
            !QuarantineStore(manifest.store).isThere
        else { return nil }
        guard paths.allSatisfy({ manifest.trust.error(of: TrustPlace($0, .way)) == nil }) else {
            return nil
        }

        var collector = SelfContainedModules(
            cache, profile: host.profile, interfaces: interfaceCheck,
            hasLibraries: { [self] in missingLibraries($0).isEmpty })
        var others = FileSelection()
        for (number, directory) in survey.directories.enumerated() {
            for case .unchanged(let file) in directory.files
            where !collector.add(file, directory: number) {
                others.add([file])
            }
        }
        // The manifest has a say in every module that it names.
        let ids = manifest.modules.map(\.id) + manifest.bindings.flatMap(\.modules)
        for id in ids { others.add(survey.cachedFiles(.id(id))) }
        let scan = closedScan(&others)
        let indexByID = scan.indexByID
        let references = ManifestReferenceProblem.all(
            in: manifest, entries: scan.entries, indexByID: indexByID)
        guard references.isEmpty, ids.allSatisfy({ indexByID[$0] != nil }) else { return nil }
        let entries = applyingRules(to: scan.entries)
        guard !lacksInterface, !entries.contains(where: lacksLibraries),
            cacheTellsSharedWords(entries)
        else { return nil }
        let services = ServiceNames(of: entries.compactMap(\.declaration))
        let (modules, features) = collector.sorted(without: others)
        return CatalogListing(
            entries, services, modules: modules, features: features,
            directories: paths.map(manifest.shown), cache: cache, diagnostics: scan.diagnostics)
    }
}

extension SurveyedModules {
    /// Whether no module that the cache does not know names a service by its whole name: else that name could
    /// share its word with a service of a module that the cache takes for self-contained.
    private func cacheTellsSharedWords(_ entries: [CatalogEntry]) -> Bool {
        let changed = survey.directories.flatMap { directory in
            directory.files.compactMap { file -> String? in
                if case .unchanged = file { return nil }
                return Path.join(directory.path, survey.name(file))
            }
        }
        let unknown = Set(changed)
        return entries.allSatisfy { entry in
            guard entry.note == nil || unknown.contains(entry.file), let own = entry.declaration
            else { return true }
            return !(own.provides.map(\.service) + own.requires).contains {
                ServiceName.module($0) != nil
            }
        }
    }
}

/// Collects the modules of a cache that need no scan.
private struct SelfContainedModules {
    private let cache: CatalogCache
    private let profile: HostProfile
    /// With the number of each module's file.
    private var modules: [(file: Int, module: ListedModule)] = []
    private var features: [(file: Int, feature: ListedFeature)] = []
    /// Whether the host takes modules of a build.
    private var isCompatible: [UInt32: Bool] = [:]
    private var interfaces: InterfaceCheck
    /// Whether modules can have interfaces that nobody owns, by the first row of the list that names them.
    private var hasInterfaces: [UInt32: Bool] = [:]
    /// Whether modules implement what their interfaces require, by the first rows of both lists.
    private var fits: [UInt64: Bool] = [:]
    private let hasLibraries: (String) -> Bool
    /// Whether this machine has the libraries, by the text that names them.
    private var hasKnownLibraries: [CachedText: Bool] = [:]

    init(
        _ cache: CatalogCache, profile: HostProfile, interfaces: InterfaceCheck,
        hasLibraries: @escaping (String) -> Bool
    ) {
        self.cache = cache
        self.profile = profile
        self.interfaces = interfaces
        self.hasLibraries = hasLibraries
    }

    /// Adds the module of a file that has not changed.
    ///
    /// - Parameter directory: The number of the file's directory.
    /// - Returns: Whether the module is self-contained, fits the host, can have its interfaces and libraries,
    ///   and cannot be changed by another user.
    mutating func add(_ number: Int, directory: Int) -> Bool {
        guard let file = cache.file(number), file.isSelfContained == 1,
            file.kind == FileStatus.Kind.file.number,
            // A group that is the owner's own may write too; a scan finds that out.
            !FileStatus.isWritableByOthers(mode: file.mode),
            FileStatus.isTrusted(owner: file.owner),
            let module = cache.module(file), isCompatible(module.build),
            module.interfaces.count == 0 || hasInterfaces(module) && fits(module),
            hasLibraries(module.libraries)
        else { return false }
        for index in module.features.range {
            guard let feature = cache.featureRow(index) else { return false }
            features.append(
                (
                    number,
                    ListedFeature(
                        name: .cached(feature.name), summary: .cached(feature.summary),
                        module: .cached(module.id), state: .ready)
                ))
        }
        modules.append(
            (
                number,
                ListedModule(
                    id: .cached(module.id), version: .cached(module.version),
                    path: .file(file.name, directory: directory), state: .ready, problem: nil,
                    provides: .provisions(ListedRows(range: module.provides.range)),
                    requires: .requirements(ListedRows(range: module.requires.range)),
                    isPinned: false)
            ))
        return true
    }

    private mutating func isCompatible(_ build: UInt32) -> Bool {
        if let known = isCompatible[build] { return known }
        let found = cache.build(build).map { row in
            row.machine == UInt64(profile.machine.rawValue)
                && profile.compatibilityProblem(of: cache.tag(row)) == nil
        }
        isCompatible[build] = found ?? false
        return found ?? false
    }

    /// Most modules are linked alike, and so have one text about it in the cache.
    private mutating func hasLibraries(_ text: CachedText) -> Bool {
        if text.isNone { return true }
        if let known = hasKnownLibraries[text] { return known }
        let found = cache.string(text).map(hasLibraries) ?? false
        hasKnownLibraries[text] = found
        return found
    }

    /// Most modules name the same interfaces, and so have one list of them in the cache. If somebody owns one
    /// of them, it depends on the module whether it may name it.
    private mutating func hasInterfaces(_ module: CacheModuleRow) -> Bool {
        let rows = module.interfaces
        if let known = hasInterfaces[rows.start] { return known }
        guard let needs = cache.interfaceNeeds(rows), let user = cache.interfaceUser(module) else {
            return false
        }
        let found = interfaces.problems(of: needs, for: user).isEmpty
        if !interfaces.isAnyOwned(among: needs) { hasInterfaces[rows.start] = found }
        return found
    }

    private mutating func fits(_ module: CacheModuleRow) -> Bool {
        if module.implemented.count == 0 { return true }
        let key = UInt64(module.interfaces.start) << 32 | UInt64(module.implemented.start)
        if let known = fits[key] { return known }
        guard let needs = cache.interfaceNeeds(module.interfaces),
            let implemented = cache.digests(module.implemented)
        else { return false }
        let found = interfaces.fits(implemented, needs)
        fits[key] = found
        return found
    }

    /// The modules sorted by id, and their features sorted by name and id.
    ///
    /// - Parameter others: Files whose modules are scanned after all.
    consuming func sorted(
        without others: FileSelection
    ) -> (modules: [ListedModule], features: [ListedFeature]) {
        if others.count > 0 {
            modules.removeAll { others.contains($0.file) }
            features.removeAll { others.contains($0.file) }
        }
        let cache = cache
        return (
            Self.sorted(modules.map(\.module)) {
                $0.id.isBefore($1.id, in: cache) ?? false
            },
            Self.sorted(features.map(\.feature)) {
                $0.name.isBefore($1.name, in: cache)
                    ?? $0.module.isBefore($1.module, in: cache) ?? false
            }
        )
    }

    /// Most files are named for their modules, and these for their features: then nothing has to be
    /// sorted.
    private static func sorted<Element>(
        _ elements: [Element], _ isBefore: (Element, Element) -> Bool
    ) -> [Element] {
        let isSorted = elements.indices.dropFirst().allSatisfy {
            !isBefore(elements[$0], elements[$0 - 1])
        }
        return isSorted ? elements : elements.sorted(by: isBefore)
    }
}
