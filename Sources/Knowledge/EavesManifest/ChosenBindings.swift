// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The choices where a binding has weights, and the bindings that differ for this run alone.
package struct BindingChoices: Hashable, Sendable {
    /// A module that takes the place of whatever the manifest binds.
    package struct Demand: Hashable, Sendable {
        package var key: BindingKey
        /// The id of the module.
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
    package var sharesCalls: Bool
    /// The ids of modules that run in processes of their own, besides those that the manifest isolates.
    package var isolated: [String] = []
    /// Whether a module may run in a process of its own although the system cannot take all rights from that.
    package var allowsUnenforced = false

    package init(
        by values: [String: String] = [:], with demands: [Demand] = [], chance: String? = nil,
        sharingCalls sharesCalls: Bool = false
    ) {
        self.sharesCalls = sharesCalls
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
            set(ChosenBinding(binding.key, module, reason, binding.weights))
        }
        for demand in made.demands { set(demand) }
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
        for choice in choices where choice.key != demand.key && choice.key.word == demand.key {
            set(ChosenBinding(choice.key, demand.module, .demanded, choice.weights))
        }
        let replaced = indexByKey[demand.key.text].map { choices[$0] }
        set(ChosenBinding(demand.key, demand.module, .demanded, replaced?.weights))
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
