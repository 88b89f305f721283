// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

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
