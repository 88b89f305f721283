// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesSystem

/// Everything that a host knows of its modules: one life for each module, one for each service, and the manifest.
/// ``ModuleLoader`` writes here what it has loaded. In a host that stays up, ``LivePass`` writes what a look has found out,
/// and ``LiveModules`` what time and calls have shown.
///
/// A module or a service of which nothing is known has no life here: it is not loaded, and nothing is in its way.
struct Running: Sendable {
    /// Whether the host has stopped. It loads no module any more.
    private(set) var isStopped = false
    /// The life cycles that have begun and were not ended, in the order in which their modules began: a new generation
    /// stands next to the one that it replaces.
    private(set) var begun: [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] = []
    /// Which modules' code has asked for which modules' services, as far as the container has no longer a note of it.
    var asked: Set<ModuleUse> = []
    /// The generations of all modules, and how far each of them is.
    var book = GenerationBook()
    /// By the ids of the modules.
    private(set) var modules: [String: ModuleLife] = [:]
    /// By the keys of the capabilities.
    private(set) var services: [String: ServiceLife] = [:]
    var manifest = ManifestLife()
    /// The probations that the process before had begun.
    var inherited: InheritedTrials?
    /// The changes that the host took on while no observer could hear of them.
    var untold: [HostChange] = []
    /// The last attempt of a fresh process to take over, if one has failed.
    var failedRestart: RunningHost.Standing.FailedRestart?

    subscript(module id: String) -> ModuleLife {
        get { modules[id] ?? ModuleLife() }
        set { modules[id] = newValue.isEmpty ? nil : newValue }
    }

    subscript(service key: String) -> ServiceLife {
        get { services[key] ?? ServiceLife() }
        set { services[key] = newValue.isEmpty ? nil : newValue }
    }
}

/// The states of one module in a host, besides those of its generations.
struct ModuleLife: Sendable {
    /// The module is loaded.
    var loaded: Loaded?
    /// It could not be loaded. That is not tried again before something about it has changed.
    var failure: ModuleError?
    /// The state that it restores before it starts for the first time, from the process before.
    var handed: [UInt8]?
    /// All code of it that the host has ever loaded, oldest first: it stays in the process.
    fileprivate(set) var codes: [LoadedCode] = []
    /// The module's file is refused as it is now. It is not tried again before something about it has changed.
    var refusal: Refusal?
    /// Another process may still be writing the module's file.
    var unfinished: Unfinished?
    /// The new file is judged, and the generation before it is kept.
    var trial: TrialCase?
    /// A newer file has to wait until the one before was judged, and that was told.
    var waiting: CatalogEntry?
    /// The file was judged to be bad: the module goes back with the next switch.
    var retreat: Retreat?
    /// The module may go back without the state of a bad one that cannot give it.
    var losesState = false
    /// The exchange that is to hand over state waits for calls to end.
    var postponement: Postponement?
    /// The modules whose state it could not take on, by their ids. That is not tried again before something about
    /// either has changed.
    var untransferred: [String: StateTransfer.Refusal] = [:]
    /// The account of the generation that the present look has made.
    var account: CallAccount?

    fileprivate var isEmpty: Bool {
        loaded == nil && failure == nil && handed == nil && codes.isEmpty && refusal == nil
            && unfinished == nil && trial == nil && waiting == nil && retreat == nil && !losesState
            && postponement == nil && untransferred.isEmpty && account == nil
    }

    /// A module that is loaded.
    struct Loaded: Sendable {
        /// The module as it was when it was loaded.
        var entry: CatalogEntry
        /// Its code; `nil` for an interface module.
        var code: LoadedCode?
        /// Begins and ends its work; `nil` if it has none.
        var lifecycle: GenerationLifecycle?

        /// Whether other modules hold its types, so that it cannot be exchanged.
        var isInterface: Bool { entry.declaration?.layer == .interface }
    }

    /// A module as it was when it was refused, and why.
    struct Refusal: Sendable {
        let entry: CatalogEntry
        let problems: [Diagnostic]
        /// Whether objects of too many generations of the module are in use, and nothing else is wrong.
        let isForWantOfRoom: Bool
        /// The file, if a fresh process would take it on.
        let freshProcess: FileIdentity?

        init(_ entry: CatalogEntry, because error: ModuleError) {
            self.entry = entry
            problems = error.diagnostics
            isForWantOfRoom = error.meansWantOfRoom
            freshProcess =
                error.isOfProcess ? entry.status.map { FileIdentity($0) } : nil
        }
    }

    /// A file that cannot be read whole, and that may still become so.
    struct Unfinished: Sendable {
        let identity: FileIdentity
        /// When a look has first seen it as it is.
        let since: ContinuousClock.Instant
    }

    /// An exchange that waits for calls to end.
    struct Postponement: Sendable {
        /// The module that takes on the state, as it was.
        let entry: CatalogEntry
        /// The module that has the state.
        let from: String
        /// How often it was tried.
        let tries: Int
        /// When it is tried again; `nil` once it is.
        var next: ContinuousClock.Instant?
    }

