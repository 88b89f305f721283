// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
package import EavesRegistry
import EavesRules

/// The state that goes from one object to another one with a switch.
package struct StateTransfer: Sendable {
    package let from: GenerationLifecycle
    /// The module of the old object.
    package let old: ModuleLife.Loaded
    /// The module that takes it on.
    package let to: CatalogEntry
    /// The object that takes it on; `nil` until that is prepared.
    package var target: GenerationLifecycle?
    /// The state that was handed over.
    package var snapshot: [UInt8] = []
    /// How long it took to hand it over, while calls went on.
    package var time = Duration.zero
    /// The state of the new object after that: another one means that somebody has written to it.
    var result: [UInt8] = []
    /// Ends when nobody can be in the old object any more.
    package var left: RetiredInstances?

    init(from: GenerationLifecycle, of old: ModuleLife.Loaded, to: CatalogEntry) {
        self.from = from
        self.old = old
        self.to = to
    }

    /// Whether the state was handed over.
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
        (snapshot, self.result) = (now, result)
    }

    /// Looks at the old object again when nobody can be in it any more, and carries over what was written to it
    /// since the switch.
    ///
    /// - Returns: `false` if something was written, and cannot be carried over, since the new object was written
    ///   to as well, or serves no longer.
    package func finish(serving isServing: Bool, within limit: Duration) throws(LifecycleError)
        -> Bool
    {
        guard let target, let late = try from.snapshot(within: limit), late != snapshot else {
            return true
        }
        guard isServing, try target.snapshot(within: limit) == result else { return false }
        try target.restore(late, within: limit)
        return true
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
