// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesSystem
import Glibc
import Synchronization

/// Counts the calls that are under way in one generation of a module with a life cycle, holds back those that begin
/// while its state goes over to another object, and knows when none is left in a generation that serves no longer.
///
/// A call enters before it resolves. So it is either counted when the gate is shut, and ends before the state is taken,
/// or begins once the new object serves.
package final class CallGate: Sendable {
    private struct State {
        /// The closure that holds calls back while the gate is shut.
        var closure: GateClosure?
        var isOver = false
        /// The functions to call when no call is left in it.
        var observers: [@Sendable () -> Void] = []
    }

    /// The reason for which a gate turns a call away.
    enum Obstacle {
        /// It may try again when the gates are opened.
        case shut(GateClosure)
        /// Another generation serves.
        case over
    }

    /// Includes those that have counted themselves and are about to find the gate shut.
    private let count = Atomic(0)
    /// Whether a call that enters or leaves has to look at the state.
    private let isAttended = Atomic(false)
    private let state = Guarded(State())

    /// Whether any module of a container and its children has a gate. Where none has, no call looks for one.
    final class Switch: Sendable {
        private let on = Atomic(false)

        var isOn: Bool { on.load(ordering: .relaxed) }

        func turnOn() { on.store(true, ordering: .relaxed) }
    }

    let keepsState: Bool

    init(keepsState: Bool) {
        self.keepsState = keepsState
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    fileprivate var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Enters, if the gate is open or lets this call pass. A call that has entered has to ``leave()``.
    ///
    /// - Parameter isOnMainThread: Whether the main thread would have to wait.
    func enter(onMainThread isOnMainThread: @autoclosure () -> Bool) -> Obstacle? {
        while true {
            count.add(1, ordering: .sequentiallyConsistent)
            guard isAttended.load(ordering: .sequentiallyConsistent) else { return nil }
            leave()
            let (closure, isOver) = state.withLock { ($0.closure, $0.isOver) }
            if isOver { return .over }
            guard let closure else { continue }
            // A call that is waited for may need this one, or may need the main thread.
            let mayPass = closure.waits(for: MeasuredCall.current) || isOnMainThread()
            let hasEntered = closure.admits(mayPass) {
                count.add(1, ordering: .sequentiallyConsistent)
            }
            return hasEntered ? nil : .shut(closure)
        }
    }

    func leave() {
        count.subtract(1, ordering: .sequentiallyConsistent)
        guard isAttended.load(ordering: .sequentiallyConsistent) else { return }
        state.withLock { $0.closure }?.lookWhetherSettled()
        lookWhetherLeft()
    }

    fileprivate func shut(_ closure: GateClosure) {
        state.withLock { $0.closure = closure }
        isAttended.store(true, ordering: .sequentiallyConsistent)
    }

    fileprivate func open() {
        state.withLock { state in
            state.closure = nil
            isAttended.store(state.isOver, ordering: .sequentiallyConsistent)
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
            isAttended.store(true, ordering: .sequentiallyConsistent)
        }
        lookWhetherLeft()
    }

    private func lookWhetherLeft() {
        let told = state.withLock { state in
            guard state.isOver, isEmpty else { return [] as [@Sendable () -> Void] }
            defer { state.observers = [] }
            return state.observers
        }
        for observer in told { observer() }
    }
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
        /// No call is under way, and none begins.
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
    private let state = Guarded(State())
    private let thread = pthread_self()

    /// Shuts gates: holds back the calls that begin from now on. A gate has one closure at a time.
    package init(_ gates: [CallGate]) {
        self.gates = gates
        for gate in gates { gate.shut(self) }
        lookWhetherSettled()
    }

    /// Blocks the thread until all calls that were under way have ended, or for a time.
    ///
    /// - Returns: Whether they have. From then on none is under way, until ``open()``.
    package func settles(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        while let settled = awaitedSettling {
            if settled.wait(within: end - .now) == nil { return awaitedSettling == nil }
        }
        return true
    }

    /// The moment when no call is under way; `nil` if that has come.
    private var awaitedSettling: Awaited<Void>? {
        state.withLock { if case .settled = $0.phase { nil } else { $0.settled } }
    }

    /// Whether a call is one of those that have to end first, or is a part of one.
    func waits(for call: MeasuredCall?) -> Bool {
        var call = call
        while let one = call {
            if one.isUnderWay(behind: gates) { return true }
            call = one.outer
        }
        return false
    }

    /// Lets the calls go on that wait at the gates.
    package func open() {
        for gate in gates { gate.open() }
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

    fileprivate func lookWhetherSettled() {
        let settled = state.withLock { state -> Awaited<Void>? in
            guard case .settling = state.phase, gates.allSatisfy(\.isEmpty) else { return nil }
            state.phase = .settled
            defer { state.settled = Awaited() }
            return state.settled
        }
        settled?.set(())
    }

    /// Lets a call enter that may pass, unless all others have ended.
    fileprivate func admits(_ mayPass: Bool, _ enter: () -> Void) -> Bool {
        state.withLock { state in
            var isAdmitted = pthread_equal(thread, pthread_self()) != 0
            switch state.phase {
            case .settling: isAdmitted = isAdmitted || mayPass
            case .settled: break
            case .over: return false
            }
            if isAdmitted { enter() }
            return isAdmitted
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