    /// The way back from a bad file.
    struct Retreat: Sendable {
        let to: ModuleLife.Loaded
        /// Keeps the bad file out as long as it is the same; `nil` before the look that goes back.
        var bar: Refusal?
    }

    /// Whether a file that cannot be read whole may still become so. Notes that it was seen: a file that grows gets
    /// more time with each piece, and one that stays as it is does not.
    ///
    /// - Parameter limit: How long it may stay as it is.
    mutating func isWorthWaiting(
        for identity: FileIdentity, within limit: Duration, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        if let unfinished, unfinished.identity == identity { return now - unfinished.since < limit }
        unfinished = Unfinished(identity: identity, since: now)
        return true
    }
}

/// The states of one service, or of one feature, in a live host.
struct ServiceLife: Sendable {
    /// The host has told why it does not take on what the disk wants.
    var told: Obstacle?
    /// The service is bound to another module, which is judged.
    var trial: TrialCase?
    /// Modules share the service.
    var shares: CallShares?
    /// Those of them that are judged.
    var canaries: [TrialCase] = []
    /// They share it from this look on: the service's word, until that is told.
    var sharedAnew: String?
    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    var ruling: Ruling?
    /// A binding was taken back, and the service comes from this module again as soon as the host has looked. The host does
    /// not judge it for that.
    var retreat: String?

    fileprivate var isEmpty: Bool {
        told == nil && trial == nil && shares == nil && canaries.isEmpty && sharedAnew == nil
            && ruling == nil && retreat == nil
    }

    /// The module that provides a service in spite of the manifest's binding.
    struct Ruling: Sendable {
        let key: BindingKey
        let bound: Binding.Target?
        let module: String
    }
}

/// The state of the manifest in a live host.
struct ManifestLife: Sendable {
    /// The file that was looked at last.
    var identity = FileIdentity.none
    /// The problems of the file, for which the host goes by the one before.
    var problems: [Diagnostic] = []
    /// The values that decide between modules that share a binding, without those that a look has added; `nil` before
    /// the first look.
    var choices: BindingChoices?
}

/// The reasons why a host does not take on what the disk wants of a service or a module.
struct Obstacle: Sendable, Equatable {
    /// The service, such as `UserService`, or the id of the module; empty for the manifest as a whole.
    let subject: String
    let problems: [Diagnostic]
}

// The modules that are loaded.
extension Running {
    /// The modules that are loaded, by their ids.
    var loaded: [String: ModuleLife.Loaded] { modules.compactMapValues(\.loaded) }

    /// Notes what a module is loaded as from now on. Its life cycle has begun.
    mutating func take(_ module: ModuleLife.Loaded) {
        let entry = module.entry
        self[module: entry.id].loaded = module
        self[module: entry.id].handed = nil
        guard let lifecycle = module.lifecycle else { return }
        let place = begun.lastIndex { $0.entry.id == entry.id }.map { $0 + 1 }
        begun.insert((entry, lifecycle), at: place ?? begun.count)
    }

    /// Forgets a life cycle that is being ended.
    mutating func forget(_ lifecycle: GenerationLifecycle) {
        begun.removeAll { $0.lifecycle === lifecycle }
    }

    /// Ends the loading of modules.
    ///
    /// - Parameter uses: Which modules' code has asked for which modules' services.
    /// - Returns: The life cycles to end, in the order in which they are to end; of one module, the newest first.
    mutating func stop(
        knowing uses: Set<ModuleUse>
    ) -> [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] {
        isStopped = true
        defer { begun = [] }
        let entries = loaded.values.map(\.entry) + begun.map(\.entry)
        var started: [String] = []
        for one in begun where started.last != one.entry.id { started.append(one.entry.id) }
        return StopOrder(entries, asked: asked.union(uses)).order(of: started).flatMap { id in
            begun.reversed().filter { $0.entry.id == id }
        }
    }

    /// Notes that code of a module is part of the process from now on, whatever becomes of it.
    mutating func keep(_ code: LoadedCode, of id: String) {
        guard !self[module: id].codes.contains(where: { $0 === code }) else { return }
        self[module: id].codes.append(code)
    }

    /// The code of the same build that the process has already; `nil` if it has none.
    ///
    /// - Throws: If the types of the module could not be told apart from those of a build that is loaded.
    func code(of module: CheckedModule) throws(ModuleError) -> LoadedCode? {
        let codes = self[module: module.entry.id].codes
        guard !codes.isEmpty else { return nil }
        return try ModuleError.naming(module.entry) {
            let digest = module.copy.digest
            let tag = module.entry.note?.tag
            for code in codes {
                if code.digest == digest { return code }
                // Signing a file, or stripping it, does not make another build.
                if let inputs = tag?.inputs, inputs == code.inputs { return code }
            }
            // Modules that use the C ABI alone have no Swift types.
            if tag?.interface != nil, tag?.inputs == nil {
                throw SwapObstacle.sameTypes(module.entry.id)
            }
            return nil
        }
    }
}

