// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// An instance that is created once, in a task of its own, however many tasks ask for it.
///
/// The tasks that ask are suspended meanwhile. A task that is cancelled stops waiting, and the others
/// do not notice. If no task is left, the creation is cancelled.
final class AsyncInstance<Service: Sendable>: Sendable {
    typealias Create = @Sendable (AsyncFrame) async -> Result<Service, ResolutionError>

    enum Ending: Sendable {
        case created(Service)
        case failed(ResolutionError)
        /// Waiting would never have ended: the instance waits for the one who asked, along this path.
        case cycle([ServiceRequest], AsyncFrame)
        case cancelled
    }

    private enum Answer: Sendable {
        case ended(Ending)
        case askAgain
    }

    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<Answer, Never>
        /// The creation that waits, if the waiting task is one.
        let asker: AsyncFrame?
    }

    private struct Run {
        let creation: AsyncFrame
        let task: Task<Void, Never>
        /// The tasks that wait for it, by their numbers.
        var waiters: [Int: Waiter] = [:]
        /// Whether there was a time without waiters, so that the factory was told to stop. Those who
        /// wait now came later, and must not get an error that this may have caused.
        var wasAbandoned = false
    }

    private struct State {
        var run: Run?
        var lastWaiter = 0
    }

    private let store: InstanceStore<Service>
    private let state = Guarded(State())

    init(in store: InstanceStore<Service>) {
        self.store = store
    }

    var known: Service? { store.instance }

    /// The instance. `create` is called if it does not exist and is not being created. All tasks that wait share its result.
    func get(
        _ registration: Registration, in tables: HeldTables, for asker: AsyncFrame?,
        create: @escaping Create
    ) async -> Ending {
        while true {
            if let known { return .created(known) }
            if Task.isCancelled { return .cancelled }
            if case .ended(let ending) = await answer(
                registration, in: tables, for: asker, create: create)
            {
                return ending
            }
        }
    }

    private func answer(
        _ registration: Registration, in tables: HeldTables, for asker: AsyncFrame?,
        create: @escaping Create
    ) async -> Answer {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(continuation: continuation, asker: asker)
                if let ending = join(
                    waiter, number: number, registration, in: tables, create: create)
                {
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
        _ waiter: Waiter, number: Int, _ registration: Registration, in tables: HeldTables,
        create: @escaping Create
    ) -> Ending? {
        state.withLock { state in
            if let known { return .created(known) }
            let creation =
                state.run?.creation ?? AsyncFrame(registration, in: tables, isCreation: true)
            if let path = AsyncWaitGraph.wait(waiter.asker, for: creation) {
                return .cycle(path, creation)
            }
            if state.run == nil {
                let task = Task {
                    end(await create(creation))
                    // The tables have the registration: they go when the instance is kept.
                    withExtendedLifetime(tables) {}
                }
                state.run = Run(creation: creation, task: task)
            }
            state.run?.waiters[number] = waiter
            return nil
        }
    }

    private func end(_ result: Result<Service, ResolutionError>) {
        let run = state.withLock { state in
            if case .success(let service) = result { store.keep(service) }
            return state.run.take()
        }
        guard let run else { return }
        let answer: Answer =
            switch result {
            case .success(let service): .ended(.created(service))
            case .failure(let error): run.wasAbandoned ? .askAgain : .ended(.failed(error))
            }
        for (_, waiter) in run.waiters.sorted(by: { $0.key < $1.key }) {
            AsyncWaitGraph.resume(waiter.asker, from: run.creation)
            waiter.continuation.resume(returning: answer)
        }
    }

    private func leave(number: Int) {
        let (left, run) = state.withLock { state in
            let left = state.run?.waiters.removeValue(forKey: number)
            if left != nil, state.run?.waiters.isEmpty == true { state.run?.wasAbandoned = true }
            return (left, state.run)
        }
        guard let left, let run else { return }
        AsyncWaitGraph.resume(left.asker, from: run.creation)
        left.continuation.resume(returning: .ended(.cancelled))
        if run.waiters.isEmpty { run.task.cancel() }
    }
}

/// Which awaited creations wait for which others.
///
/// A creation may wait for several others at once, which a thread cannot. So this graph is another one
/// than ``WaitGraph``. The two never meet: nothing synchronous waits for an awaited creation.
private enum AsyncWaitGraph {
    /// For each creation those that it waits for, once for each of its tasks that wait.
    private static let edges = Guarded<[ObjectIdentifier: [AsyncFrame]]>([:])

    /// Notes that a creation is about to wait for another one.
    ///
    /// - Returns: `nil`; or, if waiting would never end, the path along which `wanted` waits for the
    ///   one that asks. Then nothing is noted.
    static func wait(_ asker: AsyncFrame?, for wanted: AsyncFrame) -> [ServiceRequest]? {
        guard let asker else { return nil }
        return edges.withLock { edges in
            let way = WaitGraph.way(from: wanted, to: { $0 === asker }) {
                edges[ObjectIdentifier($0)] ?? []
            }
            if let way { return way.map(\.request) }
            edges[ObjectIdentifier(asker), default: []].append(wanted)
            return nil
        }
    }

    /// Notes that a creation no longer waits, after ``wait(_:for:)`` returned `nil`.
    static func resume(_ asker: AsyncFrame?, from wanted: AsyncFrame) {
        guard let asker else { return }
        edges.withLock { edges in
            var others = edges[ObjectIdentifier(asker)] ?? []
            if let index = others.firstIndex(where: { $0 === wanted }) { others.remove(at: index) }
            edges[ObjectIdentifier(asker)] = others.isEmpty ? nil : others
        }
    }
}
