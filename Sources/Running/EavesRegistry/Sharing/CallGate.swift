// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// Counts the calls that are under way in one generation of a module with a life cycle, holds back those that begin
/// while its state goes over to another object, and knows when none is left in a generation that serves no longer.
///
/// A call enters before it resolves. So it is either counted when the gate is shut, and ends before the state is taken,
/// or begins once the new object serves.
///
/// Calls that do not end in time make it open again. Those under way at that moment are a group of their own: as long as one
/// of them has not ended, shutting the gate once more would be in vain.
package final class CallGate: Sendable {
    private struct State {
        /// The closure that holds calls back while the gate is shut.
        var closure: GateClosure?
        var isOver = false
        /// The functions to call when no call is left in it.
        var observers: [@Sendable () -> Void] = []
        /// Registrations and calls keep their doors, which keep the gate.
        private var known: [WeakDoor] = []
        /// When the gate was opened because calls did not end.
        var yielded = ContinuousClock.now

        var doors: [Door] { known.compactMap(\.door) }

        mutating func add(_ door: Door) { known.append(WeakDoor(door: door)) }

        func isEmpty(_ groups: ClosedRange<Int> = 0...1) -> Bool {
            doors.allSatisfy { door in groups.allSatisfy { door.count(of: $0) == 0 } }
        }
    }

    private struct WeakDoor {
        weak var door: Door?
    }

    /// The reason why a gate turns a call away.
    enum Obstacle: Error {
        /// It may try again when the gates are opened.
        case shut(GateClosure)
        /// Another generation serves.
        case over
    }

    /// The way of one registration's calls through the gate.
    final class Door: Sendable {
        /// A number of calls of one thread and one group. Valid as long as the door.
        typealias Count = ThreadCells.Cells

        let gate: CallGate
        fileprivate let service: ServiceRequest
        // They include calls that have counted themselves and are about to find the gate shut.
        /// The numbers of calls, by group.
        private let calls = ThreadCells(words: 2)

        fileprivate init(_ gate: CallGate, for service: ServiceRequest) {
            self.gate = gate
            self.service = service
        }

        fileprivate func count(of group: Int) -> Int { calls.sum(of: group) }

        /// Enters, if the gate is open.
        ///
        /// - Returns: The value for ``leave(_:)``.
        func enterIfOpen(on context: ThreadContext) -> Count? {
            let seen = gate.sign.load(ordering: .sequentiallyConsistent)
            guard seen & 1 == 0 else { return nil }
            let count = begin(on: context, in: seen / 2)
            // A call must not enter unseen when its group has become that of earlier calls.
            if gate.sign.load(ordering: .sequentiallyConsistent) == seen { return count }
            leave(count)
            return nil
        }

        private func begin(on context: ThreadContext, in group: Int) -> Count {
            let count = calls.own(of: context) + group
            count.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return count
        }

        func leave(_ count: Count) {
            count.pointee.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            if gate.sign.load(ordering: .sequentiallyConsistent) & 1 == 1 { gate.lookAfterCall() }
        }

        /// Enters, if the gate is open or lets this call pass.
        ///
        /// - Parameter isOnMainThread: Whether the main thread would have to wait.
        func enter(onMainThread isOnMainThread: @autoclosure () -> Bool) -> Result<Pass, Obstacle> {
            let context = ThreadContext.current
            while true {
                if let count = enterIfOpen(on: context) {
                    return .success(Pass(door: self, count: count))
                }
                let (closure, isOver) = gate.state.withLock { ($0.closure, $0.isOver) }
                if isOver { return .failure(.over) }
                guard let closure else { continue }
                // A call that is waited for may need this one, or may need the main thread.
                let mayPass = closure.waitsForCallers || isOnMainThread()
                let admitted = closure.admits(mayPass) {
                    let group = gate.sign.load(ordering: .sequentiallyConsistent) / 2
                    return Pass(door: self, count: begin(on: context, in: group))
                }
                return admitted.map { .success($0) } ?? .failure(.shut(closure))
            }
        }
    }

    // SAFETY: the count is atomic, and valid as long as the door.
    /// A call that has entered, and has to ``leave()``.
    struct Pass: @unchecked Sendable {
        let door: Door
        fileprivate let count: Door.Count

        func leave() { door.leave(count) }
    }

    /// The group of the calls that enter now, times two; 1 more if a call that enters or leaves has to look at the state.
    private let sign = Atomic(0)
    private let state = Guarded(State())

    let keepsState: Bool

    init(keepsState: Bool) {
        self.keepsState = keepsState
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether no call is under way, except those that have gone on for a time since the gate was shut in vain.
    fileprivate func isSettled(leavingOutAfter patience: Duration?) -> Bool {
        state.withLock { state in
            if state.isEmpty() { return true }
            guard let patience, state.yielded + patience <= .now else { return false }
            let group = sign.load(ordering: .sequentiallyConsistent) / 2
            return state.isEmpty(group...group)
        }
    }

    /// A way for the calls of a registration, which no call has yet.
    func door(for service: ServiceRequest) -> Door {
        let door = Door(self, for: service)
        state.withLock { $0.add(door) }
        return door
    }

    fileprivate func shut(_ closure: GateClosure) {
        state.withLock { $0.closure = closure }
        sign.bitwiseOr(1, ordering: .sequentiallyConsistent)
    }

    /// - Parameter now: The time, if the gate was shut in vain: calls under way become a group of their own, unless an
    ///   earlier group has not ended.
    fileprivate func open(inVainAt now: ContinuousClock.Instant?) {
        state.withLock { state in
            state.closure = nil
            var group = sign.load(ordering: .sequentiallyConsistent) / 2
            if let now, state.isEmpty((1 - group)...(1 - group)) {
                state.yielded = now
                group = 1 - group
            }
            sign.store(group * 2 + (state.isOver ? 1 : 0), ordering: .sequentiallyConsistent)
        }
    }

    /// The calls that are under way although the gate was shut, and opened again because of them; `nil` if they have ended.
    package func lastingCalls(at now: ContinuousClock.Instant = .now) -> LastingCalls? {
        state.withLock { state in
            let group = 1 - sign.load(ordering: .sequentiallyConsistent) / 2
            let doors = state.doors.filter { $0.count(of: group) > 0 }
            if doors.isEmpty { return nil }
            return LastingCalls(
                services: Set(doors.map(\.service.description)).sorted(), time: now - state.yielded)
        }
    }

    /// Lets no call enter from now on: another generation serves, or none.
    ///
    /// - Parameter observer: A function that is called when the calls under way have ended: at once, or on the thread of the
    ///   last one, which it must not block.
    func end(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.isOver = true
            state.observers.append(observer)
            sign.bitwiseOr(1, ordering: .sequentiallyConsistent)
        }
        lookWhetherLeft()
    }

    @inline(never)
    private func lookAfterCall() {
        state.withLock { $0.closure }?.lookWhetherSettled()
        lookWhetherLeft()
    }

    private func lookWhetherLeft() {
        let told = state.withLock { state in
            guard state.isOver, state.isEmpty() else { return [] as [@Sendable () -> Void] }
            defer { state.observers = [] }
            return state.observers
        }
        for observer in told { observer() }
    }
}

