// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesELF
package import EavesManifest
package import EavesRegistry
package import EavesSystem

/// Everything that a host knows of its modules: one life for each module, one for each service, and the manifest.
/// It changes by what the code outside of this room reports, above all by ``take(_:)``: a ``ModuleLoader`` reports what it has
/// loaded; in a host that stays up, ``LivePass`` what a look has decided, and ``LiveModules`` what time and calls have shown.
///
/// A module or a service of which nothing is known has no life here: it is not loaded, and nothing is in its way.
package struct Running: Sendable {
    /// Whether the host has stopped. It loads no module any more.
    package internal(set) var isStopped = false
    /// The life cycles that have begun and were not ended, in the order in which their modules began: a new generation
    /// stands next to the one that it replaces.
    package internal(set) var begun: [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] = []
    /// By the ids of the modules.
    package internal(set) var modules: [String: ModuleLife] = [:]
    /// By the keys of the capabilities.
    package internal(set) var services: [String: ServiceLife] = [:]
    package internal(set) var manifest = ManifestLife()
    /// The ids of the modules whose definitions the process keeps for good.
    private var definers: [ProcessWideDefinition: String] = [:]
    /// The probations that other processes had begun.
    package internal(set) var inherited: InheritedTrials? {
        didSet { if inherited?.isEmpty == true { inherited = nil } }
    }
    /// The changes that the host took on while no observer could hear of them.
    package internal(set) var untold: [HostChange] = []
    /// The last attempt of a fresh process to take over, if one has failed.
    package internal(set) var failedRestart: RunningHost.Standing.FailedRestart?

    package init() {}

    package internal(set) subscript(module id: String) -> ModuleLife {
        get { modules[id] ?? ModuleLife() }
        set { modules[id] = newValue.isEmpty ? nil : newValue }
    }

    package internal(set) subscript(service key: String) -> ServiceLife {
        get { services[key] ?? ServiceLife() }
        set { services[key] = newValue.isEmpty ? nil : newValue }
    }
}

/// The state of the manifest in a live host.
package struct ManifestLife: Sendable {
    /// The file that was looked at last.
    package internal(set) var identity = FileIdentity.none
    /// The problems of the file, for which the host goes by the one before.
    package internal(set) var problems: [Diagnostic] = []
    /// The values that decide between modules that share a binding, without those that a look has added; `nil` before
    /// the first look.
    package internal(set) var choices: BindingChoices?
}

/// The life of one service, or of one feature, in a live host.
package struct ServiceLife: Sendable {
    package internal(set) var state = State.settled
    package internal(set) var shared: Shared?
    /// The host has told why it does not take on what the disk wants.
    package internal(set) var told: Obstacle?
    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    package internal(set) var ruling: Ruling?

    package indirect enum State: Sendable {
        /// It comes from where the manifest says, or from where it has always come.
        case settled
        /// It is bound to another module, which is judged.
        case judged(TrialCase)
        /// A binding was taken back, and the service comes from the second module again with the next switch. The host does
        /// not judge it for that.
        case goingBack(from: String, to: String)
    }

    /// The modules that share its calls.
    package struct Shared: Sendable {
        package internal(set) var shares: CallShares
        /// Those of them that are judged.
        package internal(set) var canaries: [TrialCase]
        /// They share it from this look on: the service's word, until that is told.
        var newWord: String?
    }

    /// The module that provides a service in spite of the manifest's binding.
    package struct Ruling: Sendable {
        package let key: BindingKey
        package let bound: Binding.Target?
        package let module: String
    }
}

extension ServiceLife {
    package var trial: TrialCase? { if case .judged(let trial) = state { trial } else { nil } }
    package var shares: CallShares? { shared?.shares }
    package var canaries: [TrialCase] { shared?.canaries ?? [] }

    /// The module from which it comes again with the next switch.
    var retreat: String? { if case .goingBack(_, let module) = state { module } else { nil } }

    var isSettled: Bool { if case .settled = state { true } else { false } }
    var isEmpty: Bool { isSettled && shared == nil && told == nil && ruling == nil }
}

package typealias Obstacle = RunningHost.Standing.Obstacle

// The modules that are loaded.
extension Running {
    package var loaded: [String: ModuleLife.Loaded] { modules.compactMapValues(\.loaded) }

    /// All generations that the host has seen, in the order of their numbers.
    package var generations: [GenerationBook.Record] {
        modules.values.flatMap { life in
            // The next look notes which ones have drained, and tells of it.
            var book = life.book
            _ = book.retireDrained()
            return book.records
        }.sorted { $0.number < $1.number }
    }

