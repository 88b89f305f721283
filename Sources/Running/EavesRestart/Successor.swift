// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesProcess
import EavesSystem
import Glibc

/// The fresh process that takes over, as this process sees it.
final class Successor {
    let process: Int32
    /// Whether its feature may take calls.
    private(set) var hasBegun = false
    private var hasEnded = false
    private let channel: HandoverChannel
    private let waiter: Waiter
    private let time: Duration

    /// Starts the program once more.
    ///
    /// - Parameter time: The time that it has until it serves, for messages.
    init(from waiter: Waiter?, within time: Duration) throws(HotRestartError) {
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
        hasBegun = true
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

    /// Ends the fresh process: asks it first, so that its modules can stop.
    ///
    /// - Returns: How it ended, if it ended by itself.
    @discardableResult
    func end() -> ChildEnding? {
        if hasEnded { return nil }
        hasEnded = true
        let ending = waiter.ending(of: process)
        // A process that closes the connection is ending, or speaks another language.
        if let own = ending.wait(within: .milliseconds(500)) { return own }
        waiter.signal(SIGTERM, to: process)
        if let asked = ending.wait(within: .seconds(2)) { return asked }
        waiter.signal(SIGKILL, to: process)
        return ending.wait(within: .seconds(10))
    }

    /// Lets the fresh process get the signals, also those that this one was sent while it handed over. The end of the fresh
    /// process is that of the program from now on.
    ///
    /// - Parameter request: A function that returns the signal which asks for a fresh process, if it has come meanwhile.
    func serve(passingOn request: () -> Int32?) throws(HotRestartError) {
        do throws(SystemError) {
            try waiter.serves(process)
        } catch {
            throw .left(end() ?? .unknown)
        }
        SignalListener.settle()
        for signal in [Host.endingSignal, request()] {
            if let signal { waiter.signal(signal, to: process) }
        }
    }

    /// Lets the fresh process know that this one is done.
    func release() {
        // If it is gone, so is the program.
        try? channel.send(.released)
    }
}
