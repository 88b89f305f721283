// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// The console of a launch, which a worker uses until its feature ends.
///
/// Safe from any thread.
final class LentConsole: Sendable {
    let number: UInt64
    fileprivate let input: LineInput
    private let console: any Console
    private let work = OrderedWork()
    private let isEnded = Mutex(false)

    init(_ number: UInt64, _ console: any Console, _ input: LineInput) {
        self.number = number
        self.console = console
        self.input = input
    }

    fileprivate var identity: ObjectIdentifier? { LentConsoles.identity(of: console) }

    /// Reads a line behind all that was written before.
    func readLine() async throws -> String? {
        try await use { _ in }
        return try await input.line(unless: checkEnd)
    }

    func write(_ text: String) async throws { try await use { try $0.write(text) } }

    func warn(_ text: String) async throws { try await use { $0.warn(text) } }

    func flush() async throws { try await use { try $0.flush() } }

    /// Takes it back. Waits until all is done that the worker has asked for, unless that is a line of input: the feature
    /// does not take it any more.
    func end() async {
        isEnded.withLock { $0 = true }
        input.leave(Self.ended)
        try? await work.result {}
    }

    private static let ended = ConsoleError("the feature has ended")

    @Sendable private func checkEnd() throws {
        if isEnded.withLock({ $0 }) { throw Self.ended }
    }

    private func use<Result: Sendable>(
        _ body: @escaping @Sendable (any Console) throws -> Result
    ) async throws -> Result {
        try checkEnd()
        return try await work.result { [console] in try body(console) }
    }
}

/// The consoles of the launches that run in a worker, by their numbers.
///
/// Safe from any thread.
final class LentConsoles: Sendable {
    private let state = Mutex(State())

    private struct State {
        var last: UInt64 = 0
        var lent: [UInt64: LentConsole] = [:]
        /// The input of consoles from which a launch has asked for a line that it did not take.
        var inputs: [ObjectIdentifier: LineInput] = [:]
    }

    func lend(_ console: any Console) -> LentConsole {
        state.withLock { state in
            state.last += 1
            let known = Self.identity(of: console).flatMap { state.inputs.removeValue(forKey: $0) }
            let lent = LentConsole(state.last, console, known ?? LineInput(console))
            state.lent[state.last] = lent
            return lent
        }
    }

    /// Takes a console back.
    func end(_ console: LentConsole) async {
        await console.end()
        state.withLock { state in
            state.lent.removeValue(forKey: console.number)
            if console.input.hasRest, let identity = console.identity {
                state.inputs[identity] = console.input
            }
        }
    }

    /// `nil` for a console that is not an object: it cannot be told from another one.
    fileprivate static func identity(of console: any Console) -> ObjectIdentifier? {
        type(of: console) is AnyClass ? ObjectIdentifier(console as AnyObject) : nil
    }

    subscript(number: UInt64) -> LentConsole? { state.withLock { $0.lent[number] } }
}