    /// The files that they were loaded from, by their ids.
    package var files: [String: String] { loaded.mapValues(\.entry.file) }

    /// The code of the same build that the process has already; `nil` if it has none.
    ///
    /// - Throws: If the types of the module could not be told apart from those of a build that is loaded.
    package func code(
        of entry: CatalogEntry, with digest: SHA256Digest
    ) throws(ModuleError) -> LoadedCode? {
        let codes = self[module: entry.id].codes
        guard !codes.isEmpty else { return nil }
        return try ModuleError.naming(entry) {
            let tag = entry.note?.tag
            for code in codes {
                if code.digest == digest { return code }
                // Signing a file, or stripping it, does not make another build.
                if let inputs = tag?.inputs, inputs == code.inputs { return code }
            }
            // Modules that use the C ABI alone have no Swift types.
            if tag?.interface != nil, tag?.inputs == nil {
                throw SwapObstacle.sameTypes(entry.id)
            }
            return nil
        }
    }
}

// Loading and stopping.
extension Running {
    /// A module could not be loaded. That is not tried again before something about it has changed. Without effect if a look
    /// has brought it in meanwhile.
    package mutating func fail(_ id: String, because error: ModuleError) {
        if self[module: id].isLoaded { return }
        self[module: id].state = .failed(error, self[module: id].handed)
    }

    /// The process before has handed over the state of a module. Without effect if the module is loaded already.
    package mutating func hand(_ snapshot: [UInt8], to id: String) {
        switch self[module: id].state {
        case .absent, .awaited: self[module: id].state = .awaited(snapshot)
        case .failed(let error, _): self[module: id].state = .failed(error, snapshot)
        case .serving: break
        }
    }

    /// A module is loaded, and its life cycle has begun.
    package mutating func take(_ module: ModuleLife.Loaded) {
        let entry = module.entry
        self[module: entry.id].state = .serving(ModuleLife.Serving(module: module))
        guard let lifecycle = module.lifecycle else { return }
        let place = begun.lastIndex { $0.entry.id == entry.id }.map { $0 + 1 }
        begun.insert((entry, lifecycle), at: place ?? begun.count)
    }

    /// Code of a module is part of the process from now on, whatever becomes of it.
    package mutating func keep(_ code: LoadedCode, of id: String) {
        guard !self[module: id].codes.contains(where: { $0 === code }) else { return }
        self[module: id].codes.append(code)
    }

    /// A file of a module is about to become part of the process.
    ///
    /// - Throws: If its code would run with definitions that the process has already.
    package mutating func define(
        _ definitions: [ProcessWideDefinition], by id: String
    ) throws(SwapObstacle) {
        if let definer = definitions.compactMap({ definers[$0] }).first {
            throw .processWide(id, of: definer, definitions.filter { definers[$0] == definer })
        }
        for definition in definitions { definers[definition] = id }
    }

    /// The file has not become part of the process.
    package mutating func undefine(_ definitions: [ProcessWideDefinition]) {
        for definition in definitions { definers[definition] = nil }
    }

    /// A life cycle is being ended.
    package mutating func forget(_ lifecycle: GenerationLifecycle) {
        begun.removeAll { $0.lifecycle === lifecycle }
    }

    /// The host has stopped: no module is loaded any more.
    ///
    /// - Returns: The life cycles to end, in the order in which they are to end; of one module, the newest first.
    package mutating func stop() -> [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] {
        isStopped = true
        defer { begun = [] }
        let entries = loaded.values.map(\.entry) + begun.map(\.entry)
        var started: [String] = []
        for one in begun where started.last != one.entry.id { started.append(one.entry.id) }
        return StopOrder(entries).order(of: started).flatMap { id in
            begun.reversed().filter { $0.entry.id == id }
        }
    }

    /// A fresh process was to take over, and did not come up.
    package mutating func noteFailedRestart(_ error: HostError) {
        failedRestart = .init(time: WallClock.second, problems: error.problems)
    }
}

// The things that a host which stays up finds out.
extension Running {
    /// Whether a module's file may still become whole.
    package var hasUnfinished: Bool { modules.values.contains(where: \.isUnfinished) }

