// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesManifest

/// The modules that are reached from some, through all that they need: in which order they come, and which of them need
/// each other in circles.
package struct NeedsGraph<Module> {
    /// All modules that are reached, each once, and behind those that it needs. Of a circle, the module that is reached
    /// first comes last.
    package private(set) var modules: [Module] = []
    package private(set) var ids: Set<String> = []
    /// For each need that closes a circle the modules on the way round. The last one is where the way began.
    package private(set) var ways: [[Module]] = []
    /// The number of the circle that each module belongs to, by its id.
    private var circles: [String: Int] = [:]

    /// A module between its first look and the last one.
    private struct Step {
        let module: Module
        let id: String
        let number: Int
        /// The needs that were not followed yet.
        var rest: ArraySlice<Module>
    }

    /// Follows all needs by Tarjan's search for strongly connected components, without recursion: a chain of modules can
    /// be long.
    ///
    /// - Parameters:
    ///   - starts: The first modules, which are reached as well.
    ///   - id: The id of a module.
    ///   - needs: The modules that one needs directly, asked for once for each module.
    package init(from starts: [Module], id: (Module) -> String, needs: (Module) -> [Module]) {
        var numbers: [String: Int] = [:]
        // By the numbers of the modules: the lowest number that each leads back to.
        var lowest: [Int] = []
        // The modules whose circles may still grow, in order and by number.
        var open: [Step] = []
        var isOpen: [Bool] = []
        func enter(_ module: Module) -> Step {
            let step = Step(
                module: module, id: id(module), number: numbers.count, rest: needs(module)[...])
            numbers[step.id] = step.number
            lowest.append(step.number)
            open.append(step)
            isOpen.append(true)
            return step
        }
        for start in starts where numbers[id(start)] == nil {
            var path = [enter(start)]
            while let step = path.last {
                if let next = step.rest.first {
                    path[path.count - 1].rest.removeFirst()
                    guard let number = numbers[id(next)] else {
                        path.append(enter(next))
                        continue
                    }
                    guard isOpen[number] else { continue }
                    lowest[step.number] = min(lowest[step.number], number)
                    if let place = path.firstIndex(where: { $0.number == number }) {
                        ways.append(path[(place + 1)...].map(\.module) + [next])
                    }
                    continue
                }
                path.removeLast()
                modules.append(step.module)
                if let parent = path.last?.number {
                    lowest[parent] = min(lowest[parent], lowest[step.number])
                }
                guard lowest[step.number] == step.number,
                    let place = open.lastIndex(where: { $0.number == step.number })
                else { continue }
                if open.count - place > 1 {
                    for member in open[place...] { circles[member.id] = step.number }
                }
                for member in open[place...] { isOpen[member.number] = false }
                open.removeSubrange(place...)
            }
        }
        ids = Set(numbers.keys)
    }

    package func areInCircle(_ one: String, _ other: String) -> Bool {
        guard one != other, let circle = circles[one] else { return false }
        return circles[other] == circle
    }
}

extension Catalog {
    /// Returns the modules that a module needs, directly or through others, each behind those that it needs, and the
    /// module itself as the last one. It leaves out services of which no provider is chosen.
    ///
    /// - Parameter bindings: The bindings that decide; those of the manifest if `nil`.
    package func needs(
        of entry: CatalogEntry, bound bindings: ChosenBindings? = nil
    ) -> NeedsGraph<CatalogEntry> {
        NeedsGraph(from: [entry], id: \.id) { directNeeds(of: $0, bound: bindings) }
    }

    /// Returns the modules that provide the services that a module requires, where one is chosen.
    package func directNeeds(
        of entry: CatalogEntry, bound bindings: ChosenBindings? = nil
    ) -> [CatalogEntry] {
        (entry.declaration?.requires ?? []).compactMap { service in
            try? provider(of: .service(service, name: nil), bound: bindings)
        }
    }
}
