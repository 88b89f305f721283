// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

// Changes that can be undone.
extension ManifestEditor {
    /// Binds a service to a module, as ``bind(_:to:)`` does, so that ``undoLast()`` can undo it.
    ///
    /// - Parameters:
    ///   - isExact: Whether a binding of the service's word alone is about another service.
    ///   - discardsState: Whether the module may take the service over without the state of the one that
    ///   has it now. If not, the module's entry no longer says so.
    /// - Returns: The change; `nil` if the service was bound to that module already.
    package mutating func swap(
        _ service: String, exactly isExact: Bool = false, to module: String,
        discardingState discardsState: Bool = false
    ) throws(ManifestError) -> Swap? {
        try setDiscardsState(module, discardsState)
        let key = isExact ? service : boundKey(service)
        let before = manifest.binding(BindingKey(text: key))?.target
        guard before != .module(module) else { return nil }
        let swap =
            switch before {
            case .module(let from): Swap(service: key, from: from, to: module)
            case .weights: Swap(service: key, from: nil, weights: bound(key), to: module)
            case nil: Swap(service: key, from: nil, to: module)
            }
        try bind(key, to: module)
        history = .append(.swap(swap))
        return swap
    }

    /// The key under which the manifest binds a service: of a name that is qualified by its Swift module,
    /// the manifest may have the word alone.
    func boundKey(_ service: String) -> String {
        let key = BindingKey(text: service)
        return manifest.binding(key) == nil && manifest.binding(key.word) != nil
            ? key.word.text : service
    }

    /// The text of a binding.
    func bound(_ key: String) -> String? {
        text.text(at: [.bindings, key]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The module that a service is bound to, or the weights in words.
    private func words(_ key: String) -> String? {
        manifest.binding(BindingKey(text: key))?.words
    }

    /// Removes a module's entry and the bindings to it, so that ``undoLast()`` can undo it. Where it shares
    /// a binding with other modules, these keep their weights.
    ///
    /// - Returns: The removed parts; `nil` if there are none.
    @discardableResult
    package mutating func remove(_ id: String) throws(ManifestError) -> Removal? {
        let entry = text.text(at: [.modules, id])
        let bindings = manifest.bindings.filter { $0.modules.contains(id) }
        guard entry != nil || !bindings.isEmpty else { return nil }
        let before = bindings.map { bound($0.key.text) ?? "" }
        try change { text throws(JSONSyntaxError) in
            try text.remove([.modules, id])
            for binding in bindings {
                let others = binding.weights?.eligible.filter { $0 != id } ?? []
                let path = [.bindings, binding.key.text]
                try text.remove(others.isEmpty ? path : path + [id])
            }
        }
        let removal = Removal(
            module: id, entry: entry.map { String(decoding: $0, as: UTF8.self) },
            services: bindings.filter { $0.weights == nil }.map(\.key.text),
            shares: zip(bindings, before).filter { $0.0.weights != nil }.map { binding, before in
                Removal.Share(
                    service: binding.key.text, before: before, after: bound(binding.key.text))
            })
        history = .append(.removal(removal))
        return removal
    }

    /// Undoes the last swaps and removals of this manifest that were not undone yet, the newest one first.
    ///
    /// - Parameter steps: How many, at least 1.
    /// - Returns: The changes that were undone.
    /// - Throws: ``HistoryError`` if there are fewer, or if the manifest is neither as one of them left it
    ///   nor as it was before that change. Then ``edit(_:patience:_:)`` writes none of the steps.
    package mutating func undoLast(_ steps: Int) throws -> [Undo] {
        let past = try manifest.history.changes { saved }
        if past.isEmpty { throw HistoryError.nothingToUndo }
        if past.count < steps { throw HistoryError.tooFew(asked: steps, found: past.count) }
        var undone: [Undo] = []
        for (index, last) in past.prefix(steps).enumerated() {
            do {
                undone.append(try undo(last.change))
            } catch let error as HistoryError where steps > 1 {
                throw HistoryError.step(number: index + 1, of: steps, error)
            }
        }
        history = .removeLast(steps)
        return undone
    }

    /// Undoes the last swap or removal.
    package mutating func undoLast() throws -> Undo { try undoLast(1)[0] }

    private mutating func undo(_ last: ManifestChange) throws -> Undo {
        // By hand; or the command that made the change was killed before it wrote the manifest.
        if isUndone(last) { return Undo(change: last, wasUndone: true) }
        if let found = difference(from: last) {
            throw HistoryError.changedSince(last, found, history: manifest.history.path)
        }
        switch last {
        case .swap(let swap):
            if let before = swap.from {
                try bind(swap.service, to: before)
            } else if let weights = swap.weights {
                try change { text throws(JSONSyntaxError) in
                    try text.set([.bindings, swap.service], toText: Array(weights.utf8))
                }
            } else {
                try unbind(swap.service)
            }
        case .removal(let removal):
            try change { text throws(JSONSyntaxError) in
                if let entry = removal.entry {
                    try text.set([.modules, removal.module], toText: Array(entry.utf8))
                }
                for service in removal.services {
                    try text.set([.bindings, service], to: .string(removal.module))
                }
                for share in removal.shares {
                    try text.set([.bindings, share.service], toText: Array(share.before.utf8))
                }
            }
        }
        return Undo(change: last, wasUndone: false)
    }

    /// Whether the manifest is as it was before a change.
    private func isUndone(_ change: ManifestChange) -> Bool {
        switch change {
        case .swap(let swap):
            let key = BindingKey(text: swap.service)
            if swap.weights != nil { return bound(swap.service) == swap.weights }
            return manifest.binding(key)?.target == swap.from.map { .module($0) }
        case .removal(let removal):
            let entry = text.text(at: [.modules, removal.module])
            return entry.map { String(decoding: $0, as: UTF8.self) } == removal.entry
                && removal.services.allSatisfy {
                    manifest.binding(BindingKey(text: $0))?.target == .module(removal.module)
                }
                && removal.shares.allSatisfy { bound($0.service) == $0.before }
        }
    }

    /// The first place that is not as a change left it; `nil` if all are.
    private func difference(from change: ManifestChange) -> HistoryDifference? {
        switch change {
        case .swap(let swap):
            let found = manifest.binding(BindingKey(text: swap.service))
            let isAsLeft =
                swap.share.map { bound(swap.service) == $0 } ?? (found?.target == .module(swap.to))
            return isAsLeft ? nil : .binding(swap.service, found?.words)
        case .removal(let removal):
            if manifest.entry(removal.module) != nil { return .entry }
            for service in removal.services {
                if let found = words(service) { return .binding(service, found) }
            }
            for share in removal.shares where bound(share.service) != share.after {
                return .binding(share.service, bound(share.service))
            }
            return nil
        }
    }
}