    /// When time alone may bring something new: a file becomes whole, calls end in a generation that no longer serves, the
    /// process has room again, an exchange that was put off is tried again, or a trial ends; `nil` for never.
    package func nextLook(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        var times = nextTries + [nextEnd].compactMap(\.self)
        for life in modules.values {
            let isDraining = life.book.records.contains { $0.state == .draining }
            if life.isUnfinished || isDraining { times.append(now + .milliseconds(50)) }
            if life.refusal?.error.meansWantOfRoom == true { times.append(now + .seconds(1)) }
        }
        return times.min()
    }

    func hasShare(_ id: String) -> Bool {
        services.values.compactMap(\.shares).flatMap(\.arms).contains { $0.module == id }
    }

    /// Whether the host has told why it does not give some service as the disk wants.
    package var hasTold: Bool { services.values.contains { $0.told != nil } }

    /// When exchanges that were put off are tried again.
    var nextTries: [ContinuousClock.Instant] {
        modules.values.flatMap { life in
            ([life.refusal?.again] + life.untaken.map(\.again)).compactMap { $0?.next }
        }
    }

    /// Whether a module takes over from a bad one, whose state may be lost.
    func isRetreat(from bad: String, to id: String) -> Bool {
        if bad == id { return self[module: id].retreat != nil }
        return services.values.contains { life in
            if case .goingBack(bad, id) = life.state { true } else { false }
        }
    }

    /// The modules whose present files only a fresh process can take on, by their ids.
    package var awaitingFreshProcess: [String: FileIdentity] {
        // A process that has exchanged nothing has no less of anything than a fresh one.
        let isWorn = modules.values.contains { $0.codes.count > 1 }
        return modules.compactMapValues { life in
            life.refusal?.error.freshProcess
                ?? life.failure.flatMap { isWorn || !$0.meansWear ? $0.freshProcess : nil }
        }
    }

    /// The reason why a module is not loaded that a person can act on: if it was built with a newer file of an interface than
    /// the process has, rebuilding it would not help, and a fresh process takes both.
    package func explained(_ error: ModuleError) -> ModuleError {
        guard !(error.reason is UnusableModuleError), !(error.reason is SwapObstacle),
            error.diagnostics.contains(where: { $0.code == .incompatible }),
            let interface = error.entry.declaration?.interfaces.first(where: { need in
                let reason = self[module: need.id].refusal?.error.reason as? SwapObstacle
                return if case .interface? = reason { true } else { false }
            })
        else { return error }
        return ModuleError(error.entry, SwapObstacle.awaits(error.id, interface: interface.id))
    }

    /// Everything that the disk wants and that the host has not taken on.
    var obstacles: [Obstacle] {
        let files = modules.compactMap { id, life -> Obstacle? in
            guard let serving = life.serving else { return nil }
            let problems =
                switch serving.file {
                case .waiting(let entry):
                    HostError(ModuleError(entry, ProbationObstacle.file(id))).problems
                case .refused(let refusal) where refusal.holds: refusal.problems
                // The module's own file is kept out, or another one has its id.
                default: serving.module.entry.warnings
                }
            return problems.isEmpty ? nil : Obstacle(subject: id, problems: problems)
        }
        let told = services.values.compactMap(\.told)
        let manifest =
            manifest.problems.isEmpty ? [] : [Obstacle(subject: "", problems: manifest.problems)]
        return manifest + (told + files).sorted { $0.subject < $1.subject }
    }

    /// Whether an error says that an exchange was put off once more: the first time was told.
    func isRepeated(_ error: any Error) -> Bool {
        guard let error = error as? ModuleError, let reason = error.reason as? HandoverError,
            reason.isPutOff
        else { return false }
        let life = self[module: error.entry.id]
        let known = [life.refusal?.again] + life.untaken.map(\.again)
        return known.contains { $0.map { $0.tries > 1 } ?? false }
    }
}

/// The manifest and the modules that a host goes by. A host that follows the disk gets another outlook
/// whenever something has changed there; any other host keeps its first one.
package struct Outlook: Sendable {
    package let manifest: Manifest
    package let catalog: Catalog

    package init(manifest: Manifest, catalog: Catalog) {
        self.manifest = manifest
        self.catalog = catalog
    }

    /// The same files, with another choice between modules.
    ///
    /// - Parameter standing: Loaded modules by their ids, as they were when they were loaded: the host goes
    ///   on with them, whatever their files are now.
    package init(_ other: Outlook, choosing manifest: Manifest, standing: [String: CatalogEntry]) {
        self.manifest = manifest
        catalog = Catalog(asSeenBy: other.catalog, choosing: manifest, standing: standing)
    }
}
