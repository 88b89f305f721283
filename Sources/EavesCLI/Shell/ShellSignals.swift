// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// Decides what a signal means to a shell: it may discard a line, end a feature, or end the shell.
///
/// A feature that has a handler of its own gets the signals itself, until it ends.
///
/// Safe from any thread. A process has one.
final class ShellSignals: Sendable {
    /// The work of the shell when a signal comes.
    private enum Activity {
        /// It does something that takes no time.
        case busy
        /// It waits for a line.
        case reading
        /// A person edits a line.
        case editing
        /// A feature runs; the function asks it to end.
        case running(@Sendable () -> Void)
    }

    /// The reasons for which a line that is being edited is drawn anew.
    struct EditingNews {
        /// The line is given up.
        var isDiscarded = false
        var isResized = false
        var isContinued = false
    }

    private struct State {
        var activity = Activity.busy
        /// The signal that ends the shell.
        var ending: Int32?
        var news = EditingNews()
        /// Whether the feature that runs has been asked to end.
        var isAsked = false
        /// When to lose patience with the feature.
        var deadline: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let terminal: Terminal
    private let isInteractive: Bool
    /// Is printed again after an interrupt at a prompt without an editor.
    private let prompt: String
    private let news: EventFlag
    private let interruption: EventFlag
    /// Stops the modules before a signal ends the process.
    private let cleanUp: @Sendable () -> Void

    /// - Parameters:
    ///   - cleanUp: Stops the modules before a signal ends the process.
    ///   - news: Is noted when a line that is being edited has to be looked at.
    ///   - interruption: Is noted while the feature that runs is asked to end.
    init(
        _ terminal: Terminal, prompt: String, news: EventFlag, interruption: EventFlag,
        cleaningUpBy cleanUp: @escaping @Sendable () -> Void
    ) {
        self.cleanUp = cleanUp
        self.terminal = terminal
        self.prompt = prompt
        isInteractive = terminal.console.isInteractive
        self.news = news
        self.interruption = interruption
    }

    /// Begins to take signals.
    ///
    /// - Throws: `SystemError` if the system has no further descriptor or thread.
    func begin() throws(SystemError) {
        try SignalListener.begin(
            Self.numbers, until: { [self] in state.withLock { $0.deadline } },
            take: { [self] in take($0) }, expire: { [self] in losePatience() })
    }

    /// The signal that ends the shell, if one has come.
    var ending: Int32? { state.withLock { $0.ending } }

    /// From now on, the shell waits for a line. A signal may end the process meanwhile.
    ///
    /// - Returns: `false` if a signal that ends the shell has come before that.
    func beginReading() -> Bool {
        state.withLock { state in
            guard state.ending == nil else { return false }
            state.activity = .reading
            return true
        }
    }

    /// From now on, a person edits a line.
    func beginEditing() {
        state.withLock { state in
            state.activity = .editing
            state.news = EditingNews()
            // A signal that came before that.
            if state.ending != nil { news.note() }
        }
    }

    func endReading() { state.withLock { $0.activity = .busy } }

    /// From now on, a feature runs.
    ///
    /// - Parameter cancel: Asks it to end.
    func beginRunning(_ cancel: @escaping @Sendable () -> Void) {
        interruption.take()
        let isEnding = state.withLock { state in
            state.activity = .running(cancel)
            state.isAsked = state.ending != nil
            return state.isAsked
        }
        if isEnding { cancel() }
    }

    /// - Returns: Whether the feature was asked to end.
    func endRunning() -> Bool {
        interruption.take()
        // The feature may have left handlers of its own.
        SignalListener.intercept(Self.numbers)
        return state.withLock { state in
            state.activity = .busy
            state.deadline = nil
            return state.isAsked
        }
    }

    /// Takes the reasons to draw the line anew that have come since it was drawn.
    func takeEditingNews() -> EditingNews {
        state.withLock { state in
            defer { state.news = EditingNews() }
            if state.ending != nil { state.news.isDiscarded = true }
            return state.news
        }
    }

    // MARK: The thread

    private func take(_ number: Int32) {
        let act: (@Sendable () -> Void)? = state.withLock { state in
            switch (number, state.activity) {
            case (SIGWINCH, .editing):
                state.news.isResized = true
                news.note()
            case (SIGCONT, .editing):
                state.news.isContinued = true
                news.note()
            case (SIGWINCH, _), (SIGCONT, _):
                break
            case (SIGINT, .editing) where isInteractive:
                state.news.isDiscarded = true
                news.note()
            case (SIGINT, .reading) where isInteractive:
                // The terminal has discarded the line itself. The thread that reads has the console.
                let bytes = Array("\n\(prompt)".utf8)
                _ = write(STDOUT_FILENO, bytes, bytes.count)
            case (SIGINT, .busy) where isInteractive:
                break
            case (SIGINT, .running(let cancel)) where isInteractive:
                if state.isAsked { exit(128 + number) }
                state.isAsked = true
                state.deadline = .now + .seconds(1)
                return cancel
            case (_, .reading):
                // The thread that reads cannot be woken.
                return { [cleanUp] in
                    cleanUp()
                    exit(128 + number)
                }
            case (_, .editing):
                state.ending = number
                news.note()
            case (_, .busy):
                if state.ending != nil { exit(128 + number) }
                state.ending = number
            case (_, .running(let cancel)):
                if state.ending != nil { exit(128 + number) }
                state.ending = number
                state.isAsked = true
                state.deadline = .now + .seconds(2)
                return cancel
            }
            return nil
        }
        guard let act else { return }
        interruption.note()
        act()
    }

    private func losePatience() {
        let isInterrupted = state.withLock { state in
            guard let deadline = state.deadline, deadline <= .now else { return false }
            state.deadline = nil
            return true
        }
        if let ending {
            cleanUp()
            exit(128 + ending)
        }
        if isInterrupted {
            terminal.say("the feature was asked to end; Ctrl-C once more ends the shell")
        }
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT]
}
