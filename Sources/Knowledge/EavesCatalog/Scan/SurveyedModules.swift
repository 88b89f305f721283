// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesManifest
import EavesQuarantine
import EavesSystem
import Synchronization

/// The modules of one survey: the few that a question is about, or all of them.
///
/// Safe from any thread.
final class SurveyedModules: Sendable {
    struct Whole: Sendable {
        /// Sorted by id, then by path.
        let entries: [CatalogEntry]
        let diagnostics: [Diagnostic]
        let indexByID: [String: Int]
        /// The modules of the manifest that are nowhere, also those that it switches off.
        let unknown: [CatalogEntry]
        let services: ServiceNames
        /// The indices of the modules that may fulfil a key; made for the first question about one.
        fileprivate lazy var indicesByKey: [CatalogKey: [Int]] = {
            var indices: [CatalogKey: [Int]] = [:]
            for (index, entry) in entries.enumerated() {
                guard let declaration = entry.declaration else { continue }
                for key in Set(CatalogKey.all(of: declaration)) {
                    indices[key, default: []].append(index)
                }
            }
            return indices
        }()
    }

    let survey: Survey
    let host: ScanningHost
    var manifest: Manifest { host.manifest }
    private let scanned = Mutex<Whole?>(nil)
    /// The modules that were asked for by their ids.
    private let entriesByID = Mutex<[String: CatalogEntry?]>([:])
    /// The results of scans for keys, by the hashes of the keys: a launch asks for the same service as often as
    /// it plans, loads and compares.
    private let entriesByKey = Mutex<[UInt32: [CatalogEntry]]>([:])
    /// The modules that declare what was asked for.
    private let declaring = Mutex<[Capability: [CatalogEntry]]>([:])
    private let findings: Mutex<ScanFindings?>
    /// The libraries that are not on this machine, by what modules are linked to.
    private let missing = Mutex<[String: [String]]>([:])
    private let hasMissedInterface = Atomic(false)

    init(_ survey: Survey, for host: ScanningHost) {
        self.survey = survey
        self.host = host
        findings = Mutex(nil)
    }

    /// The same files for a host that chooses otherwise between modules, or in which some stand as they are. What is known of
    /// the directories and of the quarantine is not looked up again.
    init(asSeenBy other: SurveyedModules, for host: ScanningHost) {
        survey = other.survey
        self.host = host
        findings = Mutex(other.findings.withLock { $0 })
    }

    /// All modules, scanned for the first question about them.
    ///
    /// - Precondition: The survey is whole.
    var whole: Whole {
        precondition(survey.isWhole, "a survey that is not whole has not looked at all modules")
        return scanned.withLock { scanned in
            if let scanned { return scanned }
            let made = scanAll()
            scanned = made
            return made
        }
    }

    private func scanAll() -> Whole {
        let scan = run()
        let indexByID = scan.indexByID
        var check = InterfaceCheck(
            linked: host.profile.interfaces,
            find: { id in indexByID[id].map { scan.entries[$0] } },
            known: { scan.entries.filter(\.isInterface).map(\.id) })
        let checked = check.applied(to: scan.entries)
        let layered = LayerRule.applied(
            to: checked, unless: { check.isOwn($0, of: $1) }, among: { _ in checked })
        let entries = checkingLibraries(of: layered)
        let references = ManifestReferenceProblem.all(
            in: manifest, entries: entries, indexByID: indexByID)
        return Whole(
            entries: entries,
            diagnostics: scan.diagnostics + references.map(\.diagnostic)
                + scan.quarantineDiagnostics,
            indexByID: indexByID, unknown: scan.unknown,
            services: ServiceNames(of: entries.compactMap(\.declaration)))
    }

    /// The modules that declare a capability. Sorted by id, then by path.
    func entries(declaring capability: Capability) -> [CatalogEntry] {
        // Once all modules are scanned, more is known of them: the messages about interfaces, and libraries.
        let isScanned = scanned.withLock { $0 != nil }
        if !isScanned, let known = declaring.withLock({ $0[capability] }) { return known }
        let key: CatalogKey =
            switch capability {
            case .feature(let name): .feature(name)
            case .service(let service, _): .service(service)
            }
        let entries = entries(under: key) { $0.declares(capability) }
        declaring.withLock { $0[capability] = entries }
        return entries
    }

