// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesOutput
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Takes the signals of a shell: each asks the feature that runs to end, and ends the shell. `Ctrl-C` of a person only
/// asks the feature, once. A feature with a handler of its own gets the signals itself, until it ends.
///
/// Safe from any thread. A process has one.
final class ShellSignals: Sendable {
    enum Activity {
        case working, reading
        /// A feature runs, and is asked to end by this.
        case running(cancel: @Sendable () -> Void)
    }

    private struct State {
        var activity = Activity.working
        /// Whether the feature that runs has been asked to end.
        var isAsked = false
        /// The signal that ends the shell, and when it does even if the feature goes on.
        var ending: Int32?, deadline: ContinuousClock.Instant?
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private let state = Mutex(State())
    private let isInteractive: Bool
    /// The end of the modules, before a signal ends the process.
    private let cleanUp: @Sendable () -> Void
    /// Noted while the feature that runs is asked to end.
    let interruption: EventFlag

    /// Begins to take signals.
    ///
    /// - Throws: `SystemError` if the system has no further descriptor or thread.
    init(_ terminal: Terminal, cleanUp: @escaping @Sendable () -> Void) throws(SystemError) {
        isInteractive = terminal.console.isInteractive
        self.cleanUp = cleanUp
        interruption = try EventFlag()
        try SignalListener.begin(
            Self.numbers, until: { [self] in state.withLock { $0.deadline } },
            take: { [self] in take($0) }, expire: { [self] in exit(by: ending ?? SIGTERM) })
    }

    var ending: Int32? { state.withLock { $0.ending } }

    func begin(_ activity: Activity) {
        state.withLock { ($0.activity, $0.isAsked) = (activity, $0.ending != nil) }
        if ending != nil, case .running(let cancel) = activity { cancel() }
    }

    /// Ends what was begun; returns whether the feature was asked to end.
    @discardableResult
    func end() -> Bool {
        interruption.take()
        // The feature may have left handlers of its own.
        SignalListener.intercept(Self.numbers)
        return state.withLock { state in
            (state.activity, state.deadline) = (.working, nil)
            return state.isAsked
        }
    }

    private func take(_ number: Int32) {
        let isInterrupt = number == SIGINT && isInteractive
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            switch state.activity {
            case .working where isInterrupt: return nil
            case .reading where isInterrupt:
                // The terminal has discarded the line itself. The thread that reads has the console.
                let bytes = Array("\n\(Shell.prompt)".utf8)
                _ = write(STDOUT_FILENO, bytes, bytes.count)
                return nil
            // The thread that reads cannot be woken.
            case .reading: return { [self] in exit(by: number) }
            case .working, .running: break
            }
            // A signal before this one has asked already.
            if isInterrupt ? state.isAsked : state.ending != nil { Glibc.exit(128 + number) }
            if !isInterrupt { state.ending = number }
            guard case .running(let cancel) = state.activity else { return nil }
            state.isAsked = true
            if !isInterrupt { state.deadline = .now + .seconds(2) }
            return cancel
        }
        guard let cancel else { return }
        interruption.note()
        cancel()
    }

    private func exit(by number: Int32) {
        cleanUp()
        Glibc.exit(128 + number)
    }
}
