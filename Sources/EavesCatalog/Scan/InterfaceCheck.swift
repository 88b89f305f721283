// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration

/// Finds out for one module after the other whether it can have the interfaces that it names. It looks up
/// each interface once, however many modules name it.
struct InterfaceCheck {
    private let linked: [LinkedInterface]
    private let find: (String) -> CatalogEntry?
    private let known: () -> [String]
    /// The modules that others name as their interfaces, with their own problems with interfaces.
    private var checked: [String: CatalogEntry?] = [:]

    /// - Parameters:
    ///   - linked: The interfaces that the program has linked in, which go before files.
    ///   - find: Gives the used module of an id. Its interfaces need not be checked yet.
    ///   - known: Gives the ids of all interface modules, for the message about one that is not there.
    init(
        linked: [LinkedInterface], find: @escaping (String) -> CatalogEntry?,
        known: @escaping () -> [String]
    ) {
        self.linked = linked
        self.find = find
        self.known = known
    }

    /// Returns the same modules. Each one that cannot have an interface gets the problem `interfaces`.
    mutating func applied(to entries: [CatalogEntry]) -> [CatalogEntry] {
        var entries = entries
        for index in entries.indices { apply(to: &entries[index]) }
        return entries
    }

    /// Gives a module the problem `interfaces` if it cannot have an interface that it names.
    ///
    /// A module that a build makes ready keeps its problem if that build gives it its interfaces too.
    mutating func apply(to entry: inout CatalogEntry) {
        guard let needs = entry.declaration?.interfaces, !needs.isEmpty, entry.isEnabled,
            entry.isAvailable || entry.lacksInterfaces
        else { return }
        let problems = problems(of: needs)
        guard !problems.isEmpty else { return }
        let isMended = problems.allSatisfy { $0.isMended(byBuilding: entry) }
        if entry.problem == nil || entry.lacksInterfaces || !isMended {
            entry.problem = .interfaces(problems)
        }
    }

    /// The reasons why a module cannot have interfaces that it names.
    mutating func problems(of needs: [InterfaceNeed]) -> [InterfaceProblem] {
        var problems: [InterfaceProblem] = []
        for need in needs {
            do throws(InterfaceProblem) {
                let interface = try interface(need.id)
                if let built = need.built { try interface.check(built, for: need.id) }
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// The interface that an id stands for.
    mutating func interface(_ id: String) throws(InterfaceProblem) -> FoundInterface {
        if let linked = linked.first(where: { $0.id == id }) { return .linked(linked) }
        guard let entry = module(id) else {
            throw .missing(id, known: known() + linked.map(\.id))
        }
        if let layer = entry.declaration?.layer, layer != .interface { throw .noInterface(entry) }
        guard entry.state == .ready else { throw .unusable(entry) }
        return .module(entry)
    }

    private mutating func module(_ id: String) -> CatalogEntry? {
        if let known = checked[id] { return known }
        var entry = find(id)
        // Interfaces may name each other in a circle, which the build reports.
        checked[id] = .some(entry)
        if entry != nil {
            apply(to: &entry!)
            checked[id] = .some(entry)
        }
        return entry
    }
}

extension CatalogEntry {
    fileprivate var lacksInterfaces: Bool {
        if case .interfaces = problem { true } else { false }
    }
}