    func names(ofUnnamed service: String) -> [String] {
        let provisions = entries(under: .service(service)) { $0.provides(service) }
            .filter(\.isAvailable).flatMap { $0.declaration?.provides ?? [] }
            .filter { ServiceName.agree($0.service, service) }
        let names = provisions.compactMap(\.name)
        return names.count == provisions.count ? names : []
    }

    /// The modules whose declarations fulfil a condition, found without looking at the others.
    ///
    /// - Parameter key: A key that the table has for every module that may fulfil it.
    func entries(
        under key: CatalogKey, where isWanted: (ModuleDeclaration) -> Bool
    ) -> [CatalogEntry] {
        let isWanted: (CatalogEntry) -> Bool = { $0.declaration.map(isWanted) ?? false }
        let known = scanned.withLock { scanned -> [CatalogEntry]? in
            guard let indices = scanned?.indicesByKey[key, default: []] else { return nil }
            return indices.compactMap { scanned?.entries[$0] }
        }
        if let known { return known.filter(isWanted) }
        return applyingRules(to: scannedEntries(for: key).filter(isWanted))
    }

    /// The modules that a key leads to, scanned for the first question about them.
    private func scannedEntries(for key: CatalogKey) -> [CatalogEntry] {
        if let known = entriesByKey.withLock({ $0[key.hash] }) { return known }
        let entries = scan(for: key).entries
        entriesByKey.withLock { $0[key.hash] = entries }
        return entries
    }

    func entry(ofID id: String) -> CatalogEntry? {
        var entry = scannedEntry(ofID: id)
        if entry != nil {
            var check = interfaceCheck
            check.apply(to: &entry!)
        }
        return entry
    }

    /// The module that an id stands for; whether it can have its interfaces need not be known yet.
    ///
    /// - Parameter isAlone: Whether to scan for it alone, also if all modules were scanned.
    private func scannedEntry(ofID id: String, alone isAlone: Bool = false) -> CatalogEntry? {
        if let known = entriesByID.withLock({ $0[id] }) { return known }
        let found: CatalogEntry?
        if !isAlone, let whole = scanned.withLock({ $0 }) {
            found = whole.indexByID[id].map { whole.entries[$0] }
        } else {
            let scan = scan(for: .id(id), checkingInterfaces: false)
            found = scan.entries.first { $0.isUsed && $0.id == id }
        }
        entriesByID.withLock { $0[id] = .some(found) }
        return found
    }

    // MARK: Rules about several modules

    /// A check of the interfaces of modules, which looks at no other modules than these interfaces.
    var interfaceCheck: InterfaceCheck {
        InterfaceCheck(
            linked: host.profile.interfaces, find: { [self] in scannedEntry(ofID: $0) },
            known: { [self] in
                if let whole = scanned.withLock({ $0 }) {
                    return whole.entries.filter(\.isInterface).map(\.id)
                }
                hasMissedInterface.store(true, ordering: .relaxed)
                return []
            })
    }

    /// Whether a scan of few modules did not find an interface that one of them names. The message about it
    /// names all interfaces.
    var lacksInterface: Bool {
        hasMissedInterface.load(ordering: .relaxed) && scanned.withLock { $0 == nil }
    }

    /// The same entries; those that cannot have an interface, or whose declarations break the rule about
    /// layers, have that problem.
    func applyingRules(to entries: [CatalogEntry]) -> [CatalogEntry] {
        var check = interfaceCheck
        let checked = check.applied(to: entries)
        return LayerRule.applied(to: checked, unless: { check.isOwn($0, of: $1) }) { services in
            services.flatMap { scannedEntries(for: .service($0)) }
        }
    }

    /// The same entries; those that are linked to libraries which are not on this machine have that problem. If one of
    /// the libraries is a module, a launch says what is wrong with that.
    private func checkingLibraries(of entries: [CatalogEntry]) -> [CatalogEntry] {
        var checked = entries
        for index in entries.indices where lacksLibraries(entries[index]) {
            let missing = missingLibraries(entries[index].libraries ?? "")
            let isLinkedToModule = entries.contains { other in
                missing.contains(Path.name(of: other.file))
                    || (try? ELFFile(other.file).dynamicSection())?.soname.map(missing.contains)
                        == true
            }
            let reasons = isLinkedToModule ? [] : host.examination.problems(entries[index])
            if !reasons.isEmpty { checked[index].problem = .unloadable(reasons) }
        }
        return checked
    }

