// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesLife
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc
import Synchronization

/// The process before, as the fresh one sees it.
///
/// Safe from any thread.
final class Predecessor: Sendable {
    /// The time that a feature runs until it counts as ready, if it does not say so itself.
    private static let moment = Duration.seconds(1)

    /// The process that this one takes over from; `nil` if it takes over from none.
    static let ofProcess = Waiter.socketOfPredecessor.map { Predecessor($0) }

    var process: Int32 { channel.process }
    private let channel: HandoverChannel
    private let saysReady = Atomic(false)
    /// Whether the feature begins without its sockets.
    private let isRehearsing = Atomic(false)
    private let isStateAwaited = Atomic(false)

    private init(_ channel: Int32) {
        self.channel = HandoverChannel(channel)
    }

    /// Takes on the descriptors of the process before, and its modules, which restore their state and start. Then the
    /// feature may begin.
    func prepare(_ host: Host) throws(HostError) {
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
                KeptDescriptors.ofProcess.withhold()
                isRehearsing.store(true, ordering: .relaxed)
            default: throw HotRestartError.noPredecessor
            }
        }
    }

    /// Holds back the calls of modules with state that the feature makes before the last state is here.
    ///
    /// - Returns: `nil` if it is here.
    func holdCalls(of host: Host) -> GateClosure? {
        isRehearsing.load(ordering: .relaxed) ? host.holdStateCalls() : nil
    }

    /// Waits until the feature is ready, and until the process before has left.
    ///
    /// - Returns: `false` if the feature has ended before, or the process before is gone: then this process ends.
    func takeOver(_ serving: ServingTask, _ host: Host, opening calls: GateClosure?) -> Bool {
        if let calls, !rehearse(serving, host, opening: calls) { return false }
        let kept = KeptDescriptors.ofProcess
        guard hasCome(serving, until: { kept.isReady }) else { return false }
        host.inheritTrials(of: process)
        do throws(HotRestartError) {
            try send(.ready)
            host.resumeLooks()
            guard case .released = try receive() else { throw .noPredecessor }
            return true
        } catch {
            // The process before died while it was the one that its parent knows, so the program has ended.
            kill(getpid(), SIGTERM)
            return false
        }
    }

    /// Waits until the feature has come as far as it can without its sockets and the state, then until that of the process
    /// before has ended, and lets it have them.
    ///
    /// - Returns: Whether it has them; if not, this process ends.
    private func rehearse(
        _ serving: ServingTask, _ host: Host, opening calls: GateClosure
    ) -> Bool {
        defer { calls.open() }
        let kept = KeptDescriptors.ofProcess
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
            kill(getpid(), SIGTERM)
            return false
        }
    }

    /// Waits until the feature has come to a point. One that never says that it is ready has come there after a moment.
    ///
    /// - Returns: `false` if it has ended before.
    private func hasCome(_ serving: ServingTask, until isThere: () -> Bool) -> Bool {
        let kept = KeptDescriptors.ofProcess
        kept.whenReady { serving.ended.note() }
        kept.whenAwaited { serving.ended.note() }
        let end = saysReady.load(ordering: .relaxed) ? nil : ContinuousClock.now + Self.moment
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
            Waiter.ofProcess?.settle()
            return message
        } catch {
            throw .noPredecessor
        }
    }
}
