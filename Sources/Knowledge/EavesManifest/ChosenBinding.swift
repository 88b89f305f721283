// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A binding of a manifest: the module that provides a service, or the modules that share that.
public struct ChosenBinding: Hashable, Sendable {
    /// The reason why a module was chosen. The words are those of JSON.
    ///
    /// Later versions may add cases: give a `switch` over them a `default`.
    public enum Reason: String, Sendable {
        /// The manifest binds one module.
        case bound
        /// The value of the key chose.
        case value
        /// The key has no value, so that the module with the greatest weight was chosen.
        case noValue
        /// The binding has no key. A process that runs modules has drawn; for any other, the module with
        /// the greatest weight stands here.
        case chance
        /// Each call draws. The module with the greatest weight, which is the stable one, stands here.
        case call
        /// The program demanded the module for this host.
        case demanded
    }

    package let key: BindingKey
    /// The id of the module that is chosen.
    public let module: String
    /// The reason for the choice.
    public let reason: Reason
    /// The weights of the modules that share the binding; `nil` if the manifest names one module.
    package let weights: Weights?

    package init(_ key: BindingKey, _ module: String, _ reason: Reason, _ weights: Weights? = nil) {
        self.key = key
        self.module = module
        self.reason = reason
        self.weights = weights
    }

    /// The name of the service.
    public var service: String { key.service }
    /// The name of the implementation that is bound; `nil` for a binding without a name.
    public var name: String? { key.name }
    /// The modules that share the binding, in the order of the manifest; empty if it names one module.
    public var shares: [BindingShare] { weights?.shares ?? [] }
    /// The key whose value chooses, such as `user`; `nil` if there is none.
    public var by: String? { weights?.key }
}

/// A module that shares a binding, and its weight.
public struct BindingShare: Hashable, Sendable {
    /// The id of the module.
    public let module: String
    /// The weight, from 0 to a thousand million. The module is chosen as often as its weight is contained in the sum of
    /// all weights.
    public let weight: Int

    package init(_ module: String, _ weight: Int) {
        self.module = module
        self.weight = weight
    }
}
