// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// Draws screens, in a way of its own.
public protocol ScreenRenderer: Sendable {
    /// Whether it can draw for this console, such as because it needs a terminal.
    func canDraw(on console: any Console) -> Bool

    /// Begins to draw. Nothing else writes to the console until the display is closed.
    ///
    /// - Parameter console: The input and output of the feature.
    /// - Throws: The reason why nothing can be drawn, such as a terminal that is too old.
    func open(on console: any Console) async throws -> any ScreenDisplay
}

/// The place where a renderer draws one screen after the other.
///
/// Its functions are called one after the other, never at once.
public protocol ScreenDisplay: Sendable {
    /// Whether ``show(_:in:)`` returns soon when its task is cancelled.
    ///
    /// A display that cannot interrupt the person's typing is not used to show that work is going on.
    var canBeInterrupted: Bool { get }

    /// Shows a screen, and waits until the person does something.
    ///
    /// If the task is cancelled, it returns soon with ``DisplayEvent/interrupted(_:)`` and the texts that
    /// are filled in by then, so that the screen can be drawn anew; a display that cannot interrupt the
    /// person's typing returns when the line is complete.
    ///
    /// - Parameters:
    ///   - screen: The screen.
    ///   - frame: The place of the screen among others, and the person's part in it.
    /// - Throws: The reason why it cannot be shown, such as a reader that has gone.
    func show(_ screen: Screen, in frame: ScreenFrame) async throws -> DisplayEvent

    /// Ends drawing, and leaves the console as it was. It is called once, also after an error.
    func close() async
}

extension ScreenDisplay {
    /// The default is a display that can be interrupted.
    public var canBeInterrupted: Bool { true }
}

/// Something that the person did, as a display reports it.
public enum DisplayEvent: Hashable, Sendable {
    /// An action or a row.
    case input(ScreenInput)
    /// The person wants to leave this screen; the form has what is filled in.
    case back(Form)
    /// The person wants to leave the application; the form has what is filled in. The end of the
    /// input counts as well.
    case quit(Form)
    /// The task was cancelled; the form has what is filled in.
    case interrupted(Form)
}

/// Everything that a navigation knows of the screen that it shows.
public struct ScreenFrame: Hashable, Sendable {
    /// The titles of the screens below, the lowest first.
    public var trail: [String]
    /// Whether the screen lies above another one, as a dialogue does.
    public var isModal: Bool
    /// The content of the fields and choices, where it differs from that of the screen.
    public var form: Form
    /// The problem with the last input; `nil` if there is none.
    public var notice: String?

    /// Creates a frame.
    ///
    /// - Parameters:
    ///   - trail: The titles of the screens below, the lowest first.
    ///   - isModal: Whether the screen lies above another one, as a dialogue does.
    ///   - form: The content of the fields and choices, where it differs from that of the screen.
    ///   - notice: The problem with the last input; `nil` if there is none.
    public init(
        trail: [String] = [], isModal: Bool = false, form: Form = Form(), notice: String? = nil
    ) {
        self.trail = trail
        self.isModal = isModal
        self.form = form
        self.notice = notice
    }

    /// Whether there is a screen to go back to.
    public var canGoBack: Bool { !trail.isEmpty }
}
