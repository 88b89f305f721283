// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON
internal import EavesSystem

/// An edit of a manifest that can be undone: the texts of the places that it changed.
public struct ManifestEdit: Hashable, Sendable {
    /// The purpose of an edit. The words are those of the history's file.
    ///
    /// Later versions may add cases: give a `switch` over them a `default`.
    public enum Kind: String, Sendable {
        /// It gave a service to another module, or shared it in another way.
        case swap
        /// It took a module out: its entry, and the bindings to it.
        case removal
    }

    /// A place of a manifest, and its text before and after an edit.
    package struct Part: Hashable, Sendable {
        /// The names that lead to the place, such as `bindings`, `UserService`.
        package let path: [String]
        /// The JSON text before; `nil` if there was none.
        package let before: String?
        /// The JSON text after; `nil` if there is none.
        package let after: String?

        package init(_ path: [String], from before: String?, to after: String?) {
            self.path = path
            self.before = before
            self.after = after
        }

        /// The service as the manifest has it, such as `UserService#archive`, if the place is a binding.
        package var service: String? { path.first == .bindings ? path.last : nil }
        package var bindingBefore: BindingText? { before.map { BindingText($0) } }
        package var bindingAfter: BindingText? { after.map { BindingText($0) } }
    }

    /// The purpose of the edit.
    public let kind: Kind
    /// The id of the module that a swap gives the service to, or of its canary; or that of the module that was removed.
    public let module: String
    /// A swap has one. A removal has the module's entry first.
    package let parts: [Part]
    /// The reason why a host made the edit by itself; `nil` if a person or a program made it.
    public let reason: String?
    /// The time of the edit, in seconds since 1970; `nil` for one that an earlier version of Eaves made.
    public let time: Int?
    /// Whether the manifest was as before the edit already when it was to be undone: only the history changed then.
    public internal(set) var wasUndone = false

    package init(
        _ kind: Kind, _ module: String, _ parts: [Part], because reason: String? = nil,
        at time: Int? = nil
    ) {
        self.kind = kind
        self.module = module
        self.parts = parts
        self.reason = reason
        self.time = time
    }

    /// The services whose bindings the edit changed, as the manifest has them, such as `UserService#archive`. A swap has
    /// one.
    public var services: [String] { parts.compactMap(\.service) }
    /// The module that the service of a swap came from, or the weights in words, such as
    /// `users-memory 90 %, users-v2 10 %, by user`; `nil` if the manifest had no binding for it, and for a removal.
    public var before: String? { kind == .swap ? parts[0].bindingBefore?.words : nil }
    /// The module that the service of a swap comes from now, or the weights in words; `nil` for a removal.
    public var after: String? { kind == .swap ? parts[0].bindingAfter?.words : nil }
}

/// The text of a binding: a module's id, or weights.
package struct BindingText: Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    init(of module: String) { text = JSON.string(module).text(pretty: false) }

    /// The module that the service is bound to; `nil` for weights.
    package var module: String? { (try? JSONNode.parse(Array(text.utf8)))?.string }

    package var weights: String? { module == nil ? Weights(text)?.words ?? text : nil }

    package var words: String { module ?? Weights(text)?.words ?? text }
}

// Edits that can be undone.
extension ManifestEditor {
    /// Binds a service to a module, so that ``undoLast(_:)`` can undo it.
    ///
    /// - Parameters:
    ///   - isExact: Whether a binding of the service's word alone is about another service.
    ///   - discardsState: Whether the module may take the service over without the state of the one that
    ///   has it now. If not, the module's entry no longer says so.
    /// - Returns: The edit; `nil` if the service was bound to that module already.
    package mutating func swap(
        _ service: String, exactly isExact: Bool = false, to module: String,
        discardingState discardsState: Bool = false
    ) throws(ManifestError) -> ManifestEdit? {
        try setDiscardsState(module, discardsState)
        let key = isExact ? service : boundKey(service)
        guard manifest.binding(BindingKey(text: key))?.target != .module(module) else {
            return nil
        }
        return try give(key, to: module)
    }

    /// Binds a service to a module, so that ``undoLast(_:)`` can undo it.
    ///
    /// - Parameters:
    ///   - binding: The weights, if others keep a share; `nil` for the module alone.
    ///   - reason: The reason, if a host makes the edit by itself.
    /// - Returns: The edit; `nil` if the service was bound so already.
    mutating func give(
        _ key: String, to module: String, as binding: JSON? = nil, because reason: String? = nil
    ) throws(ManifestError) -> ManifestEdit? {
        try edit(key, to: module, because: reason) { text throws(JSONSyntaxError) in
            try text.set([.bindings, key], to: binding ?? .string(module))
        }
    }

