// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesModules
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc
import Synchronization

/// The process before, as the fresh one sees it.
///
/// Safe from any thread.
final class Predecessor: Sendable {
    /// How long a feature runs until it counts as ready, if it does not say so itself.
    private static let moment = Duration.seconds(1)

    /// The process that this one takes over from; `nil` if it takes over from none.
    static let ofProcess = Waiter.socketOfPredecessor.map { Predecessor($0) }

    /// The number of the process.
    var process: Int32 { channel.process }
    private let channel: HandoverChannel
    private let saysReady = Atomic(false)
    /// Whether the feature begins without its sockets.
    private let isRehearsing = Atomic(false)
    /// The state that this process has got from the one before.
    private let handed = Mutex<HandedState>([:])

    private init(_ channel: Int32) {
        self.channel = HandoverChannel(channel)
    }

    /// Takes on what the process before has: its descriptors, its modules, their state. Then the feature may begin.
    func prepare(_ host: Host) throws(HostError) {
        try HostError.wrapping {
            guard case .prepare(let preparation) = try receive() else {
                throw HotRestartError.noPredecessor
            }
            saysReady.store(preparation.saysReady, ordering: .relaxed)
            try host.load(preparation.modules, restoring: preparation.state)
            // The feature takes calls as soon as it has said that it is ready.
            whenReady(host)
            try send(.prepared)
            switch try receive() {
            case .begin(let state):
                if state != preparation.state { try host.restore(state) }
                handed.withLock { $0 = state }
            case .rehearse:
                KeptDescriptors.ofProcess.withhold()
                isRehearsing.store(true, ordering: .relaxed)
            default: throw HotRestartError.noPredecessor
            }
        }
    }

    /// Waits until the feature has come as far as it can without its sockets, then until the one of the process before has
    /// ended, and lets it have them.
    ///
    /// - Returns: Whether it has them; if not, this process ends.
    private func rehearse(_ serving: ServingTask, _ host: Host) -> Bool {
        guard isReady(serving, host, orWaitsForSockets: true) else { return false }
        let kept = KeptDescriptors.ofProcess
        do {
            try send(.rehearsed)
            guard case .begin(let state) = try receive() else {
                throw HotRestartError.noPredecessor
            }
            try host.restore(state)
            handed.withLock { $0 = state }
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

    /// Waits until the feature is ready.
    ///
    /// - Parameter waits: Whether it is ready enough when it waits for its sockets.
    /// - Returns: `false` if it has ended before.
    private func isReady(
        _ serving: ServingTask, _ host: Host, orWaitsForSockets waits: Bool = false
    ) -> Bool {
        let kept = KeptDescriptors.ofProcess
        let isPatient = saysReady.load(ordering: .relaxed)
        whenReady(host) { serving.ended.note() }
        if waits { kept.whenAwaited { serving.ended.note() } }
        let isNoted = serving.ended.wait(until: isPatient ? nil : .now + Self.moment)
        if serving.isOver { return false }
        whenReady(host)
        kept.whenAwaited {}
        if isNoted { serving.ended.take() }
        return true
    }

    /// Holds back modules with state from when the feature is ready, on its own thread, and calls a function.
    private func whenReady(_ host: Host, _ tell: @escaping @Sendable () -> Void = {}) {
        KeptDescriptors.ofProcess.whenReady { [lateStates = host.modules.loader.lateStates] in
            lateStates.expect()
            tell()
        }
    }

    /// Waits until the feature is ready, and until the process before has let go.
    ///
    /// From when the feature takes calls until the process before has let go, modules that keep state and are loaded for
    /// the first time wait for what that process has of them.
    ///
    /// While calls of the process before are under way that need the state, it gets it back.
    ///
    /// - Returns: The modules of which both have state, so that the other process's is lost; `nil` if the feature has ended
    ///   before, or the process before is gone.
    func takeOver(_ serving: ServingTask, _ host: Host) -> [String]? {
        let lateStates = host.modules.loader.lateStates
        defer { lateStates.arrive() }
        if isRehearsing.load(ordering: .relaxed), !rehearse(serving, host) { return nil }
        guard isReady(serving, host) else { return nil }
        // A feature that does not say that it is ready takes calls, too.
        lateStates.expect()
        host.live.inheritTrials(of: process)
        do {
            try send(.ready)
            var lost: Set<String> = []
            var message = try receive()
            while case .takeBack = message {
                message = try lend(host, noting: &lost) ?? receive()
            }
            guard case .released(let state) = message else {
                throw HotRestartError.noPredecessor
            }
            return lost.union(host.takeOn(state, after: handed.withLock { $0 })).sorted()
        } catch {
            // The process before died while it was the one that everybody knows, so the program has ended.
            kill(getpid(), SIGTERM)
            return nil
        }
    }

    /// Gives the state back to the process before, and waits until it comes again. Meanwhile, no call of the modules that
    /// keep state begins here.
    ///
    /// - Parameter lost: Gets the modules that cannot take on what was written to their state there.
    /// - Returns: What the other process has sent in the place of the state.
    private func lend(
        _ host: Host, noting lost: inout Set<String>
    ) throws(HotRestartError) -> HandoverMessage? {
        try host.live.betweenLooks { () throws(HotRestartError) in
            let calls = host.holdStateCalls()
            defer { calls.open() }
            let isSettled = calls.settles(within: host.live.policy.gateLimit)
            let (state, failures) = host.stateSnapshotsOrFailures()
            guard isSettled, failures.isEmpty else {
                try send(.given(state: [:]))
                return nil
            }
            try send(.given(state: state))
            let answer = try receive()
            guard case .giveAgain(let state) = answer else { return answer }
            lost.formUnion(host.restoreLoaded(state).map(\.id))
            handed.withLock { $0 = state }
            return nil
        }
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

extension Host {
    /// Loads the modules that served in the process before, in their files as they are now.
    ///
    /// - Parameter state: Snapshots of their state.
    fileprivate func load(_ ids: [String], restoring state: HandedState) throws {
        try restore(state)
        for id in ids {
            guard let entry = modules.catalog.entry(id) else { throw HotRestartError.lacking(id) }
            // It serves no longer in a host that starts now.
            guard entry.isEnabled else { continue }
            if entry.declaration?.interface != nil { continue }
            if try modules.freshen(entry, among: modules.catalog) { modules.catalog.refresh() }
            try modules.load(modules.catalog.entry(id) ?? entry, into: container)
        }
    }
}
