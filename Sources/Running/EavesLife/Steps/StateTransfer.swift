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
        let now = try HandoverError.naming(HandoverError.noSnapshot) { () throws(LifecycleError) in
            try from.snapshot(within: limit) ?? []
        }
        let result = try HandoverError.naming(HandoverError.notRestored) {
            () throws(LifecycleError) in
            if now != snapshot { try target.restore(now, within: limit) }
            return try target.snapshot(within: limit) ?? []
        }
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

    /// Checks, with objects that no call reaches, that the state arrives and finds its way back.
    ///
    /// - Parameters:
    ///   - new: An object of the new code.
    ///   - back: Another one of the old code.
    /// - Returns: The state to hand over.
    package func checkWay(
        to new: GenerationLifecycle, andBack back: GenerationLifecycle, within limit: Duration
    ) throws(HandoverError) -> [UInt8] {
        let before = try HandoverError.naming(HandoverError.noSnapshot) {
            () throws(LifecycleError) in
            try from.snapshot(within: limit) ?? []
        }
        let between = try HandoverError.naming(HandoverError.notRestored) {
            () throws(LifecycleError) in
            try new.restore(before, within: limit)
            return try new.snapshot(within: limit) ?? []
        }
        let after = try HandoverError.naming(HandoverError.noWayBack) { () throws(LifecycleError) in
            try back.restore(between, within: limit)
            return try back.snapshot(within: limit) ?? []
        }
        // Sets and dictionaries that were restored may come in another order.
        guard before == after || before.counts == after.counts else {
            throw .changedOnTheWayBack
        }
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

extension [UInt8] {
    /// How often each value is there.
    fileprivate var counts: [Int] {
        var counts = [Int](repeating: 0, count: 256)
        for byte in self { counts[Int(byte)] += 1 }
        return counts
    }
}

extension HandoverError {
    /// Runs a function of a life cycle, and names the step in the error that it throws.
    package static func naming<Result>(
        _ name: (LifecycleError) -> HandoverError, _ step: () throws(LifecycleError) -> Result
    ) throws(HandoverError) -> Result {
        do throws(LifecycleError) {
            return try step()
        } catch {
            throw name(error)
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
    package var diagnostic: Diagnostic { Diagnostic(words, fix: fix, code: .configuration) }

    private var fix: String {
        switch self {
        case .callsGoOn:
            return "let its calls be shorter, or allow more time with LivePolicy(gateLimit:)"
        case .stateTakesLong:
            return "let its snapshots be faster, or allow more time with LivePolicy(gateLimit:)"
        default: break
        }
        return "let it take on the state, or give it up with 'eaves swap --discard-state', "
            + "which sets \"discardState\" in the module's entry of the manifest"
    }

    private var words: String {
        let reason: String
        switch self {
        case .callsGoOn(let module, let limit):
            return "is put off: calls of '\(module)', which keeps state, did not end within "
                + "\(limit); the old code serves on, and it is tried again, after 1, 2, … 60 seconds"
        case .stateTakesLong(let module, let limit):
            return
                "is put off: the state of '\(module)' did not go over within \(limit), while calls "
                + "waited; the old code serves on, and it is tried again, after 1, 2, … 60 seconds"
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
            reason = "after a rollback, the old code would have another state than now"
        case .inUse(let module):
            reason = "'\(module)' has a state of its own, which others use"
        case .several(let modules):
            reason =
                "\(modules.joined(separator: " and ")) keep state, and one module cannot take on "
                + "both"
        }
        return "would lose state: \(reason)"
    }
}

// How a look decides which module takes on the state of which other one.
extension Look {
    /// Whether a module may take the place of another one, or of an older file of its own, without the state of that.
    package func mayLoseState(of other: String, to entry: CatalogEntry) -> Bool {
        // Taking a bad module away matters more than the state that it cannot give.
        discardsState || disk.catalog.entry(entry.id)?.discardsState == true
            || running.isRetreat(from: other, to: entry.id)
    }

    package func mayLoseState(_ transfer: StateTransfer) -> Bool {
        mayLoseState(of: transfer.from.module, to: transfer.to)
    }

    /// Lets a generation take on the state of the one whose place it takes.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from old: ModuleLife.Loaded, to new: ModuleLife.Loaded
    ) throws(ModuleError) {
        guard let lifecycle = old.lifecycle, lifecycle.keepsState else { return }
        let entry = new.entry
        if new.lifecycle?.keepsState == true {
            self[entry.id].handing = .takes(StateTransfer(from: lifecycle, of: old, to: entry))
        } else if !mayLoseState(of: old.entry.id, to: entry) {
            throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
        }
    }

    /// Notes that a service is to move from one module to another one.
    ///
    /// - Throws: If it is known that the other one cannot take on the state.
    mutating func announceTransfer(
        from module: String, to provider: CatalogEntry
    ) throws(ModuleError) {
        guard let (old, _) = keeper(of: module, for: provider) else { return }
        wantedTransfers.insert(StateTransfer.Pair(from: module, to: provider.id))
        let untaken = running[module: provider.id].untaken
        guard let refusal = untaken.first(where: { $0.from.id == module }), refusal.holds else {
            return
        }
        if refusal.from == old.entry, refusal.to == provider,
            !mayLoseState(of: module, to: provider)
        {
            throw refusal.error
        }
        note(.takes(provider.id, from: module))
    }

    /// Lets a module that is loaded, or on its way, take on the state of the one that has a service now.
    ///
    /// - Throws: If the state would be lost.
    mutating func demandTransfer(
        from module: String, to provider: CatalogEntry, _ facts: Facts
    ) throws(ModuleError) {
        guard let (old, lifecycle) = keeper(of: module, for: provider) else { return }
        do throws(HandoverError) {
            guard try isNewTransfer(of: lifecycle, to: provider, facts) else { return }
            self[provider.id].handing = .takes(
                StateTransfer(from: lifecycle, of: old, to: provider))
        } catch {
            if mayLoseState(of: module, to: provider) { return }
            let refusal = ModuleError(provider, error)
            if self[provider.id].staged?.isFirst == true {
                // It is not made again at each look.
                note(.untaken(.init(from: old.entry, to: provider, error: refusal)))
            }
            throw refusal
        }
    }

    /// The loaded module that has a service now, if it keeps state which another one has to take on.
    func keeper(
        of module: String, for provider: CatalogEntry
    ) -> (ModuleLife.Loaded, GenerationLifecycle)? {
        guard module != provider.id, self[provider.id].lost != module,
            let old = running[module: module].loaded, let lifecycle = old.lifecycle,
            lifecycle.keepsState
        else { return nil }
        return (old, lifecycle)
    }

    /// Whether a module does not take on the state yet.
    ///
    /// - Throws: The reason why it cannot.
    private func isNewTransfer(
        of lifecycle: GenerationLifecycle, to provider: CatalogEntry, _ facts: Facts
    ) throws(HandoverError) -> Bool {
        let known = self[provider.id].transfer
        if known?.from === lifecycle { return false }
        // What its own earlier file has goes, unless a caller reaches that: the service was elsewhere since.
        let isOwn = known.map { $0.from.module == provider.id && !$0.isPrepared } ?? false
        if !isOwn, let other = known?.from.module ?? self[provider.id].lost {
            throw .several([other, lifecycle.module].sorted())
        }
        let target = self[provider.id].staged?.module ?? running[module: provider.id].loaded
        guard target?.lifecycle?.keepsState == true else { throw .keepsNone(of: lifecycle.module) }
        if facts.served.contains(where: { $0.module == provider.id }) { throw .inUse(provider.id) }
        return true
    }

    /// Puts off an exchange that is to hand over a state: it is tried again after 1, 2, … 60 seconds.
    package mutating func postpone(_ id: String, _ reason: HandoverError) {
        guard let transfer = self[id].transfer else { return }
        let life = running[module: id]
        var before: ModuleLife.Again?
        if transfer.from.module == id, case .refused(let known)? = life.serving?.file,
            known.entry == transfer.to
        {
            before = known.again
        } else if let known = life.untaken.first(where: { $0.from.id == transfer.from.module }),
            known.to == transfer.to
        {
            before = known.again
        }
        giveUp(id, ModuleError(transfer.to, reason), again: ModuleLife.Again(after: before))
    }

    /// Decides that a module does not take on a state that may be lost.
    package mutating func loseState(_ transfer: StateTransfer) {
        self[transfer.to.id].handing = .nothing(of: transfer.from.module)
    }
}