    /// The key of the binding that decides about a service: of a name that is qualified by its Swift module,
    /// the manifest may have the word alone; of the word alone, it may have one qualified name, which goes before it.
    func boundKey(_ service: String) -> String {
        let key = BindingKey(text: service)
        if key == key.word {
            let qualified = manifest.bindings.map(\.key).filter { $0 != key && $0.word == key }
            return qualified.count == 1 ? qualified[0].text : service
        }
        return manifest.binding(key) == nil && manifest.binding(key.word) != nil
            ? key.word.text : service
    }

    /// Removes a module's entry and the bindings to it, so that ``undoLast(_:)`` can undo it. Where it shares
    /// a binding with other modules, these keep their weights.
    ///
    /// - Returns: The edit; `nil` if there was nothing to remove.
    @discardableResult
    package mutating func remove(_ id: String) throws(ManifestError) -> ManifestEdit? {
        let bindings = manifest.bindings.filter { $0.modules.contains(id) }
        let paths = [[.modules, id]] + bindings.map { [.bindings, $0.key.text] }
        return try edit(.removal, id, at: paths) { text throws(JSONSyntaxError) in
            try text.remove([.modules, id])
            for binding in bindings {
                let others = binding.weights?.eligible.filter { $0 != id } ?? []
                let path = [.bindings, binding.key.text]
                try text.remove(others.isEmpty ? path : path + [id])
            }
        }
    }

    /// Changes the binding of a service, so that ``undoLast(_:)`` can undo it.
    ///
    /// - Returns: The edit; `nil` if the binding was so already.
    mutating func edit(
        _ key: String, to module: String, because reason: String? = nil,
        _ body: (inout JSONEditor) throws(JSONSyntaxError) -> Void
    ) throws(ManifestError) -> ManifestEdit? {
        try edit(.swap, module, at: [[.bindings, key]], because: reason, body)
    }

    private mutating func edit(
        _ kind: ManifestEdit.Kind, _ module: String, at paths: [[String]],
        because reason: String? = nil,
        _ body: (inout JSONEditor) throws(JSONSyntaxError) -> Void
    ) throws(ManifestError) -> ManifestEdit? {
        let before = paths.map(found)
        try change(body)
        let parts = zip(paths, before).map { ManifestEdit.Part($0, from: $1, to: found(at: $0)) }
        guard parts.contains(where: { $0.before != $0.after }) else { return nil }
        let edit = ManifestEdit(kind, module, parts, because: reason, at: WallClock.second)
        history = .append(edit)
        return edit
    }

    private func found(at path: [String]) -> String? {
        text.text(at: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Undoes the last edits of this manifest that were not undone yet, the newest one first.
    ///
    /// - Parameter steps: How many, at least 1.
    /// - Returns: The edits that were undone.
    /// - Throws: ``HistoryError`` if there are fewer, or if the manifest is neither as one of them left it
    ///   nor as it was before that edit. Then ``edit(_:patience:_:)`` writes none of the steps.
    package mutating func undoLast(_ steps: Int) throws -> [ManifestEdit] {
        let edits = try manifest.history.edits { saved }
        if edits.isEmpty { throw HistoryError.nothingToUndo }
        if edits.count < steps { throw HistoryError.tooFew(asked: steps, found: edits.count) }
        var undone: [ManifestEdit] = []
        for (index, last) in edits.prefix(steps).enumerated() {
            do {
                undone.append(try undo(last))
            } catch let error as HistoryError where steps > 1 {
                throw HistoryError.step(number: index + 1, of: steps, error)
            }
        }
        history = .removeLast(steps)
        return undone
    }

    private mutating func undo(_ last: ManifestEdit) throws -> ManifestEdit {
        var undone = last
        // By hand; or the command that made the edit was killed before it wrote the manifest.
        undone.wasUndone = last.parts.allSatisfy { found(at: $0.path) == $0.before }
        if undone.wasUndone { return undone }
        for part in last.parts where found(at: part.path) != part.after {
            throw HistoryError.changedSince(
                last, part, found: found(at: part.path), history: manifest.history.path)
        }
        try change { text throws(JSONSyntaxError) in
            for part in last.parts {
                if let before = part.before {
                    try text.set(part.path, toText: Array(before.utf8))
                } else {
                    try text.remove(part.path)
                }
            }
        }
        return undone
    }
}
