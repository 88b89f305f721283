// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
public import EavesLife
import EavesModules
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc
import Synchronization

extension Host {
    /// Stops the modules that have a life cycle, each before the modules that it uses. From then on, the host loads no
    /// module and takes on no change; services that were created go on as far as their modules let them.
    ///
    /// A module uses those that provide what it declares to require. Modules that do not use each other, or that do so in
    /// a circle, stop in the reverse order of their starts.
    ///
    /// A program calls this when its work is done, before the process ends. Each module is stopped on a thread of
    /// its own, and the calling thread waits. Observers are warned of each module whose `stop` fails, or does not
    /// return in time; the host goes on without waiting for it.
    ///
    /// Safe from any thread. Only the first call stops modules; another one waits for it.
    ///
    /// - Parameter limit: The time for all of them. Each has an equal share of the time that those before it have left.
    /// - Returns: Whether every module has stopped without an error.
    @discardableResult
    public func stop(within limit: Duration = .seconds(10)) -> Bool {
        stopping.withLock {
            let running = modules.loader.running.stop()
            // Calls that fail from here on fail for the stop.
            live.endTrials()
            let end = ContinuousClock.now + limit
            var isClean = true
            for (index, one) in running.enumerated() {
                let share = ContinuousClock.now.duration(to: end) / (running.count - index)
                let hasStopped = modules.loader.stop(
                    one.lifecycle, of: one.entry, within: max(share, .milliseconds(1)))
                isClean = isClean && hasStopped
            }
            return isClean
        }
    }
}

/// Ends the process cleanly when a signal comes: asks the features of its hosts to end, waits for them, stops the
/// modules, and ends the process by the same signal.
///
/// Safe from any thread. A process has one.
final class StopSignals: Sendable {
    static let shared = StopSignals()

    /// A host that ends with the process.
    struct Watched: Sendable {
        weak let host: Host?
        let limit: Duration
        let asking: @Sendable () -> Void
        let waiting: @Sendable () -> Void
    }

    private struct State {
        var watched: [Watched] = []
        var hasBegun = false
        var ending: Int32?
        var end = ContinuousClock.now
        /// The time at which the operator is told that they have not; `nil` once that is done.
        var told: ContinuousClock.Instant?
        var isStopping = false
    }

    private let state = Mutex(State())
    private static let numbers = [SIGINT, SIGTERM]
    /// How long a person waits without a word.
    private static let silence = Duration.seconds(1)

    /// The signal that ends the process, if one has come.
    var ending: Int32? { state.withLock { $0.ending } }

    /// Notes a host. Signals are taken from ``begin(sparingOthers:)`` on.
    func watch(_ watched: Watched) {
        state.withLock { state in
            state.watched.removeAll { $0.host == nil || $0.host === watched.host }
            state.watched.append(watched)
        }
        _ = Self.endsLast
    }

    /// Whatever features register for the end of the process runs before this.
    private static let endsLast = atexit {
        if let number = StopSignals.shared.ending { StopSignals.leave(by: number) }
    }

    /// Writes what was printed, and ends the process by a signal.
    private static func leave(by number: Int32) -> Never {
        // The reader of a pipe may not take it, and another thread may hold a stream for ever.
        let isWritten = Awaited<Bool>()
        do throws(SystemError) {
            try DetachedThread.start {
                // Other streams may be held by threads that read.
                fflush(eaves_printed())
                fflush(nil)
                isWritten.set(true)
            }
            _ = isWritten.wait(within: .seconds(1))
        } catch {
            // There is no thread left to write what is kept back.
        }
        SignalListener.end(by: number)
    }

