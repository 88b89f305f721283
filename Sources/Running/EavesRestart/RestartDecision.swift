// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesSystem
import Synchronization

/// Decides when a process lets a fresh one take over. A pure value: it knows the policy, and which attempts have
/// failed.
struct RestartDecision {
    /// The facts about the process and the disk at one time.
    struct Facts: Hashable, Sendable {
        /// How many generations are part of the process and serve no longer, or never did.
        var generations = 0
        /// The sizes of their files together.
        var bytes = 0
        /// The modules whose files only a fresh process can take on, by their ids.
        var modules: [String: FileIdentity] = [:]
        /// The module whose constructors do not return, so that nothing more can be loaded.
        var linkerHolder: String?
        /// The program's file, if another one has taken the place of the one that runs.
        var program: FileIdentity?
        var isRequested = false
    }

    private let policy: HotRestart.Policy
    private var failed = Facts()
    /// The last attempt, if it is to be made again.
    private var postponed: (cause: HotRestart.Cause, tries: Int, next: ContinuousClock.Instant)?

    init(_ policy: HotRestart.Policy) {
        self.policy = policy
    }

    /// When an attempt that was put off is made again; `nil` if none waits for that.
    func nextAttempt(after now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        postponed.flatMap { $0.next > now ? $0.next : nil }
    }

    /// The reason for which a fresh process is to take over now; `nil` if there is none, or if it has failed for
    /// this reason already.
    func cause(_ facts: Facts, at now: ContinuousClock.Instant = .now) -> HotRestart.Cause? {
        if facts.isRequested { return .request }
        if nextAttempt(after: now) != nil { return nil }
        if postponed?.cause == .request { return .request }
        if let program = facts.program, program != failed.program { return .program }
        if let holder = facts.linkerHolder, holder != failed.linkerHolder { return .hang(holder) }
        let waiting = facts.modules.filter { failed.modules[$0.key] != $0.value }
        if !waiting.isEmpty { return .modules(waiting.keys.sorted()) }
        if let bound = policy.generations, facts.generations - failed.generations >= bound {
            return .generations(facts.generations)
        }
        if let bound = policy.bytes, facts.bytes - failed.bytes >= bound {
            return .bytes(facts.bytes)
        }
        return nil
    }

    /// Notes that an attempt has failed. The same files do not lead to another one, and the bounds count from here.
    mutating func fail(with facts: Facts) {
        failed = facts
        postponed = nil
    }

    /// Notes that an attempt is to be made again: after 1, 2, 4 and so on up to 60 seconds.
    ///
    /// - Returns: Whether it is put off for the first time.
    mutating func postpone(
        _ cause: HotRestart.Cause, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let tries = postponed?.tries ?? 0
        postponed = (cause, tries + 1, now + .seconds(min(60, 1 << min(tries, 6))))
        return tries == 0
    }
}

/// Counts the code that is part of the process and serves no longer.
///
/// Safe from any thread.
final class RestartLoad: Sendable {
    private struct State {
        /// The size of the last file that was loaded of each module.
        var latest: [String: Int] = [:]
        var generations = 0
        var bytes = 0
    }

    private let state = Mutex(State())

    /// Notes that a module is loaded: the code of it that was loaded before stays.
    func add(_ module: CatalogEntry) {
        state.withLock { state in
            if let before = state.latest[module.id] {
                state.generations += 1
                state.bytes += before
            }
            state.latest[module.id] = module.status?.size ?? 0
        }
    }

    var retired: (generations: Int, bytes: Int) {
        state.withLock { ($0.generations, $0.bytes) }
    }
}
