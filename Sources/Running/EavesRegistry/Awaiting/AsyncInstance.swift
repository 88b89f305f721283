// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// An instance that is created once, in a task of its own, however many tasks ask for it.
///
/// The tasks that ask are suspended meanwhile. A task that is cancelled stops waiting, and the others
/// do not notice. If no task is left, the creation is cancelled.
final class AsyncInstance<Service: Sendable>: Sendable {
    typealias Create = @Sendable (AsyncCreation) async -> Result<Service, ResolutionError>

    /// The end of waiting.
    enum Ending: Sendable {
        case created(Service)
        case failed(ResolutionError)
        /// Waiting would never have ended: the instance waits for the one who asked, along this path.
        case cycle([ServiceRequest], AsyncCreation)
        case cancelled
    }

    private enum Answer: Sendable {
        case ended(Ending)
        case askAgain
    }

    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<Answer, Never>
        /// The creation that waits, if the waiting task is one.
        let asker: AsyncCreation?
    }

    private struct State {
        var waiting = AsyncInstanceState<Waiter>()
        /// The task of the creation that is under way.
        var task: Task<Void, Never>?
    }

    private let store: InstanceStore<Service>
    private let state = Guarded(State())

    init(isWeak: Bool) {
        store = InstanceStore(isWeak: isWeak)
    }

    /// The instance, if it exists.
    var known: Service? { store.instance }

    /// The instance. `create` is called if it does not exist and is not being created.
    ///
    /// - Parameters:
    ///   - request: The service, in words.
    ///   - asker: The creation that asks, if the current task is one.
    ///   - create: A function that creates the instance. All tasks that wait share its result.
    func get(
        _ request: ServiceRequest, for asker: AsyncCreation?, create: @escaping Create
    ) async -> Ending {
        while true {
            if let known { return .created(known) }
            if Task.isCancelled { return .cancelled }
            if case .ended(let ending) = await answer(request, for: asker, create: create) {
                return ending
            }
        }
    }

    private func answer(
        _ request: ServiceRequest, for asker: AsyncCreation?, create: @escaping Create
    ) async -> Answer {
        let number = state.withLock { $0.waiting.number() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(continuation: continuation, asker: asker)
                if let ending = join(waiter, number: number, request, create: create) {
                    continuation.resume(returning: .ended(ending))
                } else if Task.isCancelled {
                    // The handler may have run before this waiter had joined.
                    leave(number: number)
                }
            }
        } onCancel: {
            leave(number: number)
        }
    }

    /// - Returns: The ending, if there is nothing to wait for.
    private func join(
        _ waiter: Waiter, number: Int, _ request: ServiceRequest, create: @escaping Create
    ) -> Ending? {
        state.withLock { state in
            if let known { return .created(known) }
            let current = state.waiting.creation
            let creation = current ?? AsyncCreation(request)
            if let path = AsyncWaitGraph.wait(waiter.asker, for: creation) {
                return .cycle(path, creation)
            }
            if current == nil {
                state.waiting.begin(creation)
                state.task = Task {
                    end(creation, await create(creation))
                    // It holds the tables that have the registration: these go when the instance is kept.
                    withExtendedLifetime(create) {}
                }
            }
            state.waiting.wait(waiter, number: number)
            return nil
        }
    }

    private func end(_ creation: AsyncCreation, _ result: Result<Service, ResolutionError>) {
        let ending = state.withLock { state in
            if case .success(let service) = result { store.keep(service) }
            state.task = nil
            return state.waiting.end()
        }
        let answer: Answer =
            switch result {
            case .success(let service): .ended(.created(service))
            case .failure(let error): ending.wasAbandoned ? .askAgain : .ended(.failed(error))
            }
        for waiter in ending.waiters {
            AsyncWaitGraph.resume(waiter.asker, from: creation)
            waiter.continuation.resume(returning: answer)
        }
    }

    private func leave(number: Int) {
        let (left, creation, task) = state.withLock { state in
            (state.waiting.leave(number: number), state.waiting.creation, state.task)
        }
        guard let left, let creation else { return }
        AsyncWaitGraph.resume(left.waiter.asker, from: creation)
        left.waiter.continuation.resume(returning: .ended(.cancelled))
        if left.isAbandoned { task?.cancel() }
    }
}

/// The states of an ``AsyncInstance`` as a value: the tasks that wait for the creation that is under way. The
/// instance locks it, and acts on what it returns.
private struct AsyncInstanceState<Waiter> {
    /// The work that is left when a creation has ended.
    struct Ending {
        let waiters: [Waiter]
        /// Whether there was a time without waiters, so that the factory was told to stop. Those who
        /// wait now came later, and must not get an error that this may have caused.
        let wasAbandoned: Bool
    }

    private struct Run {
        let creation: AsyncCreation
        var waiters: [Int: Waiter] = [:]
        var isAbandoned = false
    }

    private var run: Run?
    private var lastWaiter = 0

    /// The creation that is under way, if there is one.
    var creation: AsyncCreation? { run?.creation }

    /// A new number for a task that may be going to wait.
    mutating func number() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// Begins a creation. None may be under way.
    mutating func begin(_ creation: AsyncCreation) {
        run = Run(creation: creation)
    }

    /// Adds a waiter to the creation that is under way.
    mutating func wait(_ waiter: Waiter, number: Int) {
        run?.waiters[number] = waiter
    }

    /// Removes a waiter.
    ///
    /// - Returns: The waiter, and whether it was the last, so that the creation is to be told to stop;
    ///   `nil` if it no longer waited.
    mutating func leave(number: Int) -> (waiter: Waiter, isAbandoned: Bool)? {
        guard let waiter = run?.waiters.removeValue(forKey: number) else { return nil }
        let isAbandoned = run?.waiters.isEmpty ?? false
        if isAbandoned { run?.isAbandoned = true }
        return (waiter, isAbandoned)
    }

    /// Ends the creation.
    mutating func end() -> Ending {
        defer { run = nil }
        let waiters = (run?.waiters ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        return Ending(waiters: waiters, wasAbandoned: run?.isAbandoned ?? false)
    }
}
