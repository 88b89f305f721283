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

    /// Lets it load and start the modules, and waits until it has.
    func prepare(
        _ preparation: HandoverMessage.Preparation, until deadline: ContinuousClock.Instant,
        unless alarm: EventFlag
    ) throws(HotRestartError) {
        try talking { () throws(HandoverChannel.Fault) in
            try channel.send(.prepare(preparation))
            try expect(.prepared, until: deadline, unless: alarm)
        }
    }

    /// Lets its feature begin without its sockets, and waits until it has come as far as it can.
    func rehearse(
        until deadline: ContinuousClock.Instant, unless alarm: EventFlag
    ) throws(HotRestartError) {
        try talking { () throws(HandoverChannel.Fault) in
            try channel.send(.rehearse)
            try expect(.rehearsed, until: deadline, unless: alarm)
        }
    }

    /// Lets its feature take calls, and waits until it does.
    func begin(
        state: HandedState, until deadline: ContinuousClock.Instant, unless alarm: EventFlag? = nil
    ) throws(HotRestartError) {
        hasBegun = true
        try talking { () throws(HandoverChannel.Fault) in
            try channel.send(.begin(state: state))
            try expect(.ready, until: deadline, unless: alarm)
        }
    }

    private func expect(
        _ message: HandoverMessage, until deadline: ContinuousClock.Instant,
        unless alarm: EventFlag?
    ) throws(HandoverChannel.Fault) {
        guard try channel.receive(until: deadline, unless: alarm?.descriptor) == message else {
            throw .ended
        }
    }

    private func talking(
        _ step: () throws(HandoverChannel.Fault) -> Void
    ) throws(HotRestartError) {
        do throws(HandoverChannel.Fault) {
            try step()
        } catch {
            switch error {
            case .interrupted: throw .over
            case .late: throw .late(time)
            case .ended: throw .ended(end() ?? .exited(-1))
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
            throw .notStarted(error)
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