    /// Begins to take signals, if there is a host to stop.
    ///
    /// - Parameter sparesOthers: Whether handlers that are installed already stay.
    func begin(sparingOthers sparesOthers: Bool) throws(SystemError) {
        let isFirst = state.withLock { state -> Bool? in
            guard !state.watched.isEmpty else { return nil }
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard let isFirst else { return }
        guard isFirst else {
            if !sparesOthers { SignalListener.intercept(Self.numbers) }
            return
        }
        try SignalListener.begin(
            Self.numbers, sparingOthers: sparesOthers, until: { [self] in deadline },
            take: { [self] in take($0) },
            expire: { [self] in look() })
    }

    private var deadline: ContinuousClock.Instant? {
        state.withLock { state in
            state.ending == nil || state.isStopping ? nil : min(state.told ?? state.end, state.end)
        }
    }

    private func take(_ number: Int32) {
        guard number != 0 else { return look() }
        let watched = state.withLock { state -> [Watched]? in
            guard state.ending == nil else { return nil }
            state.ending = number
            state.end = .now + (state.watched.map(\.limit).max() ?? .zero)
            state.told = .now + Self.silence
            return state.watched
        }
        // A second signal.
        guard let watched else { Self.leave(by: number) }
        for one in watched where one.host?.runningFeatures.isEmpty == false {
            one.asking()
            one.host?.runningFeatures.cancel()
        }
        look()
    }

    /// Goes on if no feature runs any more, or if the time is over.
    private func look() {
        let next = state.withLock { state -> (Int32, [Watched], isDue: Bool, isNews: Bool)? in
            guard let ending = state.ending, !state.isStopping else { return nil }
            let isBusy = state.watched.contains { $0.host?.runningFeatures.isEmpty == false }
            let isDue = !isBusy || state.end <= .now
            if isDue { state.isStopping = true }
            let isNews = !isDue && (state.told.map { $0 <= .now } ?? false)
            if isNews { state.told = nil }
            return (ending, state.watched, isDue, isNews)
        }
        guard let (number, all, isDue, isNews) = next else { return }
        if isNews { all.forEach { $0.waiting() } }
        guard isDue else { return }
        // Meanwhile, this thread has to take a second signal.
        do throws(SystemError) {
            try DetachedThread.start { Self.end(by: number, all) }
        } catch {
            Self.end(by: number, all)
        }
    }

    private static func end(by number: Int32, _ watched: [Watched]) -> Never {
        for one in watched { one.host?.stop(within: one.limit) }
        // A feature may have something to put back, such as the state of the terminal.
        exit(128 + number)
    }
}

extension Host {
    /// Ends the process cleanly when `SIGINT` or `SIGTERM` comes.
    ///
    /// The tasks that run features of this host are cancelled, and have the limit to end. Then ``stop(within:)`` stops
    /// the modules, within the same limit, and the process ends by the signal. A second signal ends it at once.
    ///
    /// A handler that a feature or the program installs later gets the signals instead. A signal that the process
    /// ignores stays ignored. This takes one thread, for all hosts of the process.
    ///
    /// - Parameter limit: The time for the features, and then for the modules.
    /// - Throws: ``HostError`` if the system has no further thread or descriptor.
    public func stopOnSignals(within limit: Duration = .seconds(10)) throws(HostError) {
        stopOnSignals(within: limit, asking: {}, waiting: {})
        try HostError.wrapping { try StopSignals.shared.begin(sparingOthers: false) }
    }

    /// Takes signals from now on, if ``stopOnSignals(within:asking:waiting:)`` was called. Where that is not
    /// possible, signals end the process at once.
    static func takeSignals() {
        try? StopSignals.shared.begin(sparingOthers: true)
    }

    /// Ends the process cleanly, and tells of it, once there is something to clean up: when the first module with a
    /// life cycle starts, or a feature is about to begin. Until then, it costs no thread.
    ///
    /// - Parameters:
    ///   - asking: A function that is called when features are asked to end.
    ///   - waiting: A function that is called when they have not done so for a second.
    package func stopOnSignals(
        within limit: Duration = .seconds(10), asking: @escaping @Sendable () -> Void,
        waiting: @escaping @Sendable () -> Void
    ) {
        StopSignals.shared.watch(
            StopSignals.Watched(host: self, limit: limit, asking: asking, waiting: waiting))
    }

    /// Waits for the end of the process, if a signal ends it. Otherwise, the call returns at once.
    package func awaitEnd() {
        while StopSignals.shared.ending != nil { pause() }
    }
}

/// The features that run in a host, so that they can be asked to end.
// SAFETY: the list is used only while the lock is held. A task is in it only while it runs a feature: the task itself
// takes itself out, and cannot do so while another thread cancels it.
final class RunningFeatures: @unchecked Sendable {
    private var tasks: [(number: Int, task: UnsafeCurrentTask)] = []
    private var next = 0
    /// Cancelling runs handlers of the feature's, which may launch and end others.
    private let lock = RecursiveLock()

    var isEmpty: Bool { lock.withLock { tasks.isEmpty } }

    /// Notes that the current task runs a feature, until the result is called.
    func begin() -> (@Sendable () -> Void) {
        let number = withUnsafeCurrentTask { task in
            lock.withLock {
                next += 1
                if let task { tasks.append((next, task)) }
                return next
            }
        }
        return { [self] in
            lock.withLock { tasks.removeAll { $0.number == number } }
            if StopSignals.shared.ending != nil { SignalListener.wake() }
        }
    }

    func cancel() {
        lock.withLock { for (_, task) in tasks { task.cancel() } }
    }
}
