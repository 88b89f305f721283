// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// The open screens of a run: a value without any waiting, which ``ScreenSession`` owns.
struct ScreenStack {
    /// An open screen.
    struct Entry {
        let id: ScreenID
        let link: Link
        /// Whether it lies above another screen as a dialogue.
        let isModal: Bool
        /// Whether its opener waits for a result.
        let isAwaited: Bool
        let model: any ScreenModel
        /// The texts that are filled in, without secrets.
        var form = Form()
        /// The problem with the last input.
        var notice: String?
        /// Whether the model handles an input at the moment.
        var isBusy = false
        /// The title that was shown last.
        var title = ""
    }

    /// A screen that was closed, and why.
    struct Closed {
        let id: ScreenID
        let end: ScreenEnd
    }

    private(set) var entries: [Entry] = []
    private var lastNumber = 0

    /// The screen that is shown.
    var top: Entry? { entries.last }

    /// The number for a new screen.
    mutating func newID() -> ScreenID {
        lastNumber += 1
        return ScreenID(lastNumber)
    }

    /// Opens a screen.
    ///
    /// A screen that is pushed, or opened as a dialogue, lies above its opener: those above the opener are
    /// closed.
    ///
    /// - Returns: The screens that are closed for it, the uppermost first.
    mutating func open(_ entry: Entry, as place: ScreenPlace, from opener: ScreenID?) -> [Closed] {
        var closed: [Closed] = []
        if place == .root {
            closed = remove(from: 0, { _ in .replaced })
        } else if let opener, let index = entries.firstIndex(where: { $0.id == opener }) {
            closed = remove(from: index + 1, { _ in .replaced })
        }
        entries.append(entry)
        return closed
    }

    /// Closes a screen and those above it.
    ///
    /// - Returns: The screens that are closed, the uppermost first; none if it is not open any more.
    mutating func close(_ screen: ScreenID, _ end: ScreenEnd) -> [Closed] {
        guard let index = entries.firstIndex(where: { $0.id == screen }) else { return [] }
        return remove(from: index) { $0 == index ? end : .cancelled }
    }

    /// Closes all screens but the lowest one.
    mutating func closeToRoot() -> [Closed] {
        remove(from: 1) { _ in .cancelled }
    }

    /// Closes all screens.
    mutating func closeAll() -> [Closed] {
        remove(from: 0) { _ in .cancelled }
    }

    /// Changes a screen, if it is still open.
    mutating func update(_ screen: ScreenID, _ change: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.id == screen }) else { return }
        change(&entries[index])
    }

    private mutating func remove(from index: Int, _ end: (Int) -> ScreenEnd) -> [Closed] {
        guard index < entries.count else { return [] }
        let closed = (index..<entries.count).reversed().map {
            Closed(id: entries[$0].id, end: end($0))
        }
        entries.removeSubrange(index...)
        return closed
    }
}
