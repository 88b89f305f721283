// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// Runs work that may block for a worker: one thing after the other, on a thread that is there as long as there is something
/// to do. So however much a worker asks for, it has one thread of its host.
///
/// Safe from any thread.
final class OrderedWork: Sendable {
    private let state = Mutex((waiting: [@Sendable () -> Void](), isWorking: false))

    /// Runs work behind all earlier work, and waits for its result without blocking the thread.
    func result<Result: Sendable>(
        of body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            add { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private func add(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.waiting.append(work)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        guard isFirst else { return }
        // Without a further thread, this one does it.
        if (try? DetachedThread.start { [self] in doAll() }) == nil { doAll() }
    }

    private func doAll() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isWorking = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}
