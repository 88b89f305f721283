// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Decides when a process lets a fresh one take over. A pure value: it knows the policy, and which attempts have
/// failed.
struct RestartDecision {
    /// What is known of the process and the disk at one time.
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
        /// Whether somebody asks for it.
        var isRequested = false
    }

    private let policy: HotRestart.Policy
    /// The facts of the last attempt, which failed.
    private var failed = Facts()

    init(_ policy: HotRestart.Policy) {
        self.policy = policy
    }

    /// The reason for which a fresh process is to take over now; `nil` if there is none, or if it has failed for
    /// this reason already.
    func cause(_ facts: Facts) -> HotRestart.Cause? {
        if facts.isRequested { return .request }
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
    }
}
