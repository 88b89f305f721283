// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

package struct InterfaceChange: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case added, removed, changed
    }

    /// The modules that a change can break. They are built against the earlier state and run with the later one.
    package enum Party: String, CaseIterable, Sendable {
        /// Modules that implement a protocol of the interface.
        case providers
        /// Modules that use anything of the interface.
        case users
    }

    package var kind: Kind
    /// The declaration, with the names of the types around it.
    package var name: String
    /// The change in words, such as `added requirement WeatherService.wind() without a default`.
    package var message: String
    /// The parties that the change breaks. Empty if there are none.
    package var breaks: Set<Party>
}

struct InterfaceComparison {
    private typealias Declaration = InterfaceAPI.Declaration
    private typealias Trait = InterfaceAPI.Trait

    private var removed: [Declaration]
    private var added: [Declaration]
    /// The changes from one state to the other, in the order of the names.
    private(set) var changes: [InterfaceChange] = []

    init(_ old: InterfaceAPI, _ new: InterfaceAPI) {
        let earlier = Dictionary(old.declarations.map { ($0.symbol, $0) }) { first, _ in first }
        let later = Dictionary(new.declarations.map { ($0.symbol, $0) }) { first, _ in first }
        removed = old.declarations.filter { later[$0.symbol] == nil }
        added = new.declarations.filter { earlier[$0.symbol] == nil }
        guard old.module == new.module else {
            changes = [
                InterfaceChange(
                    kind: .changed, name: new.module,
                    message: "changed the Swift module from \(old.module) to \(new.module)",
                    breaks: [.providers, .users])
            ]
            return
        }
        // Members of a type that was added or removed follow from that, and accessors from their property.
        let (gone, come) = (Set(removed.map(\.name)), Set(added.map(\.name)))
        removed.removeAll { Self.isPart($0, of: gone) }
        added.removeAll { Self.isPart($0, of: come) }
        changes = changedSignatures()
        changes += removed.map { declaration in
            InterfaceChange(
                kind: .removed, name: declaration.name,
                message: "removed \(Self.words(declaration))", breaks: Self.users(of: declaration))
        }
        changes += added.map(addition)
        for (symbol, before) in earlier {
            if let after = later[symbol] { changes += changedTraits(before, after) }
        }
        changes.sort { ($0.name, $0.message) < ($1.name, $1.message) }
    }

    private static func isPart(_ declaration: Declaration, of names: Set<String>) -> Bool {
        var owner = Substring(declaration.name)
        if declaration.kind == "Accessor", let property = declaration.name.part(before: " (") {
            owner = property
            if names.contains(String(owner)) { return true }
        }
        while let dot = owner.lastIndex(of: ".") {
            owner = owner[..<dot]
            if names.contains(String(owner)) { return true }
        }
        return false
    }

    /// Finds pairs of what was removed and added under one name: other types, labels or effects.
    private mutating func changedSignatures() -> [InterfaceChange] {
        var changes: [InterfaceChange] = []
        for before in removed {
            guard
                let index = added.firstIndex(where: { after in
                    after.kind == before.kind && Self.base(after) == Self.base(before)
                })
            else { continue }
            let after = added.remove(at: index)
            removed.removeAll { $0.symbol == before.symbol }
            changes.append(
                InterfaceChange(
                    kind: .changed, name: before.name,
                    message: "changed \(Self.words(before)): "
                        + "\(before.signature) → \(after.signature)",
                    breaks: Self.users(of: before)))
        }
        return changes
    }

    /// The name without the labels.
    private static func base(_ declaration: Declaration) -> Substring {
        declaration.kind == "Accessor"
            ? declaration.name[...] : declaration.name.prefix { $0 != "(" }
    }

    private func addition(_ declaration: Declaration) -> InterfaceChange {
        var breaks: Set<InterfaceChange.Party> = []
        var message = "added \(Self.words(declaration))"
        if declaration.has(Trait.requirement) {
            if declaration.has(Trait.hasDefault) {
                message += ", which has a default"
            } else {
                breaks = [.providers]
                message += ", without a default"
            }
        }
        if declaration.traits.contains(where: { $0.hasPrefix(Trait.place) }) {
            breaks = [.providers, .users]
            message += ", which changes the layout of a @frozen type"
        }
        return InterfaceChange(
            kind: .added, name: declaration.name, message: message, breaks: breaks)
    }

    private func changedTraits(_ before: Declaration, _ after: Declaration) -> [InterfaceChange] {
        let lost = Set(before.traits).subtracting(after.traits)
        let gained = Set(after.traits).subtracting(before.traits)
        let words = Self.words(after)
        func change(
            _ kind: InterfaceChange.Kind, _ message: String,
            _ breaks: Set<InterfaceChange.Party> = []
        ) -> InterfaceChange {
            InterfaceChange(kind: kind, name: after.name, message: message, breaks: breaks)
        }
        var changes: [InterfaceChange] = []
        for trait in lost.union(gained).sorted() {
            let isLost = lost.contains(trait)
            if trait == Trait.hasDefault {
                changes.append(
                    isLost
                        ? change(.removed, "removed the default of \(words)", [.providers])
                        : change(.added, "added a default for \(words)"))
            } else if trait.hasPrefix(Trait.conforms) || trait == Trait.isOpen {
                let what = "\(words): \(trait)"
                changes.append(
                    isLost
                        ? change(.removed, "removed from \(what)", [.users])
                        : change(.added, "added to \(what)"))
            } else {
                let what = isLost ? "lost '\(trait)'" : "got '\(trait)'"
                let breaks = Self.users(of: after).union(
                    after.kind == "Protocol" ? [.providers] : [])
                changes.append(change(.changed, "changed \(words): \(what)", breaks))
            }
        }
        return changes
    }

    /// The modules that use a declaration. A module that implements a protocol uses its requirements.
    private static func users(of declaration: Declaration) -> Set<InterfaceChange.Party> {
        let isOfProvider = declaration.has(Trait.requirement) || declaration.kind == "Protocol"
        return isOfProvider ? [.providers, .users] : [.users]
    }

    /// `requirement WeatherService.report(for:)`, `protocol WeatherService`.
    private static func words(_ declaration: Declaration) -> String {
        let kind =
            declaration.has(Trait.requirement)
            ? "requirement" : kinds[declaration.kind] ?? declaration.kind.lowercased()
        return "\(kind) \(declaration.name)"
    }

    private static let kinds = [
        "Func": "function", "Var": "property", "Constructor": "initialiser",
        "EnumElement": "case", "AssociatedType": "associated type", "TypeAlias": "type alias",
    ]
}

extension InterfaceAPI.Declaration {
    fileprivate func has(_ trait: String) -> Bool { traits.contains(trait) }
}
