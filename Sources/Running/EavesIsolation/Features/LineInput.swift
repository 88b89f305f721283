// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import Synchronization

/// Reads lines of a console, one after the other. A line that comes when its reader has gone is kept for the next one: a feature
/// that crashes while it waits takes none with it.
///
/// Safe from any thread.
final class LineInput: Sendable {
    private typealias Line = Result<String?, any Error>

    private struct State {
        /// In the order of their coming.
        var waiting: [CheckedContinuation<String?, any Error>] = []
        var kept: [String] = []
        /// Whether a thread reads.
        var isReading = false
    }

    private let console: any Console
    private let state = Mutex(State())

    init(_ console: any Console) { self.console = console }

    /// Whether a line is kept, or a thread still reads one.
    var hasRest: Bool { state.withLock { $0.isReading || !$0.kept.isEmpty } }

    /// The next line; `nil` at the end of the input.
    ///
    /// - Parameter isOver: Whether the reader has gone before it has begun to wait.
    /// - Throws: The console's error, or that of ``leave(_:)``.
    func line(unless isOver: @escaping @Sendable () throws -> Void) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            let (line, isFirst) = state.withLock { state -> (Line?, Bool) in
                if case .failure(let error) = Result(catching: isOver) {
                    return (.failure(error), false)
                }
                if !state.kept.isEmpty { return (.success(state.kept.removeFirst()), false) }
                state.waiting.append(continuation)
                defer { state.isReading = true }
                return (nil, !state.isReading)
            }
            if let line { continuation.resume(with: line) }
            // Without a further thread, this one reads.
            if isFirst, (try? DetachedThread.start { self.readAll() }) == nil { readAll() }
        }
    }

    private func readAll() {
        var isWanted = true
        while isWanted {
            let line = Line { try console.readLine() }
            let reader = state.withLock { state in
                let reader = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                if reader == nil, case .success(let line?) = line { state.kept.append(line) }
                isWanted = !state.waiting.isEmpty
                state.isReading = isWanted
                return reader
            }
            reader?.resume(with: line)
        }
    }

    /// Lets the readers go.
    func leave(_ error: ConsoleError) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.resume(throwing: error) }
    }
}
