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

/// The choices where a binding has weights, and the bindings that differ for this run alone.
package struct BindingChoices: Hashable, Sendable {
    /// A module that takes the place of whatever the manifest binds.
    package struct Demand: Hashable, Sendable {
        package var key: BindingKey
        package var module: String

        package init(_ key: BindingKey, _ module: String) {
            self.key = key
            self.module = module
        }
    }

    /// The values of keys, such as `alice` for `user`. An empty value counts as none.
    package var values: [String: String]
    /// Later ones go before earlier ones.
    package var demands: [Demand]
    /// The text from which bindings without a key draw; `nil` before the first draw.
    package var chance: String?
    /// Whether bindings that draw at each call do so: then the stable module stands for all that share one. Where
    /// bindings do not, the process draws.
    package var sharesCalls = false
    /// The ids of modules that run in processes of their own, besides those that the manifest isolates.
    package var isolated: [String] = []
    /// Whether a module may run in a process of its own although the system cannot take all rights from that.
    package var allowsUnenforced = false

    package init(
        by values: [String: String] = [:], with demands: [Demand] = [], chance: String? = nil
    ) {
        self.values = values
        self.demands = demands
        self.chance = chance
    }

    /// The text from which this process draws, so that all of its hosts choose the same.
    package static let chanceOfProcess = String(
        UInt64.random(in: UInt64.min...UInt64.max), radix: 16)
}

/// The module of each bound service, chosen where several modules share a binding.
package struct ChosenBindings: Sendable {
    /// In the order of the manifest, then those that are only demanded.
    package private(set) var choices: [ChosenBinding] = []
    private var indexByKey: [String: Int] = [:]

    init(_ bindings: [Binding], _ made: BindingChoices = BindingChoices()) {
        for binding in bindings {
            let (module, reason) = Self.choose(binding, made)
            set(
                ChosenBinding(
                    key: binding.key, module: module, reason: reason, weights: binding.weights))
        }
        for demand in made.demands { set(demand) }
    }

    /// The choice of one module alone, for a question about its service.
    package init(demanding key: BindingKey, _ module: String) {
        set(BindingChoices.Demand(key, module))
    }

    private static func choose(
        _ binding: Binding, _ made: BindingChoices
    ) -> (String, ChosenBinding.Reason) {
        switch binding.target {
        case .module(let module): return (module, .bound)
        case .weights(let weights):
            if let value = weights.key.flatMap({ made.values[$0] }), !value.isEmpty {
                return (weights.module(for: value, of: binding.key), .value)
            }
            guard weights.key == nil || weights.drawsEachCall else {
                return (weights.heaviest, .noValue)
            }
            if weights.drawsEachCall, made.sharesCalls { return (weights.heaviest, .call) }
            let chosen = made.chance.map { weights.module(for: $0, of: binding.key) }
            return (chosen ?? weights.heaviest, .chance)
        }
    }

    private mutating func set(_ choice: ChosenBinding) {
        if let index = indexByKey[choice.key.text] {
            choices[index] = choice
        } else {
            indexByKey[choice.key.text] = choices.count
            choices.append(choice)
        }
    }

    /// A demand for `UserService` also goes before a binding of `Common.UserService`.
    private mutating func set(_ demand: BindingChoices.Demand) {
        let others = choices.map(\.key).filter { $0 != demand.key && $0.word == demand.key }
        for key in others + [demand.key] {
            let replaced = indexByKey[key.text].map { choices[$0] }
            set(
                ChosenBinding(
                    key: key, module: demand.module, reason: .demanded, weights: replaced?.weights))
        }
    }

    /// The choice for a service.
    ///
    /// - Parameter key: A binding of the qualified name goes before one of the name without the Swift
    ///   module. A binding without a name is none for a named implementation.
    package subscript(key: BindingKey) -> ChosenBinding? {
        if let index = indexByKey[key.text] { return choices[index] }
        let word = key.word
        return word == key ? nil : indexByKey[word.text].map { choices[$0] }
    }

    /// The same choices with another module for one service.
    package func demanding(_ key: BindingKey, _ module: String) -> ChosenBindings {
        var changed = self
        changed.set(BindingChoices.Demand(key, module))
        return changed
    }

    /// The names under which a module answers for a service because they are bound to it.
    package func names(of service: String, boundTo module: String) -> [String] {
        choices.compactMap { choice in
            guard let name = choice.key.name, choice.module == module,
                self[BindingKey(service, name: name)]?.key == choice.key
            else { return nil }
            return name
        }
    }

    /// The services whose module is another one here.
    package func differences(from other: ChosenBindings) -> [BindingKey: String] {
        var differences: [BindingKey: String] = [:]
        for choice in choices where other[choice.key]?.module != choice.module {
            differences[choice.key] = choice.module
        }
        return differences
    }
}
