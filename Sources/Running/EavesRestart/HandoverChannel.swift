// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesHost
import EavesLife
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc
import Synchronization

/// The connection between a process that serves and the one that takes over.
///
/// One thread at a time sends, and one receives.
final class HandoverChannel: Sendable {
    /// The reason why no message comes.
    enum Fault: Error {
        /// The other process is gone, or sends something else.
        case ended
        /// The time is up.
        case late
        /// This process has something else to do.
        case interrupted
    }

    private let descriptor: Int32

    /// Takes over a socket, and closes it when the channel goes.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // A process that reads nothing must not hold this one for ever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The process that has made the socket.
    var process: Int32 { LocalSocket.peer(of: descriptor)?.process ?? 0 }

    deinit { close(descriptor) }

    func send(_ message: HandoverMessage) throws(Fault) {
        do {
            try LocalSocket.send(Frame.bytes(of: message), to: descriptor)
        } catch {
            throw .ended
        }
    }

    /// Waits for a message.
    ///
    /// - Parameter alarm: A descriptor that interrupts the wait while it is readable.
    func receive(
        until deadline: ContinuousClock.Instant? = nil, unless alarm: Int32? = nil
    ) throws(Fault) -> HandoverMessage {
        var sources = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: alarm ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while sources[0].revents == 0 {
            _ = poll(&sources, 2, PollTime.milliseconds(until: deadline))
            if sources[1].revents != 0 { throw .interrupted }
            if sources[0].revents == 0, let deadline, deadline <= .now { throw .late }
        }
        // A frame has no state that is larger.
        let content = Frame.read(from: descriptor, limit: Int(UInt32.max), until: deadline)
        guard let content, let message = try? Frame.value(HandoverMessage.self, in: content) else {
            throw deadline.map { $0 <= .now } == true ? .late : .ended
        }
        return message
    }
}

/// A message between a process that serves and the one that takes over.
///
///     serving process                successor
///     prepare                   →
///                               ←    prepared     its modules are loaded, restored and started
///     rehearse                  →                 if there are sockets to take calls on
///                               ←    rehearsed    its feature has begun, and waits for its sockets
///     begin                     →                 the old feature has ended, and this is the state that it has left
///                               ←    ready        its feature can take calls
///     released                  →                 the old process takes none any more, whatever comes
///
/// The connection ends with either process.
enum HandoverMessage: Hashable, Sendable, Codable {
    case prepare(Preparation)
    case prepared
    /// The feature may begin, and gets no sockets yet.
    case rehearse
    case rehearsed
    /// The feature may take calls, with this state.
    case begin(state: HandedState)
    case ready
    case released

    /// The things that a successor needs before it can take over.
    struct Preparation: Hashable, Sendable, Codable {
        var modules: [String]
        /// The files of all loaded modules, by their ids; `nil` from a program with an earlier Eaves.
        var files: [String: String]?
        /// The modules that services come from, by the keys of bindings; `nil` from a program with an earlier Eaves.
        var bindings: [String: String]?
        /// The state before the old feature has ended: what reads it can restore the last one, too.
        var state: HandedState
        var saysReady: Bool
    }
}

/// The fresh process that takes over, as this process sees it.
final class Successor {
    let process: Int32
    /// Whether its feature may take calls.
    private(set) var hasBegun = false
    /// Whether it has state that calls may change.
    private var hasState = false
    private let channel: HandoverChannel
    private let waiter: any HostStarter
    private let time: Duration

    /// Starts the program once more.
    ///
    /// - Parameter time: The time that it has until it serves, for messages.
    init(from waiter: (any HostStarter)?, within time: Duration) throws(HotRestartError) {
        guard let waiter else { throw .noWaiter }
        self.waiter = waiter
        self.time = time
        do throws(SystemError) {
            let ends = try LocalSocket.pair()
            let channel = HandoverChannel(ends.own)
            defer { close(ends.other) }
            process = try waiter.start(ends.other)
            self.channel = channel
        } catch {
            throw .notStarted(error)
        }
    }

    /// Lets its feature take calls, and waits until it does.
    func begin(
        state: HandedState, until deadline: ContinuousClock.Instant, unless alarm: EventFlag?
    ) throws(HotRestartError) {
        (hasBegun, hasState) = (true, !state.isEmpty)
        let end = Self.end(deadline, after: .now, within: time)
        try say(.begin(state: state), awaiting: .ready, until: end, unless: alarm)
    }

