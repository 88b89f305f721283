// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service cannot be resolved.
public struct ResolutionError: Error, Sendable {
    /// Why the service cannot be resolved. Later interfaces may add cases.
    public enum Reason: Sendable {
        /// It is not registered, and no available module provides it.
        case notRegistered
        /// Creating it needs the service itself.
        case cycle
        /// Its factory threw this error.
        case factoryFailed(any Error)
        /// The module that provides it could not be loaded, because of this error.
        case moduleFailed(any Error)
        /// Its factory has to be awaited: ask with `resolveAsync`. Since interface 1.1.
        case needsAwait
        /// Its factory runs on the main actor: ask with `resolveAsync`, or on the main actor with
        /// `resolveOnMainActor`. Since interface 1.1.
        case needsMainActor
        /// The task that asked for it was cancelled before it was ready. Since interface 1.1.
        case cancelled
        /// The container that would create it is gone. Since interface 1.1.
        case containerGone
    }

    /// Why the service cannot be resolved.
    public let reason: Reason
    /// The request that failed.
    public let wanted: ServiceRequest
    /// The requests whose factories were running at that moment, outermost first.
    public let chain: [ServiceRequest]
    /// The registrations that the error is about, or similar ones, one line each.
    public let candidates: [String]
    /// The host's own words for why nothing provides the service; `nil` if there are none.
    package let cause: (any Error)?

    /// How many calls of a factory with runtime arguments may run inside each other.
    package static let mostRecursions = 100

    /// Creates an error. Containers call this.
    ///
    /// - Parameters:
    ///   - reason: Why the service cannot be resolved.
    ///   - wanted: The request that failed.
    ///   - chain: The requests whose factories were running at that moment, outermost first.
    ///   - candidates: The registrations that the error is about, or similar ones, one line each.
    public init(
        _ reason: Reason, wanted: ServiceRequest, chain: [ServiceRequest] = [],
        candidates: [String] = []
    ) {
        self.init(reason, wanted: wanted, chain: chain, candidates: candidates, cause: nil)
    }

    /// Creates an error with the host's own words for why nothing provides the service.
    package init(
        _ reason: Reason, wanted: ServiceRequest, chain: [ServiceRequest],
        candidates: [String], cause: (any Error)?
    ) {
        self.cause = cause
        self.reason = reason
        self.wanted = wanted
        self.chain = chain
        self.candidates = candidates
    }
}

extension ResolutionError: CustomStringConvertible {
    /// The reason, the chain of needs, and the similar registrations, each on lines of their own.
    public var description: String {
        var lines = [summary]
        if !chain.isEmpty { lines.append("  needed by: \(path)") }
        lines += candidates.map { "  registered: \($0)" }
        if let cause {
            lines += "\(cause)".split(separator: "\n").map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// The chain and the service that was wanted. Of a very long chain, only both ends.
    private var path: String {
        let names = (chain + [wanted]).map(\.description)
        let (head, tail) = (4, 4)
        let left = names.count - head - tail
        guard left > 12 else { return names.joined(separator: " → ") }
        return (names.prefix(head) + ["… \(left) more …"] + names.suffix(tail))
            .joined(separator: " → ")
    }

    /// How many of the running factories create the service that was wanted.
    private var recursions: Int { chain.count { $0 == wanted } }

    private var summary: String {
        switch reason {
        case .notRegistered: "nobody provides \(wanted)"
        case .cycle where !wanted.arguments.isEmpty && recursions > Self.mostRecursions:
            "creating \(wanted) asks for \(wanted) again and again: "
                + "more than \(Self.mostRecursions) calls of its factory run inside each other"
        case .cycle: "\(wanted) is needed to create itself"
        case .factoryFailed(let error): "cannot create \(wanted): \(error)"
        case .moduleFailed(let error): "cannot load the provider of \(wanted): \(error)"
        case .needsAwait: "\(wanted) has to be awaited: ask for it with 'resolveAsync'"
        case .needsMainActor:
            "\(wanted) is created on the main actor: ask for it with 'resolveAsync', "
                + "or there with 'resolveOnMainActor'"
        case .cancelled: "the task that asked for \(wanted) was cancelled"
        case .containerGone: "cannot create \(wanted): its container is gone"
        }
    }
}

/// A ``ResolutionError`` in a box, so that throwing functions return it in a register.
///
/// The interface may evolve, so a module knows the size of a ``ResolutionError`` only at run time.
/// The caller of a function that throws one reserves memory for it at every call, even when nothing
/// fails. A reference needs no such memory.
///
/// Since interface 1.1.
public final class BoxedResolutionError: Error {
    /// The error.
    public let error: ResolutionError

    /// Puts an error into a box.
    public init(_ error: ResolutionError) {
        self.error = error
    }
}
