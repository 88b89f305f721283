// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesRegistry
import EavesRules

/// The state that goes from one object to another one with a switch.
package struct StateTransfer: Sendable {
    package let from: GenerationLifecycle
    package let old: ModuleLife.Loaded
    package let to: CatalogEntry
    /// The object that takes it on; `nil` until that is prepared.
    package var target: GenerationLifecycle?
    package var snapshot: [UInt8] = []
    /// How long it took to hand it over, while calls went on.
    package var time = Duration.zero
    /// The state of the new object after that: another one means that it was written to.
    var result: [UInt8] = []
    /// How often the old object had been given a state by then.
    private var restores = 0
    /// The old instances, which end when no call is left in them.
    package var left: RetiredInstances?

    init(from: GenerationLifecycle, of old: ModuleLife.Loaded, to: CatalogEntry) {
        self.from = from
        self.old = old
        self.to = to
    }

    package var isPrepared: Bool { target != nil }

    /// The time that it has while calls wait: three times what it took while they went on, if the policy has less.
    package func limit(by policy: LivePolicy) -> Duration { max(policy.gateLimit, time * 3) }

    /// Two modules, of which one would take on the state of the other.
    package struct Pair: Hashable, Sendable {
        let from: String
        let to: String
    }

    /// A pair for which that was refused, as the modules were then.
    package struct Refusal: Sendable {
        let from: CatalogEntry
        let to: CatalogEntry
        let error: ModuleError
        var again: ModuleLife.Again?

        var holds: Bool { again?.isDue != true }
    }

    /// Hands over what the old object has now, if that is something else than before. No function is called any more once
    /// the time is over.
    package mutating func renew(until deadline: ContinuousClock.Instant) throws(HandoverError) {
        guard let target else { return }
        var limit: Duration { max(.zero, deadline - .now) }
        let now = try from.handOver(nil, within: limit, or: HandoverError.noSnapshot)
        let result = try target.handOver(
            now == snapshot ? nil : now, within: limit, or: HandoverError.notRestored)
        (snapshot, self.result, restores) = (now, result, from.restores)
    }

    /// Looks at the old object again when no call is left in it, and carries over what was written to it
    /// since the switch.
    ///
    /// - Returns: `false` if something was written, and cannot be carried over, since the new object was written
    ///   to as well, or serves no longer.
    package func finish(serving isServing: Bool, within limit: Duration) throws(LifecycleError)
        -> Bool
    {
        // A service that has come back to the old object has brought its state along.
        guard let target, from.restores == restores, let late = try from.snapshot(within: limit),
            late != snapshot, from.restores == restores
        else { return true }
        let present = isServing ? try target.snapshot(within: limit) : nil
        // The new object may have had the same call.
        if present == late { return true }
        guard present == result else { return try !isSteady(late, within: limit) }
        try target.restore(late, within: limit, isOwn: true)
        return true
    }

    /// Checks, with objects that no call reaches, that the state arrives and finds its way back: as the very bytes, since
    /// the host does not know a format, and in which of its places another order is another state.
    ///
    /// - Parameters:
    ///   - new: An object of the new code.
    ///   - back: Another one of the old code.
    /// - Returns: The state to hand over.
    package func checkWay(
        to new: GenerationLifecycle, andBack back: GenerationLifecycle, within limit: Duration
    ) throws(HandoverError) -> [UInt8] {
        let before = try from.handOver(nil, within: limit, or: HandoverError.noSnapshot)
        let between = try new.handOver(before, within: limit, or: HandoverError.notRestored)
        let after = try back.handOver(between, within: limit, or: HandoverError.noWayBack)
        guard before == after else { throw .changedOnTheWayBack }
        return before
    }

    /// Whether the old object, in which no call is left, gives the same bytes each time. Those of a set or a dictionary may
    /// come in another order, and say nothing of what was written.
    private func isSteady(_ snapshot: [UInt8], within limit: Duration) throws(LifecycleError)
        -> Bool
    {
        for _ in 0..<3 where try from.snapshot(within: limit) != snapshot { return false }
        return true
    }
}

