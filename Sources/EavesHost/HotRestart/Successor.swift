// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CHotRestart
import EavesSystem
import Glibc
import Synchronization

/// The fresh process that takes over, as this process sees it.
final class Successor {
    let process: Int32
    private let channel: HandoverChannel
    private let time: Duration

    /// The socket between the waiter and the hosts.
    private struct Lifeline {
        /// The end of the waiter. Only the first process has it, which becomes the waiter.
        var waiterEnd: Int32?
        var hostEnd: Int32
    }

    private static let lifeline = Mutex<Lifeline?>(nil)

    /// Starts the program once more.
    ///
    /// - Parameter time: How long it may take until it serves, for messages.
    init(of program: ProgramPlace, within time: Duration) throws(HotRestartError) {
        self.time = time
        do throws(SystemError) {
            let lifeline = try Self.lifelineOfProcess()
            let ends = try LocalSocket.pair().descriptors()
            let channel = HandoverChannel(ends.own)
            defer { close(ends.other) }
            let child = eaves_start_successor(
                program.path, program.folder, ends.other, lifeline.hostEnd)
            guard child > 0 else { throw SystemError(.run, program.path) }
            process = child
            self.channel = channel
        } catch {
            throw .notStarted(error)
        }
    }

    private static func lifelineOfProcess() throws(SystemError) -> Lifeline {
        try lifeline.withLock { lifeline throws(SystemError) in
            if let lifeline { return lifeline }
            let inherited = eaves_inherited().lifeline
            var made = Lifeline(waiterEnd: nil, hostEnd: inherited)
            if inherited < 0 {
                let ends = try LocalSocket.pair().descriptors()
                made = Lifeline(waiterEnd: ends.own, hostEnd: ends.other)
            }
            lifeline = made
            return made
        }
    }

    /// Lets it load the modules, and waits until it has.
    func prepare(
        _ preparation: HandoverMessage.Preparation, until deadline: ContinuousClock.Instant,
        unless alarm: EventFlag
    ) throws(HotRestartError) {
        try talking { () throws(HandoverChannel.Fault) in
            try channel.send(KeptDescriptors.ofProcess.all)
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
        try talking { () throws(HandoverChannel.Fault) in
            try channel.send(KeptDescriptors.ofProcess.all)
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

    private var ending: ChildEnding?

    /// Ends the fresh process: asks it first, so that its modules can stop.
    ///
    /// - Returns: How it ended, if it ended by itself.
    @discardableResult
    func end() -> ChildEnding? {
        if let ending { return ending }
        // A process that closes the connection is ending, or speaks another language.
        if let own = wait(until: .now + .milliseconds(500)) { return own }
        kill(process, SIGTERM)
        if wait(until: .now + .seconds(2)) == nil {
            kill(process, SIGKILL)
            _ = wait(until: nil)
        }
        return ending
    }

    private func wait(until deadline: ContinuousClock.Instant?) -> ChildEnding? {
        while true {
            var status: Int32 = 0
            let result = waitpid(process, &status, deadline == nil ? 0 : WNOHANG)
            if result == process {
                ending = ChildEnding(status: status)
                return ending
            }
            if result < 0, errno != EINTR {
                ending = .exited(-1)
                return ending
            }
            if let deadline, ContinuousClock.now > deadline { return nil }
            // No system call waits for a child with a time limit.
            usleep(1000)
        }
    }

    /// Leaves the field to the fresh process: the first process becomes the waiter, and any other one ends.
    ///
    /// - Parameters:
    ///   - state: The state of modules that this process has loaded since the fresh one began.
    ///   - request: Gives the signal that asks for a fresh process, if somebody has sent it since this one has begun to
    ///     hand over.
    func leave(handing state: HandedState, passingOn request: () -> Int32?) -> Never {
        passSignalsOn()
        if let request = request() { kill(process, request) }
        let lifeline = Self.lifeline.withLock { $0 }
        if let waiterEnd = lifeline?.waiterEnd {
            try? channel.send(.released(state: state))
            eaves_become_waiter(process, waiterEnd)
        }
        if let lifeline { _ = eaves_announce_successor(process, lifeline.hostEnd) }
        try? channel.send(.released(state: state))
        exit(0)
    }

    /// From now on, the fresh process takes the signals, also those that were sent to this one a moment ago.
    private func passSignalsOn() {
        eaves_pass_signals_on(process)
        SignalListener.settle()
        StopSignals.shared.passOn(to: process)
    }
}
