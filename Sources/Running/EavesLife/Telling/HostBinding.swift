// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest

/// A binding of a manifest: the module that provides a service, or the modules that share that.
public struct HostBinding: Hashable, Sendable {
    /// A module and its weight.
    public struct Share: Hashable, Sendable {
        /// The id of the module.
        public let module: String
        /// The module is chosen as often as its weight is contained in the sum of all weights.
        public let weight: Int
    }

    /// The reason why a module was chosen. Later versions may add reasons.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The word in JSON, such as `value`.
        public let rawValue: String

        /// Creates a reason from its word.
        ///
        /// - Parameter rawValue: The word in JSON.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The manifest binds this one module.
        public static let bound = Reason(rawValue: "bound")
        /// The value of the key chose.
        public static let value = Reason(rawValue: "value")
        /// The key has no value, so that the module with the greatest weight was chosen.
        public static let noValue = Reason(rawValue: "noValue")
        /// The binding has no key, so that the process drew.
        public static let chance = Reason(rawValue: "chance")
        /// Each call draws; the stable module stands here.
        public static let call = Reason(rawValue: "call")
        /// The caller demanded the module for this host.
        public static let demanded = Reason(rawValue: "demanded")
    }

    /// The name of the service.
    public let service: String
    /// The name of the implementation that is bound; `nil` for a binding without a name.
    public let name: String?
    /// The id of the module that is chosen.
    public let module: String
    /// The modules that share the binding, in the order of the manifest; empty if it names one module.
    public let shares: [Share]
    /// The key whose value chooses, such as `user`; `nil` if there is none.
    public let by: String?
    /// The reason for the choice.
    public let reason: Reason

    init(
        service: String, name: String? = nil, module: String, shares: [Share] = [],
        by: String? = nil, reason: Reason = .bound
    ) {
        self.service = service
        self.name = name
        self.module = module
        self.shares = shares
        self.by = by
        self.reason = reason
    }

    package init(_ choice: ChosenBindings.Choice, _ weights: Weights?) {
        self.init(
            service: choice.key.service, name: choice.key.name, module: choice.module,
            shares: (weights?.shares ?? []).map { Share(module: $0.module, weight: $0.weight) },
            by: weights?.key, reason: Reason(rawValue: choice.reason.rawValue))
    }
}
