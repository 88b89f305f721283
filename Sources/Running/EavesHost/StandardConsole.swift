// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
package import EavesSystem
import Glibc
import Synchronization

/// Standard input and output.
///
/// Output stays in a buffer until the buffer is full, a line ends on a terminal, a caller reads input, or
/// calls ``flush()``; ``Host/launch(_:_:choosingBy:console:)`` does so when the feature ends. If nothing is written for
/// a fiftieth of a second, or for a fifth of a second at most, it is written as well, so that the reader of a pipe sees
/// the lines of a feature that goes on for long.
///
/// Safe from any thread.
package final class StandardConsole: Console {
    package static let standard = StandardConsole()

    private struct Buffers {
        var input: [UInt8] = []
        var isAtEnd = false
        var output: [UInt8] = []
        /// How many texts were written so far.
        var writes = 0
        /// Whether a thread looks after the output that no call flushes.
        var isLookedAfter = false
        /// The error of that thread; the next call throws it.
        var failure: ConsoleError?

        mutating func throwFailure() throws(ConsoleError) {
            guard let failure else { return }
            self.failure = nil
            throw failure
        }
        /// The descriptor that output is written to.
        var destination = STDOUT_FILENO
    }

    private let buffers = Mutex(Buffers())
    private let showsLines = isatty(STDOUT_FILENO) == 1

    package init() {}

    /// Whether a person can answer: standard input and standard output are a terminal.
    package var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && showsLines }

    /// From now on, only this console writes to standard output: what other code prints there goes to
    /// standard error.
    package func claimOutput() throws(ConsoleError) {
        try buffers.withLock { buffers throws(ConsoleError) in
            try Self.flush(&buffers)
            fflush(nil)
            let own = fcntl(buffers.destination, F_DUPFD_CLOEXEC, Self.claimedPlace)
            guard own >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
                throw ConsoleError("cannot duplicate standard output: \(Errno.current)")
            }
            buffers.destination = own
        }
    }

    /// A high number, so that code which closes or writes to a descriptor that it did not open does not meet
    /// this one.
    private static let claimedPlace: Int32 = 500

    /// Whether a whole line of input has been read that no caller has asked for yet.
    package var hasLine: Bool {
        buffers.withLock { $0.isAtEnd || $0.input.contains(UInt8(ascii: "\n")) }
    }

    /// Flushes the output, and waits for a line of input.
    ///
    /// - Returns: The line without its ending, or `nil` at the end of the input.
    /// - Throws: `ConsoleError` if reading or writing fails.
    package func readLine() throws(ConsoleError) -> String? {
        try flush()
        return try buffers.withLock { buffers throws(ConsoleError) in
            var searched = 0
            while true {
                let newline = buffers.input[searched...].firstIndex(of: UInt8(ascii: "\n"))
                if let newline {
                    defer { buffers.input.removeSubrange(...newline) }
                    return String(decoding: buffers.input[..<newline], as: UTF8.self)
                }
                searched = buffers.input.count
                if buffers.isAtEnd {
                    defer { buffers.input = [] }
                    return searched == 0 ? nil : String(decoding: buffers.input, as: UTF8.self)
                }
                try Self.read(into: &buffers)
            }
        }
    }

    /// Writes a text as it is.
    ///
    /// - Throws: `ConsoleError` if the text cannot be written completely.
    package func write(_ text: String) throws(ConsoleError) {
        try buffers.withLock { buffers throws(ConsoleError) in
            try buffers.throwFailure()
            buffers.output += text.utf8
            buffers.writes += 1
            if buffers.output.count >= 16_384 || (showsLines && text.contains("\n")) {
                try Self.flush(&buffers)
            } else if !buffers.isLookedAfter, !buffers.output.isEmpty {
                // Without a further thread, the output is written at the end.
                buffers.isLookedAfter = (try? DetachedThread.start { [self] in lookAfter() }) != nil
            }
        }
    }

    /// Writes the output when no more has come for a moment, and ends then.
    private func lookAfter() {
        var (seen, rounds, isOver) = (0, 0, false)
        while !isOver {
            poll(nil, 0, 20)
            rounds += 1
            isOver = buffers.withLock { buffers in
                guard buffers.writes == seen || rounds >= 10 else {
                    seen = buffers.writes
                    return false
                }
                do throws(ConsoleError) {
                    try Self.flush(&buffers)
                } catch {
                    buffers.failure = error
                }
                buffers.isLookedAfter = false
                return true
            }
        }
    }

    /// Writes bytes of UTF-8 text at once.
    package func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConsoleError) {
        try buffers.withLock { buffers throws(ConsoleError) in
            try Self.flush(&buffers)
            guard OpenFile.write(bytes, to: buffers.destination) else {
                throw ConsoleError.writing(.current)
            }
        }
    }

    package func warn(_ text: String) {
        // If messages cannot be written, there is nowhere left to say so.
        _ = Array((text + "\n").utf8).withUnsafeBufferPointer {
            OpenFile.write($0, to: STDERR_FILENO)
        }
    }

    /// Writes what was kept back.
    ///
    /// - Throws: `ConsoleError` if the text cannot be written completely.
    package func flush() throws(ConsoleError) {
        try buffers.withLock { buffers throws(ConsoleError) in try Self.flush(&buffers) }
    }

    private static func flush(_ buffers: inout Buffers) throws(ConsoleError) {
        try buffers.throwFailure()
        guard !buffers.output.isEmpty else { return }
        let destination = buffers.destination
        let isWritten = buffers.output.withUnsafeBufferPointer {
            OpenFile.write($0, to: destination)
        }
        buffers.output.removeAll(keepingCapacity: true)
        guard isWritten else {
            throw ConsoleError.writing(.current)
        }
    }

    private static func read(into buffers: inout Buffers) throws(ConsoleError) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
        if count > 0 {
            buffers.input += chunk[..<count]
        } else if count == 0 {
            buffers.isAtEnd = true
        } else if errno != EINTR {
            throw ConsoleError("cannot read standard input: \(Errno.current)")
        }
    }
}

extension ConsoleError {
    package static func writing(_ errno: Errno) -> ConsoleError {
        ConsoleError("cannot write standard output: \(errno)")
    }
}
