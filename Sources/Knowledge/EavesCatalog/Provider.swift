// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesManifest

/// The modules that answer a request for a capability, as a picture or an audit has to know them.
package enum Providers: Hashable, Sendable {
    case host
    /// The ids of the modules. Never empty; several of them share it by weights.
    case modules([String])
    /// Modules provide it under names alone, and the module that asks gives one.
    case named
    case missing
    /// Several modules provide it, and the manifest does not choose.
    case ambiguous([String])
}

// The catalog alone decides which module provides a capability: launches, checks and pictures ask it here.
extension Catalog {
    /// The module to load for a capability; `nil` if the host itself provides it.
    ///
    /// Where several modules provide a service, the manifest's binding decides.
    ///
    /// - Parameters:
    ///   - chain: The ids of the modules that lead to the question, outermost first, for the message.
    ///   - bindings: The bindings that decide; those of the manifest if `nil`.
    package func provider(
        of capability: Capability, neededBy chain: [String] = [],
        bound bindings: ChosenBindings? = nil
    ) throws(ProviderError) -> CatalogEntry? {
        try entry(chosen: choice(of: capability, bound: bindings), for: capability, chain)
    }

    /// The module to load for a service that a module requires; `nil` if the host provides it, or if
    /// modules provide it under names alone: the module that requires it then asks for one by its name.
    /// Otherwise like ``provider(of:neededBy:bound:)``.
    package func provider(
        required service: String, neededBy chain: [String] = [],
        bound bindings: ChosenBindings? = nil
    ) throws(ProviderError) -> CatalogEntry? {
        let capability = Capability.service(service, name: nil)
        let chosen = choice(of: capability, bound: bindings, orNamed: true)
        return try entry(chosen: chosen, for: capability, chain)
    }

    private func entry(
        chosen: Choice, for capability: Capability, _ chain: [String]
    ) throws(ProviderError) -> CatalogEntry? {
        switch chosen {
        case .host, .named: return nil
        case .module(let entry): return entry
        case .unusableBinding, .missing, .ambiguous: throw error(chosen, capability, chain)
        }
    }

    /// The modules that provide a capability: all that share it, where the manifest has modules share it by weights.
    package func providers(of capability: Capability) -> Providers {
        let sharing = sharingModules(of: capability)
        if !sharing.isEmpty { return .modules(sharing) }
        return switch choice(of: capability, orNamed: true) {
        case .host: .host
        case .module(let entry): .modules([entry.id])
        case .named: .named
        case .missing, .unusableBinding: .missing
        case .ambiguous(let entries): .ambiguous(entries.map(\.id))
        }
    }

    /// The ids of the modules that can provide a capability, of those that the manifest has share it by weights.
    private func sharingModules(of capability: Capability) -> [String] {
        let bindings = manifest.chosen
        guard case .service(let service, let name) = capability, !isHostService(service),
            let bound = answer({ binding(BindingKey(service, name: name), in: bindings, $0) }),
            let weights = manifest.binding(bound.key)?.weights
        else { return [] }
        return weights.shares.filter { $0.weight > 0 }.map(\.module).filter { module in
            let demanded = ChosenBindings(demanding: bound.key, module)
            if case .module = choice(of: capability, bound: demanded) { return true }
            return false
        }
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

    enum Choice {
        case host
        case module(CatalogEntry)
        case named
        /// The binding is of the implementation of that name, or of the unnamed one.
        case unusableBinding(name: String?, module: String)
        case missing(declaring: [CatalogEntry])
        case ambiguous([CatalogEntry])

        var isDecided: Bool {
            switch self {
            case .host, .module, .named: true
            case .unusableBinding, .missing, .ambiguous: false
            }
        }
    }

    /// Chooses the provider of a capability.
    ///
    /// - Parameters:
    ///   - bindings: The bindings that decide; those of the manifest if `nil`.
    ///   - acceptsNamed: Whether implementations under names alone will do, for a module that may give a name.
    private func choice(
        of capability: Capability, bound bindings: ChosenBindings? = nil,
        orNamed acceptsNamed: Bool = false
    ) -> Choice {
        answer(where: \.isDecided) { modules in
            let choice = choose(capability, among: modules, bound: bindings ?? manifest.chosen)
            guard acceptsNamed, !choice.isDecided, case .service(let service, nil) = capability,
                !modules.names(ofUnnamed: service).isEmpty
            else { return choice }
            return .named
        }
    }

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
    ) -> ChosenBinding? {
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
        _ bound: ChosenBinding
    ) -> Choice {
        for wanted in [capability, .service(service, name: nil)] {
            let found = modules.entries(declaring: wanted)
                .first { $0.id == bound.module && $0.isAvailable }
            if let found { return .module(found) }
        }
        return .unusableBinding(name: bound.key.name, module: bound.module)
    }
}
