// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesOutput
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Takes the signals of a shell: one may discard a line, end a feature, or end the shell, as
/// ``SignalMeaning`` decides.
///
/// A feature that has a handler of its own gets the signals itself, until it ends.
///
/// Safe from any thread. A process has one.
final class ShellSignals: Sendable {
    private struct State {
        var meaning: SignalMeaning
        /// Asks the feature that runs to end.
        var cancel: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let terminal: Terminal
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
        state = Mutex(
            State(meaning: SignalMeaning(isInteractive: terminal.console.isInteractive)))
        self.news = news
        self.interruption = interruption
    }

    /// Begins to take signals.
    ///
    /// - Throws: `SystemError` if the system has no further descriptor or thread.
    func begin() throws(SystemError) {
        try SignalListener.begin(
            Self.numbers, until: { [self] in state.withLock { $0.meaning.deadline } },
            take: { [self] in take($0) }, expire: { [self] in losePatience() })
    }

    /// The signal that ends the shell, if one has come.
    var ending: Int32? { state.withLock { $0.meaning.ending } }

    /// From now on, the shell waits for a line. A signal may end the process meanwhile.
    ///
    /// - Returns: `false` if a signal that ends the shell has come before that.
    func beginReading() -> Bool { state.withLock { $0.meaning.beginReading() } }

    /// From now on, a person edits a line.
    func beginEditing() {
        state.withLock { if $0.meaning.beginEditing() { news.note() } }
    }

    func endReading() { state.withLock { $0.meaning.endReading() } }

    /// From now on, a feature runs.
    ///
    /// - Parameter cancel: Asks it to end.
    func beginRunning(_ cancel: @escaping @Sendable () -> Void) {
        interruption.take()
        let isEnding = state.withLock { state in
            state.cancel = cancel
            return state.meaning.beginRunning()
        }
        if isEnding { cancel() }
    }

    /// - Returns: Whether the feature was asked to end.
    func endRunning() -> Bool {
        interruption.take()
        // The feature may have left handlers of its own.
        SignalListener.intercept(Self.numbers)
        return state.withLock { state in
            state.cancel = nil
            return state.meaning.endRunning()
        }
    }

    /// Takes the reasons to draw the line anew that have come since it was drawn.
    func takeEditingNews() -> SignalMeaning.EditingNews {
        state.withLock { $0.meaning.takeEditingNews() }
    }

    // MARK: The thread

    private func take(_ number: Int32) {
        // The thread that reads or runs a feature does not go on before the shell has answered.
        let act: (@Sendable () -> Void)? = state.withLock { state in
            switch state.meaning.take(number) {
            case .nothing: return nil
            case .lookAtLine: news.note()
            case .promptAgain:
                // The thread that reads has the console.
                let bytes = Array("\n\(prompt)".utf8)
                _ = write(STDOUT_FILENO, bytes, bytes.count)
            case .exit: exit(128 + number)
            case .askFeature: return state.cancel
            case .stopAndExit:
                return { [cleanUp] in
                    cleanUp()
                    exit(128 + number)
                }
            }
            return nil
        }
        guard let act else { return }
        interruption.note()
        act()
    }

    private func losePatience() {
        let isLate = state.withLock { $0.meaning.losesPatience() }
        if let ending {
            cleanUp()
            exit(128 + ending)
        }
        if isLate {
            terminal.say("the feature was asked to end; Ctrl-C once more ends the shell")
        }
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT]
}
