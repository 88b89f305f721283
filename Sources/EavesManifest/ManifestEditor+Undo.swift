// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

// Changes that can be undone.
extension ManifestEditor {
    /// Binds a service to a module, as ``bind(_:to:)`` does, so that ``undoLast()`` can undo it.
    ///
    /// - Returns: The change; `nil` if the service was bound to that module already.
    package mutating func swap(
        _ service: String, to module: String
    ) throws(ManifestError) -> Swap? {
        let swap = Swap(service: service, from: manifest.binding(of: service), to: module)
        guard swap.from != swap.to else { return nil }
        try bind(service, to: module)
        history = .append(.swap(swap))
        return swap
    }

    /// Removes a module's entry and the bindings to it, so that ``undoLast()`` can undo it.
    ///
    /// - Returns: The removed parts; `nil` if there are none.
    @discardableResult
    package mutating func remove(_ id: String) throws(ManifestError) -> Removal? {
        let entry = text.text(at: [.modules, id])
        let services = manifest.bindings.filter { $0.module == id }.map(\.service)
        guard entry != nil || !services.isEmpty else { return nil }
        try change { text throws(JSONSyntaxError) in
            try text.remove([.modules, id])
            for service in services { try text.remove([.bindings, service]) }
        }
        let removal = Removal(
            module: id, entry: entry.map { String(decoding: $0, as: UTF8.self) },
            services: services)
        history = .append(.removal(removal))
        return removal
    }

    /// Undoes the last swap or removal of this manifest that was not undone yet.
    ///
    /// - Returns: The change that was undone.
    /// - Throws: ``HistoryError`` if there is none, or if the manifest is neither as the change left
    ///   it nor as it was before the change.
    package mutating func undoLast() throws -> Undo {
        guard let last = try manifest.history.last() else { throw HistoryError.nothingToUndo }
        history = .removeLast
        // By hand; or the command that made the change was killed before it wrote the manifest.
        if isUndone(last) { return Undo(change: last, wasUndone: true) }
        if let found = difference(from: last) {
            throw HistoryError.changedSince(last, found, history: manifest.history.path)
        }
        switch last {
        case .swap(let swap):
            if let before = swap.from {
                try bind(swap.service, to: before)
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
            }
        }
        return Undo(change: last, wasUndone: false)
    }

    /// Whether the manifest is as it was before a change.
    private func isUndone(_ change: ManifestChange) -> Bool {
        switch change {
        case .swap(let swap):
            return manifest.binding(of: swap.service) == swap.from
        case .removal(let removal):
            let entry = text.text(at: [.modules, removal.module])
            return entry.map { String(decoding: $0, as: UTF8.self) } == removal.entry
                && removal.services.allSatisfy { manifest.binding(of: $0) == removal.module }
        }
    }

    /// The first place that is not as a change left it; `nil` if all are.
    private func difference(from change: ManifestChange) -> HistoryDifference? {
        switch change {
        case .swap(let swap):
            let found = manifest.binding(of: swap.service)
            return found == swap.to ? nil : .binding(swap.service, found)
        case .removal(let removal):
            if manifest.entry(removal.module) != nil { return .entry }
            for service in removal.services {
                if let found = manifest.binding(of: service) { return .binding(service, found) }
            }
            return nil
        }
    }
}