extension GenerationLifecycle {
    /// Lets the module take on a state, if there is one, and returns the state that it has then.
    ///
    /// - Parameter failure: A function that names the step in the error that is thrown.
    fileprivate func handOver(
        _ state: [UInt8]?, within limit: @autoclosure () -> Duration,
        or failure: (LifecycleError) -> HandoverError
    ) throws(HandoverError) -> [UInt8] {
        do throws(LifecycleError) {
            if let state { try restore(state, within: limit()) }
            return try snapshot(within: limit()) ?? []
        } catch {
            throw failure(error)
        }
    }
}

/// State was written to an old object too late, and is lost.
package struct StateLoss: Error, Diagnosable {
    private let entry: CatalogEntry
    private let reason: LifecycleError?

    /// - Parameter reason: Why the host could not look; `nil` if both objects were written to.
    package init(_ entry: CatalogEntry, _ reason: LifecycleError?) {
        self.entry = entry
        self.reason = reason
    }

    package var diagnostic: Diagnostic {
        Diagnostic(
            "state that was written to the old '\(entry.id)' after the switch is lost: "
                + (reason?.words ?? "the new one was written to as well, or serves no longer"),
            fix: "let callers ask for the service each time, through a Provider or a Handle",
            code: .configuration
        ).naming(entry.id, entry.path)
    }
}

/// The reason why an exchange would lose the state that a module keeps.
package enum HandoverError: Error, Hashable, Sendable {
    /// The new module, or the new file, takes on no state.
    case keepsNone(of: String)
    /// The old one gives no snapshot.
    case noSnapshot(LifecycleError)
    /// The new one does not restore the snapshot of the old one.
    case notRestored(LifecycleError)
    /// The old one could not go on with the state that the new one has, for this reason.
    case noWayBack(LifecycleError)
    /// The old one would have another state on the way back.
    case changedOnTheWayBack
    /// The new one has a state of its own already: it serves others.
    case inUse(String)
    /// Calls of the old one went on for longer than this while those that begin waited. It is tried again.
    case callsGoOn(of: String, Duration)
    /// The state did not go over within this time, while calls that begin waited. It is tried again.
    case stateTakesLong(of: String, Duration)
    /// Several modules would hand over their states to one.
    case several([String])
}

extension HandoverError {
    package var isLate: Bool {
        switch self {
        case .noSnapshot(.hangs), .noSnapshot(.stillHangs), .notRestored(.hangs),
            .notRestored(.stillHangs):
            true
        default: false
        }
    }

    /// Whether the exchange is tried again by itself.
    var isPutOff: Bool {
        switch self {
        case .callsGoOn, .stateTakesLong: true
        default: false
        }
    }
}

extension HandoverError: Diagnosable {
    package var diagnostic: Diagnostic {
        let reason: String
        switch self {
        case .callsGoOn(let module, let limit):
            return Diagnostic(
                "is put off: calls of '\(module)', which keeps state, did not end within \(limit); the "
                    + "old code serves on, and it is tried again, after 1, 2, … 60 seconds",
                fix: "let its calls be shorter, or allow more time with LivePolicy(gateLimit:)",
                code: .configuration)
        case .stateTakesLong(let module, let limit):
            return Diagnostic(
                "is put off: the state of '\(module)' did not go over within \(limit), while calls "
                    + "waited; the old code serves on, and it is tried again, after 1, 2, … 60 seconds",
                fix: "let its snapshots be faster, or allow more time with LivePolicy(gateLimit:)",
                code: .configuration)
        case .keepsNone(let module):
            reason = "'\(module)' keeps state, and the new code takes on none"
        case .noSnapshot(let error):
            reason = "the old code gives no snapshot: \(error.words)"
        case .notRestored(let error):
            reason = "the new code cannot read the snapshot of the old code: \(error.words)"
        case .noWayBack(let error):
            reason =
                "the old code cannot read a snapshot of the new code, so a rollback would lose what "
                + "was written since: \(error.words)"
        case .changedOnTheWayBack:
            reason =
                "after a rollback, the old code would give another snapshot than now: its state would be "
                + "another one, or it does not sort what has no order of its own"
        case .inUse(let module):
            reason = "'\(module)' has a state of its own, which others use"
        case .several(let modules):
            reason =
                "\(modules.joined(separator: " and ")) keep state, and one module cannot take on "
                + "both"
        }
        return Diagnostic(
            "would lose state: \(reason)",
            fix: "let it take on the state, or give it up with 'eaves swap --discard-state', "
                + "which sets \"discardState\" in the module's entry of the manifest",
            code: .configuration)
    }
}
