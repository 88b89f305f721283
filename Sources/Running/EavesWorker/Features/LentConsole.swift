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
    private let state = Mutex(State())

    private struct State {
        /// How many lines of input the worker waits for.
        var reads = 0
        var isEnded = false
    }

    init(_ number: UInt64, _ console: any Console) {
        self.number = number
        self.console = console
    }

    func readLine() async throws -> String? {
        try await use(reads: true) { try $0.readLine() }
    }

    func write(_ text: String) async throws { try await use { try $0.write(text) } }

    func warn(_ text: String) async throws { try await use { $0.warn(text) } }

    func flush() async throws { try await use { try $0.flush() } }

    /// Takes it back. Waits until all is done that the worker has asked for, unless that is a line of input: the feature
    /// does not take it any more.
    func end() async {
        let isReading = state.withLock { state in
            state.isEnded = true
            return state.reads > 0
        }
        if !isReading { try? await work.result {} }
    }

    private func use<Result: Sendable>(
        reads: Bool = false, _ body: @escaping @Sendable (any Console) throws -> Result
    ) async throws -> Result {
        try state.withLock { state in
            guard !state.isEnded else { throw ConsoleError("the feature has ended") }
            if reads { state.reads += 1 }
        }
        defer { if reads { state.withLock { $0.reads -= 1 } } }
        return try await work.result { [console] in try body(console) }
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

    /// Takes a console back.
    func end(_ console: LentConsole) async {
        state.withLock { _ = $0.lent.removeValue(forKey: console.number) }
        await console.end()
    }

    subscript(number: UInt64) -> LentConsole? { state.withLock { $0.lent[number] } }
}
