// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The meaning of signals to a shell, as a value: it depends on what the shell does, and on the signals before.
/// ``ShellSignals`` locks it, and does what it decides.
struct SignalMeaning {
    /// The work of the shell when a signal comes.
    private enum Activity {
        /// It does something that takes no time.
        case busy
        /// It waits for a line.
        case reading
        /// A person edits a line.
        case editing
        /// A feature runs.
        case running
    }

    /// The reasons for which a line that is being edited is drawn anew.
    struct EditingNews: Hashable {
        /// The line is given up.
        var isDiscarded = false
        var isResized = false
        var isContinued = false
    }

    /// What the shell does about a signal.
    enum Response: Hashable {
        case nothing
        /// Looks at the line that is being edited.
        case lookAtLine
        /// Prints the prompt again: the terminal has discarded the line itself.
        case promptAgain
        /// Asks the feature that runs to end.
        case askFeature
        /// Stops the modules and ends. The thread that reads cannot be woken.
        case stopAndExit
        /// Ends at once: a signal before this one has asked already.
        case exit
    }

    /// Whether a person uses the shell at a terminal.
    let isInteractive: Bool
    private var activity = Activity.busy
    private var news = EditingNews()
    /// Whether the feature that runs has been asked to end.
    private var isAsked = false
    /// The signal that ends the shell.
    private(set) var ending: Int32?
    /// When the shell loses patience with the feature.
    private(set) var deadline: ContinuousClock.Instant?

    init(isInteractive: Bool) {
        self.isInteractive = isInteractive
    }

    /// From now on, the shell waits for a line. A signal may end the process meanwhile.
    ///
    /// - Returns: `false` if a signal that ends the shell has come before that.
    mutating func beginReading() -> Bool {
        guard ending == nil else { return false }
        activity = .reading
        return true
    }

    /// From now on, a person edits a line.
    ///
    /// - Returns: Whether the line has to be looked at, because of a signal that came before that.
    mutating func beginEditing() -> Bool {
        activity = .editing
        news = EditingNews()
        return ending != nil
    }

    mutating func endReading() { activity = .busy }

    /// From now on, a feature runs.
    ///
    /// - Returns: Whether it is to be asked to end, because of a signal that came before that.
    mutating func beginRunning() -> Bool {
        activity = .running
        isAsked = ending != nil
        return isAsked
    }

    /// The feature has ended, so nothing is late any more.
    ///
    /// - Returns: Whether it was asked to end.
    mutating func endRunning() -> Bool {
        activity = .busy
        deadline = nil
        return isAsked
    }

    /// Takes the reasons to draw the line anew that have come since it was drawn.
    mutating func takeEditingNews() -> EditingNews {
        defer { news = EditingNews() }
        if ending != nil { news.isDiscarded = true }
        return news
    }

    /// Decides about a signal.
    mutating func take(_ number: Int32, at now: ContinuousClock.Instant = .now) -> Response {
        switch (number, activity) {
        case (SIGWINCH, .editing):
            news.isResized = true
            return .lookAtLine
        case (SIGCONT, .editing):
            news.isContinued = true
            return .lookAtLine
        case (SIGWINCH, _), (SIGCONT, _):
            return .nothing
        case (SIGINT, .editing) where isInteractive:
            news.isDiscarded = true
            return .lookAtLine
        case (SIGINT, .reading) where isInteractive:
            return .promptAgain
        case (SIGINT, .busy) where isInteractive:
            return .nothing
        case (SIGINT, .running) where isInteractive:
            if isAsked { return .exit }
            return askFeature(until: now + .seconds(1))
        case (_, .reading):
            return .stopAndExit
        case (_, .editing):
            ending = number
            return .lookAtLine
        case (_, .busy):
            if ending != nil { return .exit }
            ending = number
            return .nothing
        case (_, .running):
            if ending != nil { return .exit }
            ending = number
            return askFeature(until: now + .seconds(2))
        }
    }

    private mutating func askFeature(until deadline: ContinuousClock.Instant) -> Response {
        isAsked = true
        self.deadline = deadline
        return .askFeature
    }

    /// Whether the feature that runs is late. It is told once.
    mutating func losesPatience(at now: ContinuousClock.Instant = .now) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }
}
