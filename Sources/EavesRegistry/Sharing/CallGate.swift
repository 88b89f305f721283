// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface
import Glibc
import Synchronization

/// Counts the calls that are under way in a module that keeps state, and holds back those that begin while the state
/// goes over to another object.
///
/// A call that enters before it resolves is either counted when the gate is shut, and ends before the state is taken, or
/// begins once the new object serves. So the state has what every call has written.
final class CallGate: Sendable {
    /// Includes those that have counted themselves and are about to find the gate shut.
    private let count = Atomic(0)
    private let isShut = Atomic(false)
    private let closure = Guarded<GateClosure?>(nil)

    fileprivate var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Enters, if the gate is open or lets this call pass. A call that has entered has to ``leave()``.
    ///
    /// - Parameter isOnMainThread: Whether the main thread would have to wait.
    /// - Returns: What to wait for before the next attempt; `nil` if the call has entered.
    private func enter(onMainThread isOnMainThread: @autoclosure () -> Bool) -> GateClosure? {
        while true {
            count.add(1, ordering: .sequentiallyConsistent)
            guard isShut.load(ordering: .sequentiallyConsistent) else { return nil }
            leave()
            guard let closure = closure.withLock({ $0 }) else { continue }
            // A call that is waited for may need this one, or may need the main thread.
            let mayPass = GatedCall.isInside || isOnMainThread()
            let hasEntered = closure.admits(mayPass) {
                count.add(1, ordering: .sequentiallyConsistent)
            }
            return hasEntered ? nil : closure
        }
    }

    /// Enters, and blocks the thread while the gate is shut.
    func enter() {
        while let closure = enter(onMainThread: eaves_is_main_thread()) { closure.wait() }
    }

    /// Enters, and suspends the task while the gate is shut.
    func enterAsync() async {
        while let closure = enter(onMainThread: false) { await closure.ended() }
    }

    /// Ends a call.
    func leave() {
        count.subtract(1, ordering: .sequentiallyConsistent)
        guard isShut.load(ordering: .sequentiallyConsistent) else { return }
        closure.withLock { $0 }?.lookWhetherSettled()
    }

    fileprivate func shut(_ closure: GateClosure) {
        self.closure.withLock { $0 = closure }
        isShut.store(true, ordering: .sequentiallyConsistent)
    }

    fileprivate func open() {
        isShut.store(false, ordering: .sequentiallyConsistent)
        closure.withLock { $0 = nil }
    }
}

/// Some gates that are shut together, until they are opened.
///
/// Until the calls that were under way have ended, those that they make themselves pass, and so do those on the main
/// thread. After that, only the thread passes that has shut the gates: if it waited, they would stay shut.
package final class GateClosure: Sendable {
    private struct State {
        /// Whether no call is under way behind the gates, and none can be until they are opened.
        var isSettled = false
        var isOver = false
        /// Functions that wake those who wait for the end.
        var waiting: [@Sendable () -> Void] = []
    }

    private let gates: [CallGate]
    private let state = Guarded(State())
    private let settled = Semaphore()
    private let thread = pthread_self()

    fileprivate init(_ gates: [CallGate]) {
        self.gates = gates
        for gate in gates { gate.shut(self) }
        lookWhetherSettled()
    }

    /// Blocks the thread until all calls that were under way have ended, or for a time.
    ///
    /// - Returns: Whether they have. From then on none is under way, until ``open()``.
    package func settles(within limit: Duration) -> Bool {
        if settled.wait(for: limit) { return true }
        return state.withLock { $0.isSettled }
    }

    /// Lets those go on who wait at the gates.
    package func open() {
        for gate in gates { gate.open() }
        let woken = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in woken { wake() }
    }

    fileprivate func lookWhetherSettled() {
        let isNew = state.withLock { state in
            guard !state.isSettled, gates.allSatisfy(\.isEmpty) else { return false }
            state.isSettled = true
            return true
        }
        if isNew { settled.signal() }
    }

    /// Lets a call enter that may pass, unless all others have ended.
    fileprivate func admits(_ mayPass: Bool, _ enter: () -> Void) -> Bool {
        state.withLock { state in
            let isAdmitted =
                (mayPass && !state.isSettled) || pthread_equal(thread, pthread_self()) != 0
            guard isAdmitted, !state.isOver else { return false }
            enter()
            return true
        }
    }

    fileprivate func wait() {
        let semaphore = Semaphore()
        atEnd { semaphore.signal() }
        semaphore.wait()
    }

    fileprivate func ended() async {
        await withCheckedContinuation { continuation in atEnd { continuation.resume() } }
    }

    /// Calls a function when the gates are opened: at once, if they are.
    private func atEnd(_ wake: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting.append(wake) }
            return state.isOver
        }
        if isOver { wake() }
    }
}

/// The gates of the modules that keep state, for the container and its children.
package final class CallGates: Sendable {
    private let gates = Guarded<[String: CallGate]>([:])
    private let hasAny = Atomic(false)

    init() {}

    /// Whether any module has a gate.
    var isOn: Bool { hasAny.load(ordering: .relaxed) }

    /// The gate of a module; `nil` if it keeps no state.
    subscript(module: String?) -> CallGate? {
        guard isOn, let module else { return nil }
        return gates.withLock { $0[module] }
    }

    /// Makes a gate for a module that keeps state. To be called before anybody can ask for its services.
    func add(_ module: String) {
        gates.withLock { gates in
            if gates[module] == nil { gates[module] = CallGate() }
        }
        hasAny.store(true, ordering: .relaxed)
    }

    /// Holds back the calls of modules from now on. One closure at a time.
    package func shut(_ modules: Set<String>) -> GateClosure {
        GateClosure(gates.withLock { gates in modules.compactMap { gates[$0] } })
    }
}

/// A call that has entered through a gate. It leaves when its caller notes its end, and at the latest when the caller has
/// let go of the meter.
final class GatedCall: RunningCall {
    /// Inherited by the tasks that a call starts.
    @TaskLocal static var isInside = false

    private let gate: CallGate
    private let hasEnded = Atomic(false)
    /// Takes note of the call, too.
    private let meter = Guarded<(any CallMeter)?>(nil)

    init(through gate: CallGate) {
        self.gate = gate
    }

    /// Lets another meter take note of the call as well: the one by which the host judges the module.
    func noting(_ meter: (any CallMeter)?) -> Self {
        if let meter { self.meter.withLock { $0 = meter } }
        return self
    }

    deinit { end() }

    func note(nanoseconds: UInt64, isError: Bool) {
        meter.withLock { $0 }?.note(nanoseconds: nanoseconds, isError: isError)
        end()
    }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$isInside.withValue(true, operation: body)
    }

    func runAsync<Result>(
        isolation: isolated (any Actor)?, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$isInside.withValue(true, operation: body, isolation: isolation)
    }

    private func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { gate.leave() }
    }
}