// The things that a host which stays up finds out.
extension Running {
    /// Whether a module's file may still become whole.
    var hasUnfinished: Bool { modules.values.contains { $0.unfinished != nil } }

    /// Whether a module waits for room.
    var isCrowded: Bool {
        modules.values.contains { $0.refusal?.isForWantOfRoom == true }
    }

    /// Whether the host has told why it does not give some service as the disk wants.
    var hasTold: Bool { services.values.contains { $0.told != nil } }

    /// When exchanges that were put off are tried again.
    var nextTries: [ContinuousClock.Instant] { modules.values.compactMap(\.postponement?.next) }

    /// The modules whose present files only a fresh process can take on, by their ids.
    var awaitingFreshProcess: [String: FileIdentity] {
        modules.compactMapValues(\.refusal?.freshProcess)
    }

    /// Everything that the disk wants and that the host has not taken on.
    var obstacles: [Obstacle] {
        let files = modules.compactMap { id, life -> Obstacle? in
            let problems =
                life.waiting.map {
                    HostError(ModuleError($0, ProbationObstacle.file($0.id))).problems
                        .map(\.diagnostic)
                } ?? life.refusal?.problems
                // The module's own file is kept out.
                ?? life.loaded?.entry.standInWarning.map { [$0] }
            return problems.map { Obstacle(subject: id, problems: $0) }
        }
        let told = services.values.compactMap(\.told)
        let manifest =
            manifest.problems.isEmpty ? [] : [Obstacle(subject: "", problems: manifest.problems)]
        return manifest + (told + files).sorted { $0.subject < $1.subject }
    }

    /// Enters the modules in the book that were loaded without it.
    mutating func enter(_ numbers: GenerationNumbers) {
        for (id, module) in loaded.sorted(by: { $0.key < $1.key }) where book.serving(id) == nil {
            let number = numbers.next()
            module.code?.name(number)
            book.enter(serving: number, of: id, version: module.entry.declaration?.version)
        }
    }

    /// Notes what was told of services that the host does not give as the disk wants.
    mutating func tell(_ obstacles: [String: Obstacle]) {
        for key in services.keys where obstacles[key] == nil { self[service: key].told = nil }
        for (key, obstacle) in obstacles { self[service: key].told = obstacle }
    }

    /// Forgets which modules could not take on a state, except for the transfers that the present look wants.
    mutating func forgetTransfers(but wanted: Set<StateTransfer.Pair>) {
        for (id, life) in modules where !life.untransferred.isEmpty {
            self[module: id].untransferred = life.untransferred.filter {
                wanted.contains(.init(from: $0.key, to: id))
            }
        }
    }

    /// Notes that an exchange was not possible now.
    mutating func postpone(
        _ entry: CatalogEntry, from module: String, at now: ContinuousClock.Instant = .now
    ) {
        let known = self[module: entry.id].postponement
        let before = known.map { $0.entry == entry ? $0.tries : 0 } ?? 0
        self[module: entry.id].postponement = ModuleLife.Postponement(
            entry: entry, from: module, tries: before + 1,
            next: now + .seconds(min(60, 1 << min(before, 6))))
    }

    /// Whether an error says that an exchange was put off once more: the first time was told.
    func isRepeated(_ error: any Error) -> Bool {
        guard let error = error as? ModuleError, let reason = error.reason as? HandoverError,
            reason.isPutOff, let postponement = self[module: error.entry.id].postponement
        else { return false }
        return postponement.tries > 1
    }

    /// Lets those modules be tried again for which it is time: their exchange was put off, or they were refused for want
    /// of room and have some now.
    ///
    /// - Returns: Whether there are any.
    mutating func retry(at now: ContinuousClock.Instant = .now) -> Bool {
        var hasAny = false
        for (id, life) in modules {
            if let postponement = life.postponement, let next = postponement.next, next <= now {
                hasAny = true
                self[module: id].postponement?.next = nil
                self[module: id].untransferred[postponement.from] = nil
                if life.refusal?.entry == postponement.entry { self[module: id].refusal = nil }
            }
            if life.refusal?.isForWantOfRoom == true, book.obstacle(to: id) == nil {
                hasAny = true
                self[module: id].refusal = nil
            }
        }
        return hasAny
    }
}

extension ModuleError {
    /// Whether the reason lies in this process alone, so that a fresh one would take the file.
    fileprivate var isOfProcess: Bool {
        if case .linkerIsHeld? = reason as? LoadError { return true }
        return switch reason as? SwapObstacle {
        case .sameTypes?, .interface?, .tooMany?: true
        // In any process, a client would miss what the file no longer provides.
        case .takesAway?, nil: false
        }
    }
}
