// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesSystem

/// The memory of a live host from look to look.
struct LiveState: Sendable {
    var book = GenerationBook()
    var trials = TrialBook()
    /// What was taken on where nobody could be told.
    var untold: [HostChange] = []
    /// The modules that were refused as they are on the disk, by their ids: they are not tried again before
    /// something about them has changed.
    var refused: [String: Refusal] = [:]
    /// Those of them that a fresh process would take on, by the ids of the modules.
    var awaiting: [String: (entry: CatalogEntry, identity: FileIdentity)] = [:]
    var unfinished = UnfinishedFiles()
    /// The problems that were told already, by the keys of the capabilities that they are about.
    var told: [String: Obstacle] = [:]
    /// The modules that could not take on each other's state. It is not tried again before something about them
    /// has changed.
    var untransferred: [StateTransfer.Pair: StateTransfer.Refusal] = [:]
    /// The exchanges that were put off, by the ids of the modules that take on the state.
    var postponed: [String: Postponement] = [:]
    /// The problems of the manifest on the disk.
    var manifestProblem: [Diagnostic] = []
    /// The manifest that was looked at last.
    var manifestIdentity = FileIdentity.none
    /// The values that decide between modules that share a binding, without those that a look has added; `nil` before the
    /// first look.
    var choices: BindingChoices?
    /// The last attempt of a fresh process to take over, if one has failed.
    var failedRestart: RunningHost.Standing.FailedRestart?

    /// A module as it was when it was refused, and why.
    struct Refusal: Sendable {
        let entry: CatalogEntry
        let problems: [Diagnostic]
        /// Whether objects of too many generations of the module are in use, and nothing else is wrong.
        var isForWantOfRoom = false
    }

    /// The reasons why a host does not take on what the disk wants of a service or a module.
    struct Obstacle: Sendable, Equatable {
        /// The service, such as `UserService`, or the id of the module; empty for the manifest as a whole.
        let subject: String
        let problems: [Diagnostic]
    }

    /// Everything that the disk wants and that the host has not taken on.
    ///
    /// - Parameter keptOut: The loaded modules whose own files are kept out, by their ids, and what is said of them.
    func obstacles(besides keptOut: [String: [Diagnostic]]) -> [Obstacle] {
        let waiting = trials.waiting.mapValues {
            HostError(ModuleError($0, ProbationObstacle.file($0.id))).problems.map(\.diagnostic)
        }
        let files = keptOut.merging(refused.mapValues(\.problems)) { $1 }.merging(waiting) { $1 }
        let modules = files.map { Obstacle(subject: $0, problems: $1) }
        let manifest =
            manifestProblem.isEmpty ? [] : [Obstacle(subject: "", problems: manifestProblem)]
        return manifest + (Array(told.values) + modules).sorted { $0.subject < $1.subject }
    }

    /// An exchange that waits for calls to end.
    struct Postponement: Sendable {
        /// The module that takes on the state, as it was.
        let entry: CatalogEntry
        /// The two modules; `nil` if the state stays in one.
        let pair: StateTransfer.Pair?
        /// How often it was tried.
        let tries: Int
        /// When it is tried again; `nil` once it is.
        var next: ContinuousClock.Instant?
    }

    /// Notes that an exchange was not possible now.
    mutating func postpone(
        _ entry: CatalogEntry, from module: String, at now: ContinuousClock.Instant = .now
    ) {
        let before = postponed[entry.id].flatMap { $0.entry == entry ? $0.tries : nil } ?? 0
        let pair =
            module == entry.id ? nil : StateTransfer.Pair(from: module, to: entry.id)
        postponed[entry.id] = Postponement(
            entry: entry, pair: pair, tries: before + 1,
            next: now + .seconds(min(60, 1 << min(before, 6))))
    }

    /// Whether an error says that an exchange was put off once more: the first time was told.
    func isRepeated(_ error: any Error) -> Bool {
        guard let error = error as? ModuleError, let reason = error.reason as? HandoverError,
            reason.isPutOff, let postponement = postponed[error.entry.id]
        else { return false }
        return postponement.tries > 1
    }

    /// Lets those exchanges be tried again whose time has come.
    ///
    /// - Returns: Whether there are any.
    mutating func retryPostponed(at now: ContinuousClock.Instant = .now) -> Bool {
        let due = postponed.filter { $0.value.next.map { $0 <= now } ?? false }
        for (id, postponement) in due {
            postponed[id]?.next = nil
            if refused[id]?.entry == postponement.entry { refused[id] = nil }
            if let pair = postponement.pair { untransferred[pair] = nil }
        }
        return !due.isEmpty
    }

    /// Lets those modules be tried again that were refused for want of room, and have some now.
    ///
    /// - Returns: Whether there are any.
    mutating func retryCrowded() -> Bool {
        let free = refused.filter { $0.value.isForWantOfRoom && book.obstacle(to: $0.key) == nil }
        for id in free.keys { refused[id] = nil }
        return !free.isEmpty
    }

    /// Whether a module waits for room.
    var isCrowded: Bool { refused.values.contains(where: \.isForWantOfRoom) }

    /// Enters the modules in the book that were loaded without it.
    mutating func enter(_ loaded: [String: LoadOutcomes.Loaded], _ numbers: GenerationNumbers) {
        for (id, module) in loaded.sorted(by: { $0.key < $1.key }) where book.serving(id) == nil {
            let number = numbers.next()
            module.code?.name(number)
            book.enter(serving: number, of: id, version: module.entry.declaration?.version)
        }
    }
}