    /// When the last step is late: one that may take calls is not ended for the time that the steps before took.
    static func end(
        _ deadline: ContinuousClock.Instant, after now: ContinuousClock.Instant,
        within time: Duration
    ) -> ContinuousClock.Instant {
        max(deadline, now + min(time, .seconds(5)))
    }

    /// Lets it take a step, and waits until it has.
    func say(
        _ message: HandoverMessage, awaiting answer: HandoverMessage,
        until deadline: ContinuousClock.Instant, unless alarm: EventFlag?
    ) throws(HotRestartError) {
        do throws(HandoverChannel.Fault) {
            try channel.send(message)
            guard try channel.receive(until: deadline, unless: alarm?.descriptor) == answer else {
                throw .ended
            }
        } catch {
            switch error {
            case .interrupted: throw .over
            case .late: throw .late(time)
            case .ended: throw .ended(end() ?? .unknown)
            }
        }
    }

    /// Ends the fresh process, if it still runs: asks it first, so that its modules can stop.
    ///
    /// - Returns: How it ended, if it ended by itself.
    @discardableResult
    func end() -> ChildEnding? {
        let ending = waiter.ending(of: process)
        // A process that closes the connection is ending, or speaks another language.
        if let own = ending.wait(within: .milliseconds(500)) { return own }
        waiter.signal(SIGTERM, to: process)
        if let asked = ending.wait(within: .seconds(2)) { return asked }
        waiter.signal(SIGKILL, to: process)
        return ending.wait(within: .seconds(10))
    }

    /// The error of an attempt, as it is where the fresh process may have answered calls that change the state.
    ///
    /// - Parameter saysReady: Whether its feature says when it is ready, and so answers no call before it has the place of this
    ///   process. One that has its sockets for long, and does not say so, may answer calls without.
    func error(_ error: HotRestartError, ifItSaysReady saysReady: Bool) -> HotRestartError {
        switch error {
        case .late where hasState: .answered(nil)
        case .ended(let ending) where hasState && !saysReady,
            .left(let ending) where hasState && !saysReady:
            .answered(ending)
        default: error
        }
    }

    /// Lets the fresh process have the place of this one, and get the signals, also those that this one was sent while it handed
    /// over. The end of the fresh process is that of the program from now on.
    ///
    /// - Parameter request: A function that returns the signal which asks for a fresh process, if it has come meanwhile.
    func serve(passingOn request: () -> Int32?) throws(HotRestartError) {
        do throws(SystemError) {
            try waiter.serves(process)
        } catch {
            throw .left(end() ?? .unknown)
        }
        // If it is gone, another one takes its place.
        try? channel.send(.released)
        SignalListener.settle()
        for signal in [Host.endingSignal, request()] {
            if let signal { waiter.signal(signal, to: process) }
        }
    }
}

/// The process before, as the fresh one sees it.
///
/// Safe from any thread.
final class Predecessor: Sendable {
    /// The process that this one takes over from; `nil` if it takes over from none.
    static let ofProcess: Predecessor? = {
        let socket = eaves_predecessor_socket()
        return socket >= 0 ? Predecessor(socket) : nil
    }()

    var process: Int32 { channel.process }
    private let channel: HandoverChannel
    private let kept: KeptDescriptors
    /// The time that a feature runs until it counts as ready, if it does not say so itself.
    private let moment: Duration
    /// A function that waits for the descriptors which the process before has kept.
    private let settle: @Sendable () -> Void
    /// A function that returns whether the end of this process is that of the program.
    private let serves: @Sendable () -> Bool
    /// A function that ends this process.
    private let giveUp: @Sendable () -> Void
    private let saysReady = Atomic(false)
    /// Whether the feature begins without its sockets.
    private let isRehearsing = Atomic(false)
    private let isStateAwaited = Atomic(false)

    init(
        _ channel: Int32, handing kept: KeptDescriptors = .ofProcess,
        moment: Duration = .seconds(1),
        settle: @escaping @Sendable () -> Void = { Waiter.ofProcess?.settle() },
        serves: @escaping @Sendable () -> Bool = {
            (try? Waiter.ofProcess?.serves(getpid())) != nil
        },
        giveUp: @escaping @Sendable () -> Void = { kill(getpid(), SIGTERM) }
    ) {
        self.channel = HandoverChannel(channel)
        (self.kept, self.moment) = (kept, moment)
        (self.settle, self.serves, self.giveUp) = (settle, serves, giveUp)
    }

