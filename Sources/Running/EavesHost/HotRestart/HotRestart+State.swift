// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesModules
import EavesProcess
import EavesRegistry
import EavesSystem

// How the state goes over to the fresh process although calls of this one are under way. It is always in one of the two:
//
//     this process                                     the fresh one
//     serves                                           waits for the state
//     asks its work to end
//     holds back calls of modules with state,
//     and hands it over                            →   serves
//     a call that is still under way needs it
//     lets that call go on, and holds back others  ←   holds back such calls, and gives it back
//     that call has ended                          →   lets its calls go on
//     the work has ended, or its time is over          has the state for good
extension HotRestart {
    /// Looks whether the calls of modules that keep state end soon. If they do not, a fresh process would have to wait.
    func checkStateCalls() throws(HotRestartError) {
        let limit = host.live.policy.gateLimit
        try host.live.betweenLooks { () throws(HotRestartError) in
            let calls = host.holdStateCalls()
            defer { calls.open() }
            guard calls.settles(within: limit) else { throw .callsGoOn(limit) }
        }
    }

    /// Hands over what modules keep, and lets the fresh process take calls.
    ///
    /// If the work of this process does not end at once, the state goes over without waiting for that. If there are no
    /// sockets, no client waits for the fresh process, and the work has all of its time.
    ///
    /// - Returns: The state that the fresh process has got; `nil` if the work has ended before, so that no call can have
    ///   written to it since.
    func handOverState(
        to successor: Successor, until deadline: ContinuousClock.Instant
    ) throws(HotRestartError) -> HandedState? {
        let end = ContinuousClock.now + policy.drainTime
        let hasSockets = !KeptDescriptors.ofProcess.all.isEmpty
        let patience = hasSockets ? host.live.policy.gateLimit : policy.drainTime
        let hasEnded = try drain(within: min(patience, policy.drainTime))
        guard !hasEnded, hasSockets else {
            if !hasEnded { tell(.overdue) }
            try successor.begin(state: try snapshots(), until: deadline)
            return nil
        }
        return try host.live.betweenLooks { () throws(HotRestartError) in
            let calls = host.holdStateCalls()
            do throws(HotRestartError) {
                _ = calls.settles(within: end - .now)
                let state = try snapshots()
                try successor.begin(state: state, until: deadline)
                let (last, hasEnded) = try lend(state, to: calls, from: successor, until: end)
                if hasEnded { calls.open() } else { tell(.overdue) }
                // Calls that are late go on waiting until the process ends: the state is not here.
                return last
            } catch {
                calls.open()
                throw error
            }
        }
    }

    /// Waits for the end of the work. Whenever a call of it waits for the state, the fresh process gives that back for as
    /// long as the call takes.
    ///
    /// - Parameters:
    ///   - state: What the fresh process has got.
    ///   - calls: The calls that are held back.
    /// - Returns: What it has got in the end, and whether the work has ended.
    private func lend(
        _ state: HandedState, to calls: GateClosure, from successor: Successor,
        until end: ContinuousClock.Instant
    ) throws(HotRestartError) -> (HandedState, hasEnded: Bool) {
        var state = state
        let wanted: EventFlag
        do throws(SystemError) {
            wanted = try EventFlag()
        } catch {
            throw .notStarted(error)
        }
        calls.onWaiting { wanted.note() }
        while EventFlag.wait(for: [serving.ended, wanted], until: end) {
            if serving.ended.isNoted { return (state, true) }
            wanted.take()
            guard let given = try successor.takeBack(until: end) else { break }
            if given.isEmpty {
                // Calls are under way there that take long.
                let next = min(end, .now + host.live.policy.gateLimit)
                if !serving.ended.wait(until: next) { wanted.note() }
                continue
            }
            let failures = host.restoreLoaded(given)
            guard failures.isEmpty else {
                for error in failures { host.modules.loader.tell(error, of: error.entry) }
                try successor.giveAgain(given)
                break
            }
            calls.letIn()
            _ = calls.settles(within: end - .now)
            state = try snapshots()
            try successor.giveAgain(state)
        }
        return (state, false)
    }
}
