// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Describes what a person sees and can do, and not how it is drawn.
///
/// A renderer draws it: in a terminal, a line at a time, or as a page in a browser.
public struct Screen: Hashable, Sendable {
    /// The heading.
    public var title: String
    /// The content, from top to bottom.
    public var elements: [Element]
    /// The things that the person can do, the most usual one first. Renderers add the way back.
    public var actions: [Action]

    /// Creates a screen.
    ///
    /// - Parameters:
    ///   - title: The heading.
    ///   - elements: The content, from top to bottom.
    ///   - actions: The things that the person can do, the most usual one first.
    public init(_ title: String, _ elements: [Element] = [], actions: [Action] = []) {
        self.title = title
        self.elements = elements
        self.actions = actions
    }

    /// A part of the content. Later versions of the interface may add further kinds.
    public enum Element: Hashable, Sendable {
        /// A paragraph.
        case text(String)
        /// A paragraph about something that went wrong.
        case problem(String)
        /// A line that the person can fill in.
        case field(Field)
        /// One of several options, which the person can choose.
        case choice(Choice)
        /// Rows, each of which the person can open.
        case list(List)
    }

    /// A line that the person can fill in.
    public struct Field: Hashable, Sendable {
        /// The key of its value in ``Form``; unique within the screen.
        public var id: String
        /// The text in front of it.
        public var label: String
        /// The text that stands in it at first.
        public var value: String
        /// Whether the text is hidden while it is typed, as a password is. It is never saved.
        public var isSecret: Bool

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - id: The key of its value in ``Form``; unique within the screen.
        ///   - label: The text in front of it.
        ///   - value: The text that stands in it at first.
        ///   - isSecret: Whether the text is hidden while it is typed.
        public init(_ id: String, _ label: String, value: String = "", isSecret: Bool = false) {
            self.id = id
            self.label = label
            self.value = value
            self.isSecret = isSecret
        }
    }

    /// One of several options, which the person can choose.
    public struct Choice: Hashable, Sendable {
        /// The key of the chosen option's id in ``Form``; unique within the screen.
        public var id: String
        /// The text in front of it.
        public var label: String
        /// The options, in their order.
        public var options: [Option]
        /// The id of the option that is chosen at first.
        public var selected: String

        /// Creates a choice.
        ///
        /// - Parameters:
        ///   - id: The key of the chosen option's id in ``Form``; unique within the screen.
        ///   - label: The text in front of it.
        ///   - options: The options, in their order.
        ///   - selected: The id of the option that is chosen at first.
        public init(_ id: String, _ label: String, _ options: [Option], selected: String) {
            self.id = id
            self.label = label
            self.options = options
            self.selected = selected
        }
    }

    /// An option of a choice.
    public struct Option: Hashable, Sendable {
        /// Unique within the choice.
        public var id: String
        /// The text that the person sees.
        public var title: String

        /// Creates an option.
        ///
        /// - Parameters:
        ///   - id: Unique within the choice.
        ///   - title: The text that the person sees.
        public init(_ id: String, _ title: String) {
            self.id = id
            self.title = title
        }
    }

    /// Rows, each of which the person can open.
    public struct List: Hashable, Sendable {
        /// Unique within the screen.
        public var id: String
        /// The rows, in their order.
        public var rows: [Row]
        /// The text that stands in place of the rows if there are none.
        public var placeholder: String

        /// Creates a list.
        ///
        /// - Parameters:
        ///   - id: Unique within the screen.
        ///   - rows: The rows, in their order.
        ///   - placeholder: The text that stands in place of the rows if there are none.
        public init(_ id: String, _ rows: [Row], placeholder: String = "Nothing is here yet.") {
            self.id = id
            self.rows = rows
            self.placeholder = placeholder
        }
    }

    /// A row of a list.
    public struct Row: Hashable, Sendable {
        /// Unique within the list.
        public var id: String
        /// The text that the person sees first.
        public var title: String
        /// A further text; empty if there is none.
        public var detail: String
        /// A colour next to the title, such as `#3366cc`; `nil` if there is none. It never carries a
        /// meaning alone.
        public var color: String?

        /// Creates a row.
        ///
        /// - Parameters:
        ///   - id: Unique within the list.
        ///   - title: The text that the person sees first.
        ///   - detail: A further text; empty if there is none.
        ///   - color: A colour next to the title, such as `#3366cc`; `nil` if there is none.
        public init(_ id: String, _ title: String, detail: String = "", color: String? = nil) {
            self.id = id
            self.title = title
            self.detail = detail
            self.color = color
        }
    }

    /// Something that the person can do, such as a button.
    public struct Action: Hashable, Sendable {
        /// Unique within the screen.
        public var id: String
        /// The text that the person sees, such as `Log in`.
        public var title: String

        /// Creates an action.
        ///
        /// - Parameters:
        ///   - id: Unique within the screen.
        ///   - title: The text that the person sees, such as `Log in`.
        public init(_ id: String, _ title: String) {
            self.id = id
            self.title = title
        }
    }
}