    /// Whether a module that could be loaded otherwise is linked to libraries that are not on this machine.
    func lacksLibraries(_ entry: CatalogEntry) -> Bool {
        guard entry.problem == nil, entry.isEnabled, entry.isUsed, let libraries = entry.libraries
        else { return false }
        return !missingLibraries(libraries).isEmpty
    }

    /// Returns the libraries of a text that are not on this machine. It looks once for modules that are linked alike.
    func missingLibraries(_ libraries: String) -> [String] {
        missing.withLock { known in
            if let found = known[libraries] { return found }
            let found = host.examination.missingLibraries(libraries)
            known[libraries] = found
            return found
        }
    }

    /// - Parameter checksInterfaces: Whether the choice among files with one id looks at the interfaces that
    ///   they name, which takes further scans.
    private func run(
        only selection: Set<Int>? = nil, checkingInterfaces checksInterfaces: Bool = true
    ) -> ModuleScan {
        let check = InterfaceCheck(
            linked: host.profile.interfaces,
            find: { [self] in scannedEntry(ofID: $0, alone: true) }, known: { [] })
        var scan = ModuleScan(
            survey, for: host, only: selection, knowing: knownFindings,
            choosingBy: checksInterfaces ? check : nil)
        scan.run()
        // If two scans overlap, the later result is kept for the next scan.
        findings.withLock { $0 = scan.findings }
        return scan
    }

    var knownFindings: ScanFindings {
        findings.withLock { findings in
            let known = findings ?? ScanFindings(manifest)
            findings = known
            return known
        }
    }

    /// Scans the files that a key leads to, together with those that influence what becomes of them: other modules
    /// with the same ids, and the files that sources are built to.
    private func scan(
        for key: CatalogKey, checkingInterfaces checksInterfaces: Bool = true
    ) -> ModuleScan {
        var selection = Set(survey.knownFiles(key))
        for source in survey.directories.flatMap(\.sources) {
            guard let id = source.id else { continue }
            selection.formUnion(survey.knownFiles(.file(id + DirectorySurvey.suffix)))
        }
        // Its last good file may declare what its own file, which the table knows, does not.
        for id in knownFindings.quarantine.keptOut {
            selection.formUnion(survey.knownFiles(.id(id)))
        }
        var known: Set<String> = []
        while true {
            let scan = run(only: selection, checkingInterfaces: checksInterfaces)
            let count = selection.count
            for entry in scan.entries {
                if known.insert(entry.id).inserted {
                    selection.formUnion(survey.knownFiles(.id(entry.id)))
                }
                // The manifest may list the same file under another id.
                if let own = entry.note?.declaration.id, known.insert(own).inserted {
                    selection.formUnion(survey.knownFiles(.id(own)))
                }
            }
            if selection.count == count { return scan }
        }
    }
}

extension LayerRule {
    package init(among entries: [CatalogEntry]) {
        self.init()
        for entry in entries where entry.isEnabled && entry.isUsed {
            if let declaration = entry.declaration { add(declaration, id: entry.id) }
        }
    }

    /// Returns the same modules. Each one whose declaration breaks the rule gets the problem `layer`.
    ///
    /// - Parameters:
    ///   - isOwn: Whether a service is a protocol of an interface that a module owns.
    ///   - providers: All modules that provide one of the services; there may be more.
    static func applied(
        to entries: [CatalogEntry], unless isOwn: (String, ModuleDeclaration) -> Bool,
        among providers: (Set<String>) -> [CatalogEntry]
    ) -> [CatalogEntry] {
        // Most modules are not core modules with needs: then there is nothing to look up.
        let suspects = entries.indices.filter {
            guard let declaration = entries[$0].declaration else { return false }
            return entries[$0].state == .ready && declaration.layer == .core
                && !declaration.requires.isEmpty
        }
        guard !suspects.isEmpty else { return entries }
        let services = Set(suspects.flatMap { entries[$0].declaration?.requires ?? [] })
        let rule = LayerRule(among: providers(services))
        var entries = entries
        for index in suspects {
            guard let declaration = entries[index].declaration else { continue }
            let needs = rule.upwardNeeds(of: declaration, using: declaration.requires) {
                isOwn($0, declaration)
            }
            if !needs.isEmpty { entries[index].problem = .layer(needs) }
        }
        return entries
    }
}

extension CatalogEntry {
    fileprivate var isInterface: Bool { declaration?.layer == .interface }
}
