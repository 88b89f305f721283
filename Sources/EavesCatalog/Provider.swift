// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesManifest

// Who provides this? Launches, lists, checks and pictures all ask here, and nobody decides a second time.
extension Catalog {
    /// The module to load for a capability; `nil` if the host itself provides it.
    ///
    /// Where several modules provide a service, the manifest's binding decides.
    ///
    /// - Parameters:
    ///   - chain: The ids of the modules that lead to the question, outermost first, for the message.
    ///   - bindings: The bindings that decide; those of the manifest if `nil`.
    /// - Throws: ``ProviderError`` if no module provides it, or several and no binding decides.
    package func provider(
        of capability: Capability, neededBy chain: [String] = [],
        bound bindings: ChosenBindings? = nil
    ) throws(ProviderError) -> CatalogEntry? {
        let chosen = answer(where: \.isDecided) { modules -> Choice in
            choose(capability, among: modules, bound: bindings ?? manifest.chosen)
        }
        switch chosen {
        case .host: return nil
        case .module(let entry): return entry
        default: throw error(chosen, capability, chain)
        }
    }

    /// The module to load for a service that a module requires; `nil` if the host provides it, or if
    /// modules provide it under names alone: the module that requires it then asks for one by its name.
    ///
    /// - Parameters:
    ///   - chain: The ids of the modules that lead to the question, outermost first, for the message.
    ///   - bindings: The bindings that decide; those of the manifest if `nil`.
    /// - Throws: ``ProviderError``, as ``provider(of:neededBy:bound:)`` does.
    package func provider(
        required service: String, neededBy chain: [String] = [],
        bound bindings: ChosenBindings? = nil
    ) throws(ProviderError) -> CatalogEntry? {
        let capability = Capability.service(service, name: nil)
        let chosen = answer(where: { $0?.isDecided ?? true }) { modules -> Choice? in
            let choice = choose(capability, among: modules, bound: bindings ?? manifest.chosen)
            let isNamed = !choice.isDecided && !modules.names(ofUnnamed: service).isEmpty
            return isNamed ? nil : choice
        }
        switch chosen {
        case nil, .host: return nil
        case .module(let entry): return entry
        case .some(let choice): throw error(choice, capability, chain)
        }
    }

    /// The modules that those may get who ask for a capability: several where the manifest has modules share it by
    /// weights. Empty if the host itself provides it.
    ///
    /// - Parameter bindings: The bindings that decide; those of the manifest if `nil`.
    /// - Throws: ``ProviderError``, as ``provider(of:neededBy:bound:)`` does, if none of them can be used.
    package func providers(
        of capability: Capability, bound bindings: ChosenBindings? = nil
    ) throws(ProviderError) -> [CatalogEntry] {
        let bindings = bindings ?? manifest.chosen
        if case .service(let service, let name) = capability, !isHostService(service),
            let bound = answer({ binding(BindingKey(service, name: name), in: bindings, $0) }),
            let weights = manifest.binding(bound.key)?.weights
        {
            let sharing = weights.shares.filter { $0.weight > 0 }.compactMap { share in
                try? provider(of: capability, bound: bindings.demanding(bound.key, share.module))
            }
            if !sharing.isEmpty { return sharing }
        }
        return try provider(of: capability, bound: bindings).map { [$0] } ?? []
    }

    /// The names under which available modules provide a service that no module provides without one. Empty
    /// if a module provides it without a name, or none at all.
    package func names(ofUnnamed service: String) -> [String] {
        isHostService(service) ? [] : answer { $0.names(ofUnnamed: service) }
    }

    /// Every available module that provides a service, under whatever name, in the order of their ids.
    package func providers(ofAll service: String) -> [CatalogEntry] {
        isHostService(service) ? [] : modules(providing: service).filter(\.isAvailable)
    }

    /// The result of looking for the provider of a capability.
    enum Choice {
        case host
        case module(CatalogEntry)
        /// The binding is of the implementation of that name, or of the unnamed one.
        case unusableBinding(name: String?, module: String)
        case missing(declaring: [CatalogEntry])
        case ambiguous([CatalogEntry])

        /// Whether there is one provider.
        var isDecided: Bool {
            switch self {
            case .host, .module: true
            case .unusableBinding, .missing, .ambiguous: false
            }
        }
    }

    /// Chooses the provider of a capability.
    private func choose(
        _ capability: Capability, among modules: SurveyedModules, bound bindings: ChosenBindings
    ) -> Choice {
        if case .service(let service, _) = capability, isHostService(service) {
            return .host
        }
        if case .service(let service, let name?) = capability,
            let bound = binding(BindingKey(service, name: name), in: bindings, modules)
        {
            return choose(capability, unnamed: service, among: modules, bound)
        }
        let declaring = modules.entries(declaring: capability)
        let usable = declaring.filter(\.isAvailable)
        if case .service(let service, let name) = capability,
            let bound = binding(BindingKey(service), in: bindings, modules)?.module
        {
            if let entry = usable.first(where: { $0.id == bound }) { return .module(entry) }
            // A binding is about the unnamed implementation. A single module that provides the named one
            // is taken without a binding.
            if name != nil, let entry = usable.first, usable.count == 1 { return .module(entry) }
            // A name that nothing has is a wrong name, and the binding is not at fault.
            if name != nil, declaring.isEmpty { return .missing(declaring: []) }
            return .unusableBinding(name: nil, module: bound)
        }
        guard let first = usable.first else { return .missing(declaring: declaring) }
        return usable.count == 1 ? .module(first) : .ambiguous(usable)
    }

    /// The binding of a service. One of the word alone is about the service that its module provides, if two
    /// services have the word.
    private func binding(
        _ key: BindingKey, in bindings: ChosenBindings, _ modules: SurveyedModules
    ) -> ChosenBindings.Choice? {
        guard let bound = bindings[key], bound.key.service != key.service else {
            return bindings[key]
        }
        let isOfOther = modules.entries(under: .service(key.service)) {
            $0.provides(bound.key.service) && !$0.provides(key.service)
        }.contains { $0.id == bound.module }
        return isOfOther ? nil : bound
    }

    /// Chooses the provider of a named implementation that has a binding of its own: the module answers
    /// with what it registers under that name, or else without a name.
    private func choose(
        _ capability: Capability, unnamed service: String, among modules: SurveyedModules,
        _ bound: ChosenBindings.Choice
    ) -> Choice {
        for wanted in [capability, .service(service, name: nil)] {
            let found = modules.entries(declaring: wanted)
                .first { $0.id == bound.module && $0.isAvailable }
            if let found { return .module(found) }
        }
        return .unusableBinding(name: bound.key.name, module: bound.module)
    }
}
