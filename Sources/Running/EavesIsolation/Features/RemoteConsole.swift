// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem
import Synchronization

/// The console of a launch, as the feature has it in the worker.
///
/// One text at a time is under way to the host; what is written meanwhile goes together with the next one. So the order is
/// kept, and a feature gets no further ahead of a slow reader than ``mostKept``.
///
/// Safe from any thread.
final class RemoteConsole: Console {
    let isInteractive: Bool
    private let number: UInt64
    private let host: CallPeer
    private let state = Mutex(State())

    private struct State {
        var kept = ""
        var isUnderWay = false
        /// The error of a text that was under way; the next call throws it.
        var failure: (any Error)?
        /// Are called when nothing is under way or kept any more.
        var waiting: [@Sendable () -> Void] = []

        /// The next piece to send.
        mutating func take() -> String? {
            guard !kept.isEmpty else { return nil }
            var end = kept.endIndex
            if kept.utf8.count > RemoteConsole.pieceSize {
                let limit = kept.utf8.index(kept.startIndex, offsetBy: RemoteConsole.pieceSize)
                end = kept.unicodeScalars.index(before: kept.unicodeScalars.index(after: limit))
            }
            defer { kept.removeSubrange(..<end) }
            return String(kept[..<end])
        }
    }

    /// The size of one message. In bytes.
    private static let pieceSize = 1 << 20

    /// The largest amount that is kept while a text is under way. In bytes.
    private static let mostKept = 64 << 10

    init(_ number: UInt64, isInteractive: Bool, of host: CallPeer) {
        self.number = number
        self.isInteractive = isInteractive
        self.host = host
    }

    func write(_ text: String) throws(ConsoleError) {
        try throwFailure()
        let (piece, isFull) = state.withLock { state in
            state.kept += text
            let isFull = state.kept.utf8.count > Self.mostKept
            guard !state.isUnderWay, let piece = state.take() else {
                return (nil as String?, isFull)
            }
            state.isUnderWay = true
            return (piece, false)
        }
        if let piece { send(piece) }
        if isFull { try awaitWriting() }
    }

    func readLine() throws(ConsoleError) -> String? {
        try awaitWriting()
        do {
            return try call(.readLine).read(String?.self)
        } catch {
            throw Self.consoleError(error)
        }
    }

    func warn(_ text: String) {
        // If messages cannot be written, there is nowhere left to say so.
        try? awaitWriting()
        _ = try? call(.warn, text)
    }

    func flush() throws(ConsoleError) {
        try awaitWriting()
        do {
            _ = try call(.flush)
        } catch {
            throw Self.consoleError(error)
        }
    }

    /// Waits until the host has all that was written, without blocking the thread.
    func end() async throws {
        await withCheckedContinuation { continuation in
            whenWritten { continuation.resume() }
        }
        try throwFailure()
    }

    // MARK: Writing

    private func send(_ text: String) {
        do {
            host.callOther(
                HostFunction.write.rawValue, try arguments(text), within: nil
            ) { [self] answer in hasSent(answer.map { _ in }) }
        } catch {
            hasSent(.failure(error))
        }
    }

    private func hasSent(_ result: Result<Void, any Error>) {
        let (next, waiting) = state.withLock { state in
            if case .failure(let error) = result, state.failure == nil { state.failure = error }
            if let next = state.take() {
                return (next as String?, [] as [@Sendable () -> Void])
            }
            state.isUnderWay = false
            defer { state.waiting = [] }
            return (nil, state.waiting)
        }
        if let next { send(next) }
        for wake in waiting { wake() }
    }

    private func whenWritten(_ wake: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.isUnderWay { state.waiting.append(wake) }
            return !state.isUnderWay
        }
        if isIdle { wake() }
    }

    /// Blocks the thread until the host has all that was written.
    private func awaitWriting() throws(ConsoleError) {
        let written = Awaited<Bool>()
        whenWritten { written.set(true) }
        _ = written.wait()
        try throwFailure()
    }

    private func throwFailure() throws(ConsoleError) {
        if let failure = state.withLock({ $0.failure.take() }) { throw Self.consoleError(failure) }
    }

    // MARK: Calling

    private func call(_ function: HostFunction, _ text: String? = nil) throws -> WireReader {
        try host.callAndWait(function.rawValue, try arguments(text))
    }

    private func arguments(_ text: String?) throws -> WireWriter {
        let arguments = WireWriter()
        try arguments.write(number)
        if let text { try arguments.write(text) }
        return arguments
    }

    private static func consoleError(_ error: any Error) -> ConsoleError {
        error as? ConsoleError ?? ConsoleError("\(error)")
    }
}
