// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service cannot be resolved.
///
/// The error is one reference, so callers know its size, and a call that succeeds reserves no memory for it.
@frozen
public struct ResolutionError: Error, Sendable {
    /// Why a service cannot be resolved. Later interfaces may add cases.
    public enum Reason: Sendable {
        /// It is not registered, and no available module provides it.
        case notRegistered
        /// Creating it needs the service itself.
        case cycle
        /// Its factory threw this error.
        case factoryFailed(any Error)
        /// The module that provides it could not be loaded, because of this error.
        case moduleFailed(any Error)
        /// Its factory has to be awaited: ask with `resolveAsync`.
        case needsAwait
        /// Its factory runs on the main actor: ask with `resolveAsync`, or on the main actor with `resolveOnMainActor`.
        case needsMainActor
        /// The task that asked for it was cancelled before it was ready.
        case cancelled
        /// The container that would create it is gone.
        case containerGone
    }

    @usableFromInline let content: Content

    /// The number of calls of a factory with runtime arguments that may run inside each other.
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
        content = Content(
            reason: reason, wanted: wanted, chain: chain, candidates: candidates, cause: cause)
    }

    private init(_ content: Content) {
        self.content = content
    }

    /// Returns the same error in the words of an application, for a name that a person has chosen and that nothing has.
    ///
    /// A host adds what it adds to its own words: the names that are like it, the fix, and the exit code.
    ///
    /// ```swift
    /// do {
    ///     return try resolver.resolve((any Destination).self, name: path)
    /// } catch {
    ///     throw error.reworded("no screen has the path '\(path)'")
    /// }
    /// ```
    ///
    /// - Parameter words: Says which name nothing has, without a full stop.
    /// - Returns: The error as it is if it has another reason than ``Reason/notRegistered``, or if the service
    ///   was asked for without a name.
    public func reworded(_ words: String) -> ResolutionError {
        guard case .notRegistered = reason, wanted.name != nil else { return self }
        let cause = cause.map { ($0 as? any RewordableCause)?.reworded(words) ?? $0 }
        return ResolutionError(Content(content, cause: cause, words: words))
    }

    /// Why the service cannot be resolved.
    public var reason: Reason { content.reason }
    /// The request that failed.
    public var wanted: ServiceRequest { content.wanted }
    /// The requests whose factories were running at that moment, outermost first.
    public var chain: [ServiceRequest] { content.chain }
    /// The registrations that the error is about, or similar ones, one line each.
    public var candidates: [String] { content.candidates }
    /// The host's own words for why nothing provides the service; `nil` if there are none.
    package var cause: (any Error)? { content.cause }

    /// Everything that an error says.
    @usableFromInline
    final class Content: Sendable {
        let reason: Reason
        let wanted: ServiceRequest
        let chain: [ServiceRequest]
        let candidates: [String]
        /// The host's own words for why nothing provides the service; `nil` if there are none.
        let cause: (any Error)?
        /// The words of an application, in place of the interface's own.
        let words: String?

        init(
            reason: Reason, wanted: ServiceRequest, chain: [ServiceRequest], candidates: [String],
            cause: (any Error)?
        ) {
            self.reason = reason
            self.wanted = wanted
            self.chain = chain
            self.candidates = candidates
            self.cause = cause
            words = nil
        }

        /// The same content in the words of an application.
        init(_ content: Content, cause: (any Error)?, words: String) {
            reason = content.reason
            wanted = content.wanted
            chain = content.chain
            candidates = content.candidates
            self.cause = cause
            self.words = words
        }
    }
}

/// The host's words for why nothing provides a service, if an application can say it in its own.
package protocol RewordableCause: Error {
    /// Returns the same cause in other words, with the same names that are like it, fix and exit code.
    func reworded(_ words: String) -> any Error
}

extension ResolutionError: CustomStringConvertible {
    /// The reason, the chain of needs, and the similar registrations, each on lines of their own.
    public var description: String {
        if let words = content.words { return cause.map { "\($0)" } ?? words }
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

    /// The number of running factories that create the service which was wanted.
    private var recursions: Int { chain.count { $0 == wanted } }

    private var summary: String {
        switch reason {
        case .notRegistered: "no provider for \(wanted)"
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
