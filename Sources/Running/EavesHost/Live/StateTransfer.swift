// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesRegistry
import EavesRules

/// The state that goes from one object to another one with a switch.
struct StateTransfer: Sendable {
    let from: GenerationLifecycle
    /// The module of the old object.
    let old: ModuleLife.Loaded
    /// The module that takes it on.
    let to: CatalogEntry
    /// The object that takes it on; `nil` until that is prepared.
    var target: GenerationLifecycle?
    /// The state that was handed over.
    var snapshot: [UInt8] = []
    /// How long it took to hand it over, while calls went on.
    var time = Duration.zero
    /// The state of the new object after that: another one means that somebody has written to it.
    var result: [UInt8] = []
    /// Ends when nobody can be in the old object any more.
    var left: RetiredInstances?

    init(from: GenerationLifecycle, of old: ModuleLife.Loaded, to: CatalogEntry) {
        self.from = from
        self.old = old
        self.to = to
    }

    /// Whether the state was handed over.
    var isPrepared: Bool { target != nil }

    /// Two modules, of which one would take on the state of the other.
    struct Pair: Hashable, Sendable {
        let from: String
        let to: String
    }

    /// A pair for which that was refused, as the modules were then.
    struct Refusal: Sendable {
        let from: CatalogEntry
        let to: CatalogEntry
        let error: ModuleError
    }

    /// Checks, with objects that nobody uses, that the state arrives and finds its way back.
    ///
    /// - Parameters:
    ///   - code: The code that is to take on the state.
    ///   - limit: The time that each function has.
    /// - Returns: The state to hand over.
    func check(
        with code: LoadedCode, as entry: CatalogEntry, by maker: GenerationMaker,
        within limit: Duration
    ) throws -> [UInt8] {
        let before = try HandoverError.naming(HandoverError.noSnapshot) {
            () throws(LifecycleError) in
            try from.snapshot(within: limit) ?? []
        }
        guard let new = try maker.lifecycle(of: code, as: entry), new.keepsState else {
            throw HandoverError.keepsNone(of: from.module)
        }
        let between = try HandoverError.naming(HandoverError.notRestored) {
            () throws(LifecycleError) in
            try new.restore(before, within: limit)
            return try new.snapshot(within: limit) ?? []
        }
        guard let code = self.old.code,
            let old = try maker.lifecycle(of: code, as: self.old.entry)
        else {
            throw HandoverError.keepsNone(of: from.module)
        }
        let after = try HandoverError.naming(HandoverError.noWayBack) { () throws(LifecycleError) in
            try old.restore(between, within: limit)
            return try old.snapshot(within: limit) ?? []
        }
        guard before == after else { throw HandoverError.changedOnTheWayBack }
        return before
    }

    /// Hands over what the old object has now, if that is something else than before. No function is called any more once
    /// the time is over.
    mutating func renew(until deadline: ContinuousClock.Instant) throws(HandoverError) {
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
        (snapshot, self.result) = (now, result)
    }

    /// Looks at the old object again when nobody can be in it any more, and carries over what was written to it
    /// since the switch.
    ///
    /// - Returns: `false` if something was written, and cannot be carried over, since the new object was written
    ///   to as well, or serves no longer.
    func finish(serving isServing: Bool, within limit: Duration) throws(LifecycleError) -> Bool {
        guard let target, let late = try from.snapshot(within: limit), late != snapshot else {
            return true
        }
        guard isServing, try target.snapshot(within: limit) == result else { return false }
        try target.restore(late, within: limit)
        return true
    }
}

extension HandoverError {
    fileprivate static func naming<Result>(
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
struct StateLoss: Error, Diagnosable {
    private let entry: CatalogEntry
    private let reason: LifecycleError?

    /// - Parameter reason: Why the host could not look; `nil` if both objects were written to.
    init(_ entry: CatalogEntry, _ reason: LifecycleError?) {
        self.entry = entry
        self.reason = reason
    }

    var diagnostics: [Diagnostic] {
        [
            Diagnostic(
                "state that was written to the old '\(entry.id)' after the switch is lost: "
                    + (reason?.words ?? "the new one was written to as well, or serves no longer"),
                fix: "let callers ask for the service each time, through a Provider or a Handle",
                code: .configuration
            ).naming(entry.id, entry.path)
        ]
    }
}
