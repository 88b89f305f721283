// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A change of a manifest that can be undone.
package enum ManifestChange: Hashable, Sendable {
    case swap(Swap)
    case removal(Removal)
}

/// A change that the history keeps.
package struct PastChange: Hashable, Sendable {
    package let change: ManifestChange
    /// When it was made, in seconds since 1970; `nil` for a change that an earlier version of Eaves made.
    package let time: Int?
}

/// A change of the module that a service is bound to.
package struct Swap: Hashable, Sendable {
    /// The service as the manifest has it, such as `UserService` or `UserService#archive`.
    package let service: String
    /// The module before; `nil` if the manifest had no binding for the service, or one with weights.
    package let from: String?
    /// The text of the weights before; `nil` if the manifest had none.
    package let weights: String?
    /// The module after.
    package let to: String
    /// The text of the weights after; `nil` if the service is bound to one module.
    package let share: String?
    /// The reason why a host made the change by itself; `nil` if somebody made it.
    package let reason: String?

    package init(
        service: String, from: String?, weights: String? = nil, to: String, share: String? = nil,
        reason: String? = nil
    ) {
        self.service = service
        self.from = from
        self.weights = weights
        self.to = to
        self.share = share
        self.reason = reason
    }

    /// The module or the weights before, in words.
    package var wordsBefore: String? {
        from ?? weights.map { Weights($0)?.words ?? $0 }
    }

    /// The weights after, in words; `nil` if the service is bound to one module.
    package var sharesAfter: String? { share.map { Weights($0)?.words ?? $0 } }
}

/// The parts of a manifest that were removed together with a module.
package struct Removal: Hashable, Sendable {
    /// A binding that the module shared with others.
    package struct Share: Hashable, Sendable {
        /// The service as the manifest has it.
        package let service: String
        /// The text of the weights before.
        package let before: String
        /// The text of the weights after; `nil` if the binding was removed, since no other module could
        /// be chosen.
        package let after: String?

        package init(service: String, before: String, after: String?) {
            self.service = service
            self.before = before
            self.after = after
        }

        /// The weights after, in words.
        package var wordsAfter: String? { after.map { Weights($0)?.words ?? $0 } }
    }

    package let module: String
    /// The text of its entry, settings included; `nil` if it had none.
    package let entry: String?
    /// The services that were bound to it alone.
    package let services: [String]
    /// The services that it shared with others.
    package let shares: [Share]

    package init(module: String, entry: String?, services: [String], shares: [Share] = []) {
        self.module = module
        self.entry = entry
        self.services = services
        self.shares = shares
    }
}

/// The result of undoing a change.
package struct Undo: Hashable, Sendable {
    package let change: ManifestChange
    /// Whether the manifest was as before the change already, so that only the history changed.
    package let wasUndone: Bool
}

/// The first place of a manifest that a change left in another state.
package enum HistoryDifference: Hashable, Sendable {
    /// The module that was removed has an entry.
    case entry
    /// The service is bound to this module, or to weights in words or as they are written, or to none.
    case binding(String, String?)
}
