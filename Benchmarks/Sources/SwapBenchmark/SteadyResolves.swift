// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesHost
import EavesInterface
import Synchronization

/// Two threads that resolve all the time, and count what they should not get.
final class SteadyResolves: Sendable {
    private let host: Host
    private let count: Int
    /// The generation that serves, and the one that is about to, in one number, with a count of the changes:
    /// `changes × count² + serving × count + next`.
    private let expected = Atomic(0)
    private let isOver = Atomic(false)
    private let totals = Atomic(0)
    private let failures = Atomic(0)
    private let staleOnes = Atomic(0)

    init(host: Host, count: Int) {
        self.host = host
        self.count = count
    }

    var total: Int { totals.load(ordering: .relaxed) }
    /// The resolves that threw.
    var failed: Int { failures.load(ordering: .relaxed) }
    /// The resolves that began after a switch, and gave an older generation.
    var stale: Int { staleOnes.load(ordering: .relaxed) }

    /// Says which generation serves, and which one may from now on.
    func expect(_ serving: Int, _ next: Int) {
        let changes = expected.load(ordering: .relaxed) / (count * count) + 1
        expected.store(
            changes * count * count + serving * count + next, ordering: .sequentiallyConsistent)
    }

    /// Resolves on two threads while something else happens.
    func during(_ body: (SteadyResolves) -> Void) -> SteadyResolves {
        let group = DispatchGroup()
        for number in 0..<2 {
            DispatchQueue(label: "steady \(number)").async(group: group) { [self] in run() }
        }
        body(self)
        isOver.store(true, ordering: .relaxed)
        group.wait()
        return self
    }

    private func run() {
        var (own, failed, stale) = (0, 0, 0)
        while !isOver.load(ordering: .relaxed) {
            let before = expected.load(ordering: .sequentiallyConsistent)
            let found = try? host.resolve((any Feature).self, name: "swap")
            let after = expected.load(ordering: .sequentiallyConsistent)
            own += 1
            guard let found, let generation = Int("\(found)") else {
                failed += 1
                continue
            }
            // Where more than one change came between, the resolve may have ended in any of them.
            guard before == after, before > 0 else { continue }
            let pair = before % (count * count)
            if generation != pair / count && generation != pair % count { stale += 1 }
        }
        totals.add(own, ordering: .relaxed)
        failures.add(failed, ordering: .relaxed)
        staleOnes.add(stale, ordering: .relaxed)
    }
}
