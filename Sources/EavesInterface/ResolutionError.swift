// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a service could not be had.
public struct ResolutionError: Error, Sendable {
    /// What went wrong. More cases may come with later interfaces.
    public enum Reason: Sendable {
        /// Nobody registered it, and no module that is there provides it.
        case notRegistered
        /// It is needed to build itself.
        case cycle
        /// Its factory threw this error.
        case factoryFailed(any Error)
        /// The module that provides it could not be had, for this reason.
        case moduleFailed(any Error)
        /// Its factory has to be awaited: ask with `resolveAsync`. Since interface 1.1.
        case needsAwait
        /// Its factory runs on the main actor: ask with `resolveAsync`, or there with
        /// `resolveOnMainActor`. Since interface 1.1.
        case needsMainActor
        /// The task that asked was cancelled before it was there. Since interface 1.1.
        case cancelled
        /// The container that was to make it is gone. Since interface 1.1.
        case containerGone
    }

    /// What went wrong.
    public let reason: Reason
    /// What was asked for.
    public let wanted: ServiceRequest
    /// What was being built when it was asked for, outermost first.
    public let chain: [ServiceRequest]
    /// What is registered that comes close, one line each.
    public let candidates: [String]

    /// Made by the container that looked in vain.
    public init(
        _ reason: Reason, wanted: ServiceRequest, chain: [ServiceRequest] = [],
        candidates: [String] = []
    ) {
        self.reason = reason
        self.wanted = wanted
        self.chain = chain
        self.candidates = candidates
    }
}

extension ResolutionError: CustomStringConvertible {
    /// What went wrong, the chain of needs, and what comes close.
    public var description: String {
        var lines = [summary]
        if !chain.isEmpty {
            let path = (chain + [wanted]).map(\.description).joined(separator: " → ")
            lines.append("  needed by: \(path)")
        }
        lines += candidates.map { "  registered: \($0)" }
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        switch reason {
        case .notRegistered: "nobody provides \(wanted)"
        case .cycle: "\(wanted) is needed to build itself"
        case .factoryFailed(let error): "cannot make \(wanted): \(error)"
        case .moduleFailed(let error): "cannot load the provider of \(wanted): \(error)"
        case .needsAwait: "\(wanted) has to be awaited: ask for it with 'resolveAsync'"
        case .needsMainActor:
            "\(wanted) is made on the main actor: ask for it with 'resolveAsync', "
                + "or there with 'resolveOnMainActor'"
        case .cancelled: "the task that asked for \(wanted) was cancelled"
        case .containerGone: "cannot make \(wanted): its container is gone"
        }
    }
}