    /// Takes on the descriptors of the process before, and its modules, which restore their state and start. Then the
    /// feature may begin. Before this process has the state, nothing of the disk changes in it.
    func prepare(_ host: any RestartingHost) throws(HostError) {
        host.holdLooks()
        try HostError.wrapping {
            guard case .prepare(let preparation) = try receive() else {
                throw HotRestartError.noPredecessor
            }
            saysReady.store(preparation.saysReady, ordering: .relaxed)
            let missing = try host.load(
                preparation.modules, from: preparation.files ?? [:],
                bound: preparation.bindings ?? [:], restoring: preparation.state)
            if let missing { throw HotRestartError.lacking(missing) }
            try send(.prepared)
            switch try receive() {
            case .begin(let state): try host.restore(state)
            case .rehearse:
                kept.withhold()
                isRehearsing.store(true, ordering: .relaxed)
            default: throw HotRestartError.noPredecessor
            }
            kept.holdReady()
        }
    }

    /// Holds back the calls of modules with state that the feature makes before the last state is here.
    ///
    /// - Returns: `nil` if it is here.
    func holdCalls(of host: any RestartingHost) -> GateClosure? {
        isRehearsing.load(ordering: .relaxed) ? host.holdStateCalls() : nil
    }

    /// Waits until the feature is ready and has the place of the process before, lets it take calls, and waits until that
    /// process has left.
    ///
    /// - Returns: `false` if the feature has ended before, or the process before is gone: then this process ends.
    func takeOver(
        _ serving: ServingTask, _ host: any RestartingHost, opening calls: GateClosure?
    ) -> Bool {
        let hasPlace = takePlace(serving, host, opening: calls)
        kept.releaseReady()
        guard hasPlace else { return false }
        host.resumeLooks()
        _ = try? channel.receive()
        return true
    }

    private func takePlace(
        _ serving: ServingTask, _ host: any RestartingHost, opening calls: GateClosure?
    ) -> Bool {
        if let calls, !rehearse(serving, host, opening: calls) { return false }
        guard hasCome(serving, until: { kept.isReady }) else { return false }
        host.inheritTrials(of: process)
        if (try? send(.ready)) != nil, (try? receive()) == .released { return true }
        // The process before has died: the process that waits knows whether this one had its place by then.
        if serves() { return true }
        giveUp()
        return false
    }

    /// Waits until the feature has come as far as it can without its sockets and the state, then until that of the process
    /// before has ended, and lets it have them.
    ///
    /// - Returns: Whether it has them; if not, this process ends.
    private func rehearse(
        _ serving: ServingTask, _ host: any RestartingHost, opening calls: GateClosure
    ) -> Bool {
        defer { calls.open() }
        calls.onWaiting { [self] in
            isStateAwaited.store(true, ordering: .relaxed)
            serving.ended.note()
        }
        let isAtItsEnd = { [self] in
            kept.isReady || kept.isAwaited || isStateAwaited.load(ordering: .relaxed)
        }
        guard hasCome(serving, until: isAtItsEnd) else { return false }
        do {
            try send(.rehearsed)
            guard case .begin(let state) = try receive() else {
                throw HotRestartError.noPredecessor
            }
            try host.restore(state)
            kept.release()
            return true
        } catch {
            let words = HostError(error).problems.map(\.message).joined(separator: "; ")
            // The feature ends with it, and this process with the feature.
            kept.release(because: words)
            giveUp()
            return false
        }
    }

    /// Waits until the feature has come to a point. One that never says that it is ready has come there after a moment.
    ///
    /// - Returns: `false` if it has ended before.
    private func hasCome(_ serving: ServingTask, until isThere: () -> Bool) -> Bool {
        kept.whenReady { serving.ended.note() }
        kept.whenAwaited { serving.ended.note() }
        let end = saysReady.load(ordering: .relaxed) ? nil : ContinuousClock.now + moment
        while !serving.isOver, !isThere(), serving.ended.wait(until: end) {
            if !serving.isOver { serving.ended.take() }
        }
        return !serving.isOver
    }

    private func send(_ message: HandoverMessage) throws(HotRestartError) {
        do throws(HandoverChannel.Fault) {
            try channel.send(message)
        } catch {
            throw .noPredecessor
        }
    }

    private func receive() throws(HotRestartError) -> HandoverMessage {
        do throws(HandoverChannel.Fault) {
            let message = try channel.receive()
            // Now this process has all descriptors that the other one kept before it sent the message.
            settle()
            return message
        } catch {
            throw .noPredecessor
        }
    }
}
