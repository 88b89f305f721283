// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration

/// The circles of modules that require services of each other.
struct Circles {
    /// The number of the circle that each module belongs to, by its id.
    private let members: [String: Int]
    private let wiring: Wiring

    init(_ wiring: Wiring) {
        self.wiring = wiring
        var search = CircleSearch()
        for module in wiring.activeModules {
            search.next[module.id] = Set(
                module.requires.flatMap { wiring.choice(of: $0).chosen }
            ).filter { $0 != module.id }.sorted()
        }
        for module in wiring.activeModules { search.visit(module.id) }
        members = search.members
    }

    /// Whether a module's need for a service is part of a circle.
    func contains(_ module: String, _ service: String) -> Bool {
        guard let circle = members[module] else { return false }
        return wiring.choice(of: service).chosen.contains {
            $0 != module && members[$0] == circle
        }
    }
}

/// Tarjan's search for strongly connected components, without recursion: a chain of modules can be long.
private struct CircleSearch {
    /// The modules that each module leads to.
    var next: [String: [String]] = [:]
    private(set) var members: [String: Int] = [:]
    private var numbers: [String: Int] = [:]
    private var lowest: [String: Int] = [:]
    private var open: [String] = []
    private var isOpen: Set<String> = []
    private var circleCount = 0

    mutating func visit(_ start: String) {
        guard numbers[start] == nil else { return }
        var path = [(id: start, rest: enter(start))]
        while let (id, rest) = path.last {
            if let target = rest.first {
                path[path.count - 1].rest = rest.dropFirst()
                if numbers[target] == nil {
                    path.append((target, enter(target)))
                } else if isOpen.contains(target) {
                    lowest[id] = min(lowest[id] ?? 0, numbers[target] ?? 0)
                }
                continue
            }
            path.removeLast()
            if let parent = path.last?.id {
                lowest[parent] = min(lowest[parent] ?? 0, lowest[id] ?? 0)
            }
            if lowest[id] == numbers[id] { close(id) }
        }
    }

    private mutating func enter(_ id: String) -> ArraySlice<String> {
        numbers[id] = numbers.count
        lowest[id] = numbers[id]
        open.append(id)
        isOpen.insert(id)
        return (next[id] ?? [])[...]
    }

    /// Ends the component that begins with a module. A module alone is no circle.
    private mutating func close(_ id: String) {
        guard let start = open.lastIndex(of: id) else { return }
        let component = open[start...]
        open.removeSubrange(start...)
        isOpen.subtract(component)
        guard component.count > 1 else { return }
        circleCount += 1
        for member in component { members[member] = circleCount }
    }
}
