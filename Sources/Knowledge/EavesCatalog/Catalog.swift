// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
import EavesELF
package import EavesManifest
import EavesQuarantine
import EavesSystem
package import EavesTrust
import Synchronization

/// The parts of a module's file that header and note do not show.
package struct ModuleExamination: Sendable {
    /// A closure that finds the reasons why a host would not load the file, looked at alone.
    let problems: @Sendable (CatalogEntry) -> [Diagnostic]
    /// A closure that finds the libraries, of those in a text of `LinkedLibraries`, that are not on this machine.
    let missingLibraries: @Sendable (String) -> [String]

    package init(
        missingLibraries: @escaping @Sendable (String) -> [String] = { _ in [] },
        problems: @escaping @Sendable (CatalogEntry) -> [Diagnostic]
    ) {
        self.problems = problems
        self.missingLibraries = missingLibraries
    }

    package static let none = ModuleExamination { _ in [] }
}

/// Everything that is known of a manifest's modules without running any of them. It answers one
/// question above all: who provides this?
///
/// A question about one capability looks only at the modules that may have it, however many there are;
/// a question about all modules looks at all. The answers are the same. What the catalog reads it keeps in
/// the manifest's store, so that the next run reads only what has changed.
///
/// A mistake in one module is a problem of its entry and harms no other module.
///
/// Safe from any thread.
package final class Catalog: Sendable {
    /// The names of the services that the host itself provides, so that no module has to. Qualified.
    package let hostServices: Set<String>
    let host: ScanningHost
    var manifest: Manifest { host.manifest }
    private let table: TableFile?
    private let clock: @Sendable () -> Int64
    private let surveyed: Mutex<SurveyedModules?>

    /// Looks at no module yet.
    ///
    /// - Parameters:
    ///   - profile: The host that the modules are to run in.
    ///   - standing: Modules that stand as they are, by their ids, whatever their files are now: a host
    ///     that has loaded them goes on with them.
    ///   - held: The files of loaded modules, by their ids: as long as one is there, no other file of the directories has
    ///     its id.
    ///   - table: The file that keeps what was read; `nil` to keep nothing.
    ///   - clock: A clock, in nanoseconds since 1970.
    ///   - examination: The closer look at a file where several have one id, and where libraries are missing.
    package init(
        manifest: Manifest, profile: HostProfile, hostServices: Set<String> = [],
        standing: [String: CatalogEntry] = [:], holding held: [String: String] = [:],
        table: TableFile?,
        clock: @escaping @Sendable () -> Int64 = { WallClock.now },
        examination: ModuleExamination = .none
    ) {
        host = ScanningHost(
            manifest: manifest, profile: profile.allowing(compilers: manifest.compilers),
            standing: standing, held: held, examination: examination)
        self.hostServices = hostServices
        self.table = table
        self.clock = clock
        surveyed = Mutex(nil)
    }

    /// Makes a catalog that knows what another one has seen, and looks at no file again.
    ///
    /// - Parameters:
    ///   - manifest: Differs from that of the other catalog in the choice between modules alone.
    ///   - standing: Modules that stand as they are, by their ids, besides those that stand there.
    package init(
        asSeenBy other: Catalog, choosing manifest: Manifest, standing: [String: CatalogEntry]
    ) {
        let host = ScanningHost(
            manifest: manifest, profile: other.host.profile,
            standing: other.host.standing.merging(standing) { $1 }, held: other.host.held,
            examination: other.host.examination)
        self.host = host
        hostServices = other.hostServices
        table = other.table
        clock = other.clock
        surveyed = Mutex(
            other.surveyed.withLock { $0.map { SurveyedModules(asSeenBy: $0, for: host) } })
    }

    // MARK: Some modules

    /// The modules that declare that they provide a service, under whatever names. Sorted by id, then by path.
    package func modules(providing service: String) -> [CatalogEntry] {
        answer { modules in
            modules.entries(under: .service(service)) { $0.provides(service) }
        }
    }

    /// The used module of an id, found without looking at the others.
    package func usedEntry(_ id: String) -> CatalogEntry? {
        answer(where: { $0 != nil }) { $0.entry(ofID: id) }
    }

    func interfaceAnswer<Answer>(_ ask: (inout InterfaceCheck) -> Answer) -> Answer {
        answer { modules in
            var check = modules.interfaceCheck
            return ask(&check)
        }
    }

    var linkedInterfaces: [ProgramInterface] { host.profile.interfaces }

    func isHostService(_ service: String) -> Bool {
        ServiceName.isAmong(hostServices, service)
    }

    // MARK: All modules

    /// Sorted by id, then by path.
    package var entries: [CatalogEntry] { whole.entries }

    /// The problems besides those of the modules: of the manifest's directories and bindings, of sources
    /// whose module is ready all the same, and of the quarantine's files.
    package var diagnostics: [Diagnostic] { whole.diagnostics }

    /// The problems of the quarantine's files, because of which a module may be let in that should be kept out.
    package var quarantineDiagnostics: [Diagnostic] {
        QuarantineCheck(QuarantineStore(manifest.store)).errors.flatMap { $0.diagnostics }
    }

    package var services: ServiceNames { whole.services }

    /// The module that an id stands for, in whatever state it is.
    package func entry(_ id: String) -> CatalogEntry? {
        let whole = self.whole
        return whole.indexByID[id].map { whole.entries[$0] }
    }

    /// The features that the modules declare, sorted by name, then by the module's id.
    package var features: [CatalogFeature] {
        whole.entries.flatMap { entry in
            (entry.declaration?.features ?? []).map { feature in
                CatalogFeature(declaration: feature, module: entry.id, state: entry.state)
            }
        }.ordered { ($0.name, $0.module) < ($1.name, $1.module) }
    }

    /// Looks at all modules again: after a build, files may have changed.
    package func refresh() {
        let fresh = surveyModules(lookingAtAll: true)
        surveyed.withLock { $0 = fresh }
    }

    /// The number of modules' files that had to be read, because the table did not know them as they are.
    package var readCount: Int { modules(isWhole: true).survey.readCount }

    private var whole: SurveyedModules.Whole { modules(isWhole: true).whole }

    /// A text that is another one when a module's file, the manifest or a service of the host is. `nil` if no table knows all
    /// files as they are, if modules stand as they were or are kept out, as the table does not know their last good files,
    /// or if the program has interfaces of its own.
    package var terms: String? {
        let modules = modules(isWhole: false)
        guard host.standing.isEmpty, linkedInterfaces.isEmpty,
            modules.knownFindings.quarantine.keptOut.isEmpty, let known = modules.survey.knownSum
        else { return nil }
        var services = FNV1a()
        for service in hostServices.sorted() { services.add(service + " ") }
        return "\(known) \(manifest.sum) \(services.hash)"
    }

    /// Looks for the modules that the manifest names by their ids alone, which takes no look at a file if the table knows
    /// the directories as they are.
    ///
    /// - Parameter before: The manifest before an edit, if only those ids matter that the edit brings.
    /// - Returns: A warning for each id that no module has.
    /// - Throws: ``UnknownModulesError`` if the manifest protects the host from one of them: what is demanded of a mistyped
    ///   id is demanded of no module.
    package func checkIDs(besides before: Manifest? = nil) throws(UnknownModulesError)
        -> [Diagnostic]
    {
        let doubtful = manifest.modules.filter { listed in
            listed.library == nil && host.held[listed.id] == nil
                && before?.entry(listed.id)?.isProtected != listed.isProtected
                && !modules(isWhole: false).survey.knows(listed.id)
        }
        if doubtful.isEmpty { return [] }
        let unknown = whole.unknown.filter { entry in doubtful.contains { $0.id == entry.id } }
        let error = UnknownModulesError(
            entries: unknown.filter { manifest.entry($0.id)?.isProtected == true })
        guard error.entries.isEmpty else { throw error }
        return unknown.flatMap(\.diagnostics)
    }

    // MARK: How much to look at

    /// Answers from the few modules that a question concerns, if the table knows the directories as they are, these
    /// modules have not changed, and the answer will do. Otherwise looks at all modules.
    func answer<Answer>(
        where willDo: (Answer) -> Bool = { _ in true }, _ ask: (SurveyedModules) -> Answer
    ) -> Answer {
        let modules = modules(isWhole: false)
        let answer = ask(modules)
        if modules.lacksInterface {
            let all = self.modules(isWhole: true)
            _ = all.whole
            return ask(all)
        }
        let isReliable = modules.survey.isWhole || willDo(answer) && !modules.survey.isOutdated
        return isReliable ? answer : ask(self.modules(isWhole: true))
    }

    private func modules(isWhole: Bool) -> SurveyedModules {
        surveyed.withLock { known in
            if let known, !isWhole || known.survey.isWhole { return known }
            let made = surveyModules(lookingAtAll: isWhole)
            known = made
            return made
        }
    }

    private func surveyModules(lookingAtAll looksAtAll: Bool) -> SurveyedModules {
        let now = clock()
        let known = table?.read()
        var survey = Survey(manifest, table: known, now: now, looksAtAll: looksAtAll)
        // Where something has changed, files that are overwritten may have changed too.
        if survey.isNews, !survey.isWhole {
            survey = Survey(manifest, table: known, now: now, looksAtAll: true)
        }
        if survey.isNews { table?.write(survey, since: now) }
        return SurveyedModules(survey, for: host)
    }

    /// Looks at one file, anywhere on the disk. Runs no code of it.
    ///
    /// - Parameters:
    ///   - trust: The check of the manifest that the file is for.
    ///   - checksTrust: Whether to check who can change the file. A file in memory has no place where
    ///     that could be seen.
    package static func inspect(
        file path: String, _ trust: TrustCheck = .own, checksTrust: Bool = true,
        profile: HostProfile
    ) -> CatalogEntry {
        let file = Path.absolute(path)
        var entry = CatalogEntry(ModuleContent(path), file: file, shownAs: path, profile: profile)
        if checksTrust, entry.status != nil,
            let error = trust.error(of: TrustPlace(file, .module))
        {
            entry.problem = .untrusted(error)
        }
        return entry
    }
}

/// A feature that a module of the catalog declares.
public struct CatalogFeature: Sendable {
    package let declaration: FeatureDeclaration
    /// The id of the module.
    public let module: String
    /// The state of the module.
    public let state: ModuleState

    /// The name by which a person launches it.
    public var name: String { declaration.name }
    /// The purpose of the feature, in one line. May be empty.
    public var summary: String { declaration.summary }
}

extension Array {
    /// Returns the elements sorted: these themselves if they are in order already, as most lists are.
    @inlinable package func ordered(by goesBefore: (Element, Element) -> Bool) -> Self {
        let isOrdered = indices.dropFirst().allSatisfy { !goesBefore(self[$0], self[$0 - 1]) }
        return isOrdered ? self : sorted(by: goesBefore)
    }
}
