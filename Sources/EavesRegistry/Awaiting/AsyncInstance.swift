// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// An instance that is made once, however many tasks ask for it, in a task of its own.
///
/// Those who ask are suspended meanwhile. One who is cancelled waits no longer, and the others do not
/// notice. If nobody is left, the making is cancelled.
final class AsyncInstance<Service: Sendable>: Sendable {
    /// How waiting ended.
    enum Ending: Sendable {
        case made(Service)
        case failed(ResolutionError)
        /// It would never have ended: what was wanted waits for the one who asked, on this way.
        case cycle([ServiceRequest])
        case cancelled
    }

    private enum Answer: Sendable {
        case ended(Ending)
        case askAgain
    }

    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<Answer, Never>
        /// The making that waits, if it is one.
        let asker: Making?
    }

    private struct State {
        var waiting = AsyncInstanceState<Waiter>()
        /// Runs the making that is under way.
        var task: Task<Void, Never>?
    }

    private let instance: KeptInstance<Service>
    private let state = Guarded(State())

    init(isWeak: Bool) {
        instance = KeptInstance(isWeak: isWeak)
    }

    /// The instance, if it is there.
    var kept: Service? { instance.value }

    /// The instance, made by `make` if it is not there, and nobody makes it yet.
    ///
    /// - Parameters:
    ///   - request: What it is, in words.
    ///   - asker: The making that asks, if it is one.
    ///   - make: Makes it, as this making. Whoever waits for it shares its ending.
    func get(
        _ request: ServiceRequest, for asker: Making?,
        make: @escaping @Sendable (Making) async -> Result<Service, ResolutionError>
    ) async -> Ending {
        while true {
            if let kept { return .made(kept) }
            if Task.isCancelled { return .cancelled }
            if case .ended(let ending) = await answer(request, for: asker, make: make) {
                return ending
            }
        }
    }

    private func answer(
        _ request: ServiceRequest, for asker: Making?,
        make: @escaping @Sendable (Making) async -> Result<Service, ResolutionError>
    ) async -> Answer {
        let number = state.withLock { $0.waiting.number() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(continuation: continuation, asker: asker)
                if let ending = join(waiter, number: number, request, make: make) {
                    continuation.resume(returning: .ended(ending))
                } else if Task.isCancelled {
                    // The handler may have run before there was anybody to leave.
                    leave(number: number)
                }
            }
        } onCancel: {
            leave(number: number)
        }
    }

    /// - Returns: The ending, if there is nothing to wait for.
    private func join(
        _ waiter: Waiter, number: Int, _ request: ServiceRequest,
        make: @escaping @Sendable (Making) async -> Result<Service, ResolutionError>
    ) -> Ending? {
        state.withLock { state in
            if let kept { return .made(kept) }
            let known = state.waiting.making
            let making = known ?? Making(request)
            if let path = AsyncWaits.wait(waiter.asker, for: making) { return .cycle(path) }
            if known == nil {
                state.waiting.begin(making)
                state.task = Task { end(making, await make(making)) }
            }
            state.waiting.wait(waiter, number: number)
            return nil
        }
    }

    private func end(_ making: Making, _ result: Result<Service, ResolutionError>) {
        let ending = state.withLock { state in
            if case .success(let service) = result { instance.keep(service) }
            state.task = nil
            return state.waiting.end()
        }
        let answer: Answer =
            switch result {
            case .success(let service): .ended(.made(service))
            case .failure(let error): ending.wasAbandoned ? .askAgain : .ended(.failed(error))
            }
        for waiter in ending.waiters {
            AsyncWaits.resume(waiter.asker, from: making)
            waiter.continuation.resume(returning: answer)
        }
    }

    private func leave(number: Int) {
        let (left, making, task) = state.withLock { state in
            (state.waiting.leave(number: number), state.waiting.making, state.task)
        }
        guard let left, let making else { return }
        AsyncWaits.resume(left.waiter.asker, from: making)
        left.waiter.continuation.resume(returning: .ended(.cancelled))
        if left.isAbandoned { task?.cancel() }
    }
}
