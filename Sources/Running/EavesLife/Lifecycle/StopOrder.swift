// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration

/// The order in which a host stops its modules: each before the modules that it uses, directly or through others.
///
/// Modules that do not use each other stop in the reverse order of their starts, and so do modules that use each other
/// in a circle: all of them after the users of the circle, and before what the circle uses.
struct StopOrder {
    /// The modules that each module uses directly, by their ids.
    private var uses: [String: Set<String>] = [:]

    /// Takes the uses from what modules declare that they require.
    ///
    /// A module uses each loaded one that provides a service which it requires: the manifest may have bound the service
    /// to another module than now, whose objects it may still have.
    ///
    /// - Parameter modules: The modules that are loaded.
    init(_ modules: [CatalogEntry]) {
        var provided: [String: [(service: String, module: String)]] = [:]
        for module in modules {
            for service in (module.declaration?.provides ?? []).map(\.service) {
                provided[ServiceName.word(service), default: []].append((service, module.id))
            }
        }
        for module in modules {
            for service in module.declaration?.requires ?? [] {
                for provider in provided[ServiceName.word(service)] ?? []
                where ServiceName.agree(provider.service, service) {
                    add(module.id, uses: provider.module)
                }
            }
        }
    }

    mutating func add(_ user: String, uses provider: String) {
        uses[user, default: []].insert(provider)
    }

    /// Sorts modules.
    ///
    /// - Parameter started: The ids of the modules to stop, in the order of their starts, each once. Modules that are
    ///   used only on the way from one of these to another one need not be among them.
    /// - Returns: The same ids, in the order in which they are to stop.
    func order(of started: [String]) -> [String] {
        let reached = started.map { module in
            NeedsGraph(
                from: Array(uses[module] ?? []), id: { $0 }, needs: { Array(uses[$0] ?? []) }
            ).ids
        }
        // The places of the modules that stop later than each module, and how many have to stop before it.
        var later = Array(repeating: [Int](), count: started.count)
        var pending = Array(repeating: 0, count: started.count)
        for user in started.indices {
            for used in started.indices where used != user {
                guard reached[user].contains(started[used]),
                    !reached[used].contains(started[user])
                else { continue }
                later[user].append(used)
                pending[used] += 1
            }
        }
        var order: [String] = []
        var rest = Array(started.indices)
        // Among the modules that remain, one has no user that is not in a circle with it.
        while let place = rest.lastIndex(where: { pending[$0] == 0 }) {
            let next = rest.remove(at: place)
            order.append(started[next])
            for used in later[next] { pending[used] -= 1 }
        }
        return order
    }
}
