// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Code of one module has asked for a service of another one, or decorates it.
package struct ModuleUse: Hashable, Sendable {
    /// The id of the module that asks.
    package let user: String
    /// The id of the module whose service it is.
    package let provider: String

    package init(user: String, provider: String) {
        self.user = user
        self.provider = provider
    }
}

extension Container {
    /// Which modules' factories, life cycles and decorators have asked for which modules' services, as long as these
    /// are registered.
    ///
    /// It is known of services that a scope keeps: shared, named and weak ones. Objects that no scope keeps, and
    /// objects of containers below this one, leave no note.
    package var uses: Set<ModuleUse> {
        var uses: Set<ModuleUse> = []
        for part in allRegistrations.flatMap(\.base.decorationChain) {
            guard let provider = part.label.module else { continue }
            var users = part.trace?.modules ?? []
            if let decorator = part.traits.decoration?.decorator.module { users.append(decorator) }
            for user in users where user != provider {
                uses.insert(ModuleUse(user: user, provider: provider))
            }
        }
        return uses
    }
}

extension InstanceTrace {
    /// The ids of the modules whose factories asked.
    fileprivate var modules: [String] {
        factories.compactMap {
            if case .factory(_, let module, _) = $0 { module } else { nil }
        }
    }
}
