// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
@_spi(Generated) import EavesInterface
import EavesSystem
import Synchronization

/// The console of a launch, which a worker uses until its feature ends.
///
/// Safe from any thread.
final class LentConsole: Sendable {
    let number: UInt64
    fileprivate let input: LineInput
    fileprivate let console: any Console
    private let work = OrderedWork()
    private let isEnded = Mutex(false)

    init(_ number: UInt64, _ console: any Console, _ input: LineInput) {
        self.number = number
        self.console = console
        self.input = input
    }

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

    func end(_ console: LentConsole) async {
        await console.end()
        state.withLock { state in
            state.lent.removeValue(forKey: console.number)
            if console.input.hasRest, let identity = Self.identity(of: console.console) {
                state.inputs[identity] = console.input
            }
        }
    }

    /// `nil` for a console that is not an object: it cannot be told from another one.
    private static func identity(of console: any Console) -> ObjectIdentifier? {
        type(of: console) is AnyClass ? ObjectIdentifier(console as AnyObject) : nil
    }

    subscript(number: UInt64) -> LentConsole? { state.withLock { $0.lent[number] } }
}

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

    func leave(_ error: ConsoleError) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.resume(throwing: error) }
    }
}

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
        while let work = state.withLock({ state -> (@Sendable () -> Void)? in
            state.isWorking = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }) { work() }
    }
}

/// The console of a launch, as the feature has it in the worker.
///
/// A text is with the host when `write` returns. If the host's console is its standard output, which the worker has as well,
/// the text goes there by the stream of `print`, line by line. So the order is kept, a slow reader slows the feature
/// down, and nothing is lost with the process.
///
/// Safe from any thread.
final class RemoteConsole: Console {
    let isInteractive: Bool
    private let number: UInt64
    private let host: CallPeer
    /// The standard output; `nil` if the host's console is another one.
    private let output: StandardConsole?

    /// The size of one message. In characters of Unicode.
    private static let pieceSize = 1 << 20

    init(_ request: LaunchRequest, of host: CallPeer) {
        number = request.console
        isInteractive = request.isInteractive
        output = request.printsToOutput ? .standard : nil
        self.host = host
    }

    func write(_ text: String) throws(ConsoleError) {
        if let output { return try output.write(text) }
        var rest = text.unicodeScalars[...]
        repeat {
            _ = try call(.write, String(rest.prefix(Self.pieceSize)))
            rest = rest.dropFirst(Self.pieceSize)
        } while !rest.isEmpty
    }

    func readLine() throws(ConsoleError) -> String? {
        try end()
        do {
            return try call(.readLine).read(String?.self)
        } catch {
            throw Self.consoleError(error)
        }
    }

    func warn(_ text: String) {
        // If messages cannot be written, there is nowhere left to say so.
        try? end()
        _ = try? call(.warn, text)
    }

    func flush() throws(ConsoleError) {
        if let output { try output.flush() } else { _ = try call(.flush) }
    }

    /// Writes what the stream keeps back.
    func end() throws(ConsoleError) { try output?.flush() }

    private func call(
        _ function: HostFunction, _ text: String? = nil
    ) throws(ConsoleError) -> WireReader {
        do {
            let arguments = WireWriter()
            try arguments.write(number)
            if let text { try arguments.write(text) }
            return try host.callAndWait(function.rawValue, arguments)
        } catch {
            throw Self.consoleError(error)
        }
    }

    private static func consoleError(_ error: any Error) -> ConsoleError {
        error as? ConsoleError ?? ConsoleError("\(error)")
    }
}