/// Calls that have gone on since a gate was shut in vain.
package struct LastingCalls: Hashable, Sendable {
    /// The services that were called.
    package let services: [String]
    /// How long they have been under way at least.
    package let time: Duration
}

/// Some gates that are shut together, until they are opened.
///
/// Until the calls that were under way have ended, those that they make themselves pass, and so do those on the main
/// thread. After that, only the thread passes that has shut the gates: if it waited, they would stay shut.
///
///     settling ──→ settled      open() leads from each of them to over
package final class GateClosure: Sendable {
    private enum Phase {
        /// A phase in which calls may be under way behind the gates.
        case settling
        /// No call is under way except those that are left out, and none begins.
        case settled
        case over
    }

    private struct State {
        var phase = Phase.settling
        /// Functions that wake the calls that wait.
        var waiting: [@Sendable () -> Void] = []
        /// A function that is told of each call that waits.
        var observer: @Sendable () -> Void = {}
        /// The moment when no call is under way any more.
        var settled = Awaited<Void>()
    }

    private let gates: [CallGate]
    private let patience: Duration?
    private let state = Guarded(State())
    private let thread = pthread_self()

    /// Shuts gates: holds back the calls that begin from now on. A gate has one closure at a time.
    ///
    /// - Parameter patience: The time since an earlier closure after which calls are left out; `nil` if none are.
    package init(_ gates: [CallGate], leavingOutAfter patience: Duration? = nil) {
        self.gates = gates
        self.patience = patience
        for gate in gates { gate.shut(self) }
        lookWhetherSettled()
    }

    /// Blocks the thread until all calls that were under way have ended, or for a time.
    ///
    /// - Returns: Whether they have, or are left out. From then on no other one is under way, until ``open(at:)``.
    package func settles(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        while let settled = awaitedSettling {
            guard settled.wait(within: end - .now) == nil else { continue }
            lookWhetherSettled { [patience] gate in
                patience.map { time in gate.lastingCalls().map { $0.time >= time } ?? false }
                    ?? false
            }
            return awaitedSettling == nil
        }
        return true
    }

    /// Whether it is known that gates would not settle: calls go on that were under way at an earlier closure.
    package static func isInVain(
        _ gates: [CallGate], leavingOutAfter patience: Duration,
        at now: ContinuousClock.Instant = .now
    ) -> Bool {
        gates.contains { gate in gate.lastingCalls(at: now).map { $0.time < patience } ?? false }
    }

    /// The moment when no call is under way; `nil` if that has come.
    private var awaitedSettling: Awaited<Void>? {
        state.withLock { if case .settled = $0.phase { nil } else { $0.settled } }
    }

    /// Whether the code that runs is called by one of the calls that have to end first.
    var waitsForCallers: Bool {
        if ThreadContext.current.gates.contains(where: isBehind) { return true }
        var call = MeasuredCall.current
        while let one = call {
            if one.isUnderWay(behind: isBehind) { return true }
            call = one.outer
        }
        return false
    }

    private func isBehind(_ gate: CallGate) -> Bool { gates.contains { $0 === gate } }

    /// The calls that have not ended although the gates have settled, with their gates.
    package var leftOut: [(gate: CallGate, calls: LastingCalls)] {
        gates.compactMap { gate in gate.lastingCalls().map { (gate, $0) } }
    }

    /// Lets the calls go on that wait at the gates.
    package func open(at now: ContinuousClock.Instant = .now) {
        let isInVain = state.withLock { $0.phase == .settling }
        for gate in gates { gate.open(inVainAt: isInVain ? now : nil) }
        let woken = state.withLock { state in
            state.phase = .over
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in woken { wake() }
    }

    /// Calls a function whenever a call begins to wait, and now if one waits. It must not block the thread.
    package func onWaiting(_ observer: @escaping @Sendable () -> Void) {
        let isWaiting = state.withLock { state in
            state.observer = observer
            return !state.waiting.isEmpty
        }
        if isWaiting { observer() }
    }

    /// - Parameter isLeftOut: Whether the calls of a gate are left out.
    fileprivate func lookWhetherSettled(leavingOut isLeftOut: (CallGate) -> Bool = { _ in false }) {
        let settled = state.withLock { state -> Awaited<Void>? in
            guard case .settling = state.phase,
                gates.allSatisfy({ $0.isSettled(leavingOutAfter: patience) || isLeftOut($0) })
            else { return nil }
            state.phase = .settled
            defer { state.settled = Awaited() }
            return state.settled
        }
        settled?.set(())
    }

    /// Lets a call enter that may pass, unless all others have ended.
    fileprivate func admits(_ mayPass: Bool, _ enter: () -> CallGate.Pass) -> CallGate.Pass? {
        state.withLock { state in
            var isAdmitted = pthread_equal(thread, pthread_self()) != 0
            switch state.phase {
            case .settling: isAdmitted = isAdmitted || mayPass
            case .settled: break
            case .over: return nil
            }
            return isAdmitted ? enter() : nil
        }
    }

    package var isOver: Bool { state.withLock { $0.phase == .over } }

    package func wait() {
        let end = Awaited<Void>()
        wakeLater { end.set(()) }
        end.wait()
    }

    func waitAsync() async {
        await withCheckedContinuation { continuation in wakeLater { continuation.resume() } }
    }

    /// Calls a function when a call may try again: at once, if the gates are open.
    private func wakeLater(_ wake: @escaping @Sendable () -> Void) {
        let (isOver, observer) = state.withLock { state in
            if case .over = state.phase { return (true, state.observer) }
            state.waiting.append(wake)
            return (false, state.observer)
        }
        if isOver { wake() } else { observer() }
    }
}
