// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// The console of a launch, which a worker uses until its feature ends.
///
/// Safe from any thread.
final class LentConsole: Sendable {
    let number: UInt64
    private let console: any Console
    private let work = OrderedWork()
    /// Whether it waits for a person.
    private let isReading = Atomic(false)

    init(_ number: UInt64, _ console: any Console) {
        self.number = number
        self.console = console
    }

    func readLine() async throws -> String? {
        try await work.result { [self] in
            isReading.store(true, ordering: .relaxed)
            defer { isReading.store(false, ordering: .relaxed) }
            return try console.readLine()
        }
    }

    func write(_ text: String) async throws {
        try await work.result { [console] in try console.write(text) }
    }

    func warn(_ text: String) async throws {
        try await work.result { [console] in console.warn(text) }
    }

    func flush() async throws {
        try await work.result { [console] in try console.flush() }
    }

    /// Waits until all is done that the worker has asked for, unless that is a line of input: a worker that has crashed
    /// does not take it any more.
    func end() async {
        guard !isReading.load(ordering: .relaxed) else { return }
        try? await work.result {}
    }
}

/// The consoles of the launches that run in a worker, by their numbers.
///
/// Safe from any thread.
final class LentConsoles: Sendable {
    private let state = Mutex((last: UInt64(0), lent: [UInt64: LentConsole]()))

    func lend(_ console: any Console) -> LentConsole {
        state.withLock { state in
            state.last += 1
            let lent = LentConsole(state.last, console)
            state.lent[state.last] = lent
            return lent
        }
    }

    /// Takes it back: the worker cannot use it any more.
    func end(_ console: LentConsole) async {
        state.withLock { _ = $0.lent.removeValue(forKey: console.number) }
        await console.end()
    }

    subscript(number: UInt64) -> LentConsole? { state.withLock { $0.lent[number] } }
}
