// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesLoader
package import EavesManifest
package import EavesRegistry
package import EavesSystem

/// Everything that a host knows of its modules: one life for each module, one for each service, and the manifest.
/// ``ModuleLoader`` writes here what it has loaded. In a host that stays up, ``LivePass`` writes what a look has found out,
/// and ``LiveModules`` what time and calls have shown.
///
/// A module or a service of which nothing is known has no life here: it is not loaded, and nothing is in its way.
package struct Running: Sendable {
    /// Whether the host has stopped. It loads no module any more.
    package internal(set) var isStopped = false
    /// The life cycles that have begun and were not ended, in the order in which their modules began: a new generation
    /// stands next to the one that it replaces.
    package internal(set) var begun: [(entry: CatalogEntry, lifecycle: GenerationLifecycle)] = []
    /// The generations of all modules, and how far each of them is.
    package internal(set) var book = GenerationBook()
    /// By the ids of the modules.
    package internal(set) var modules: [String: ModuleLife] = [:]
    /// By the keys of the capabilities.
    package internal(set) var services: [String: ServiceLife] = [:]
    package internal(set) var manifest = ManifestLife()
    /// The probations that the process before had begun.
    package internal(set) var inherited: InheritedTrials?
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

/// The states of one module in a host, besides those of its generations.
package struct ModuleLife: Sendable {
    /// The module is loaded.
    @Rare package internal(set) var loaded: Loaded?
    /// It could not be loaded. That is not tried again before something about it has changed.
    @Rare package internal(set) var failure: ModuleError?
    /// The state that it restores before it starts for the first time, from the process before.
    package internal(set) var handed: [UInt8]?
    /// All code of it that the host has ever loaded, oldest first: it stays in the process.
    package internal(set) var codes: [LoadedCode] = []
    /// The module's file is refused as it is now. It is not tried again before something about it has changed.
    @Rare package internal(set) var refusal: Refusal?
    /// Another process may still be writing the module's file.
    @Rare package internal(set) var unfinished: Unfinished?
    /// The new file is judged, and the generation before it is kept.
    @Rare package internal(set) var trial: TrialCase?
    /// A newer file has to wait until the one before was judged, and that was told.
    @Rare package internal(set) var waiting: CatalogEntry?
    /// The file was judged to be bad: the module goes back with the next switch.
    @Rare package internal(set) var retreat: Retreat?
    /// The module may go back without the state of a bad one that cannot give it.
    package internal(set) var losesState = false
    /// The exchange that is to hand over state waits for calls to end.
    @Rare package internal(set) var postponement: Postponement?
    /// The modules whose state it could not take on, by their ids. That is not tried again before something about
    /// either has changed.
    package internal(set) var untransferred: [String: StateTransfer.Refusal] = [:]
    /// The account of the generation that the present look has made.
    package internal(set) var account: CallAccount?

    /// Whether the module is loaded.
    package var isLoaded: Bool { $loaded }

    fileprivate var isEmpty: Bool {
        !$loaded && !$failure && handed == nil && codes.isEmpty && !$refusal && !$unfinished
            && !$trial && !$waiting && !$retreat && !losesState && !$postponement
            && untransferred.isEmpty && account == nil
    }

    /// A module that is loaded.
    package struct Loaded: Sendable {
        /// The module as it was when it was loaded.
        package internal(set) var entry: CatalogEntry
        /// Its code; `nil` for an interface module.
        package internal(set) var code: LoadedCode?
        /// Begins and ends its work; `nil` if it has none.
        package internal(set) var lifecycle: GenerationLifecycle?

        package init(
            entry: CatalogEntry, code: LoadedCode? = nil, lifecycle: GenerationLifecycle? = nil
        ) {
            self.entry = entry
            self.code = code
            self.lifecycle = lifecycle
        }

        /// Whether other modules hold its types, so that it cannot be exchanged.
        package var isInterface: Bool { entry.declaration?.layer == .interface }
    }

    /// A module as it was when it was refused, and why.
    package struct Refusal: Sendable {
        package let entry: CatalogEntry
        package let problems: [Diagnostic]
        /// Whether objects of too many generations of the module are in use, and nothing else is wrong.
        package let isForWantOfRoom: Bool
        /// The file, if a fresh process would take it on.
        package let freshProcess: FileIdentity?

        init(_ entry: CatalogEntry, because error: ModuleError) {
            self.entry = entry
            problems = error.diagnostics
            isForWantOfRoom = error.meansWantOfRoom
            freshProcess =
                error.isOfProcess ? entry.status.map { FileIdentity($0) } : nil
        }
    }

    /// A file that cannot be read whole, and that may still become so.
    package struct Unfinished: Sendable {
        package let identity: FileIdentity
        /// When a look has first seen it as it is.
        package let since: ContinuousClock.Instant
    }

    /// An exchange that waits for calls to end.
    package struct Postponement: Sendable {
        /// The module that takes on the state, as it was.
        package let entry: CatalogEntry
        /// The module that has the state.
        package let from: String
        /// How often it was tried.
        package let tries: Int
        /// When it is tried again; `nil` once it is.
        package internal(set) var next: ContinuousClock.Instant?
    }

    /// The way back from a bad file.
    package struct Retreat: Sendable {
        package let to: ModuleLife.Loaded
        /// Keeps the bad file out as long as it is the same; `nil` before the look that goes back.
        package internal(set) var bar: Refusal?
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
package struct ServiceLife: Sendable {
    /// The host has told why it does not take on what the disk wants.
    @Rare package internal(set) var told: Obstacle?
    /// The service is bound to another module, which is judged.
    @Rare package internal(set) var trial: TrialCase?
    /// Modules share the service.
    package internal(set) var shares: CallShares?
    /// Those of them that are judged.
    package internal(set) var canaries: [TrialCase] = []
    /// They share it from this look on: the service's word, until that is told.
    package internal(set) var sharedAnew: String?
    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    @Rare package internal(set) var ruling: Ruling?
    /// A binding was taken back, and the service comes from this module again as soon as the host has looked. The host does
    /// not judge it for that.
    package internal(set) var retreat: String?

    fileprivate var isEmpty: Bool {
        !$told && !$trial && shares == nil && canaries.isEmpty && sharedAnew == nil && !$ruling
            && retreat == nil
    }

    /// The module that provides a service in spite of the manifest's binding.
    package struct Ruling: Sendable {
        package let key: BindingKey
        package let bound: Binding.Target?
        package let module: String
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

/// The reasons why a host does not take on what the disk wants of a service or a module.
package struct Obstacle: Sendable, Equatable {
    /// The service, such as `UserService`, or the id of the module; empty for the manifest as a whole.
    package let subject: String
    package let problems: [Diagnostic]
}

// The modules that are loaded.
extension Running {
    /// The modules that are loaded, by their ids.
    package var loaded: [String: ModuleLife.Loaded] { modules.compactMapValues(\.loaded) }

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

// The things that a host which stays up finds out.
extension Running {
    /// Whether a module's file may still become whole.
    package var hasUnfinished: Bool { modules.values.contains { $0.unfinished != nil } }

    /// Whether a module waits for room.
    package var isCrowded: Bool {
        modules.values.contains { $0.refusal?.isForWantOfRoom == true }
    }

    /// Whether the host has told why it does not give some service as the disk wants.
    package var hasTold: Bool { services.values.contains { $0.told != nil } }

    /// When exchanges that were put off are tried again.
    package var nextTries: [ContinuousClock.Instant] {
        modules.values.compactMap(\.postponement?.next)
    }

    /// The modules whose present files only a fresh process can take on, by their ids.
    package var awaitingFreshProcess: [String: FileIdentity] {
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

    /// Notes what was told of services that the host does not give as the disk wants.
    mutating func tell(_ obstacles: [String: Obstacle]) {
        for key in services.keys where obstacles[key] == nil { self[service: key].told = nil }
        for (key, obstacle) in obstacles { self[service: key].told = obstacle }
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
