// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Decides what a screen shows, and what happens when the person acts: the interface of all view models.
///
/// A navigation asks for the screen, shows it, and hands over what the person did. It asks again after
/// each input, and when the model's router is told to refresh. Safe from any thread; the inputs of one
/// screen are handed over one after the other.
public protocol ScreenModel: AnyObject, Sendable {
    /// Describes what is shown now.
    func screen() async -> Screen

    /// Performs what the person asked for.
    ///
    /// - Parameter input: The action or the row, and what is filled in.
    /// - Throws: Any error that the model does not show itself. The navigation shows it to the person,
    ///   and the screen stays.
    func handle(_ input: ScreenInput) async throws

    /// The model's own state, which a saved navigation keeps; the content of fields is kept without it.
    ///
    /// Passwords and the like do not belong here.
    func state() async -> [String: String]

    /// Takes on a state that was saved, before the screen is shown for the first time.
    ///
    /// - Parameter state: A state that ``state()`` returned, possibly of an earlier version.
    func restore(_ state: [String: String]) async
}

extension ScreenModel {
    /// The default keeps nothing.
    public func state() async -> [String: String] { [:] }

    /// The default needs nothing.
    public func restore(_ state: [String: String]) async {}
}

/// Something that the person did on a screen.
public struct ScreenInput: Hashable, Sendable {
    /// The kinds of inputs that a model handles.
    public enum Kind: Hashable, Sendable {
        /// The action with this id.
        case action(String)
        /// The row with this id was opened, in the list with that id.
        case row(String, list: String)
    }

    /// The action or the row.
    public var kind: Kind
    /// The content of all fields and choices.
    public var form: Form

    /// Creates an input.
    ///
    /// - Parameters:
    ///   - kind: The action or the row.
    ///   - form: The content of all fields and choices.
    public init(_ kind: Kind, _ form: Form = Form()) {
        self.kind = kind
        self.form = form
    }
}

/// The content of a screen's fields and choices, by their ids.
public struct Form: Hashable, Sendable {
    /// The texts by id: of a field what is filled in, of a choice the id of the chosen option.
    public var values: [String: String]

    /// Creates a form.
    ///
    /// - Parameter values: The texts by id.
    public init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// The text of a field, or the chosen option's id of a choice; empty if there is none.
    public subscript(id: String) -> String {
        get { values[id] ?? "" }
        set { values[id] = newValue }
    }
}
