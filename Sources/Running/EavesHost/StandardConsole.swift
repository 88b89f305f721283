// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesDiagnostics
package import EavesInterface
package import EavesSystem
import Glibc
import Synchronization

/// A console that may write where `print` does.
package protocol PrintingConsole: Console {
    /// Whether its output is the standard output of the process.
    var isStandardOutput: Bool { get }
}

/// Standard input and output.
///
/// Output goes by the stream of `print` and `puts`: it comes in the order in which a feature prints, whatever it prints with,
/// and `exit` writes it. After the first few texts, the stream keeps text back until it is full, a line ends on a terminal, a caller reads input, or
/// calls ``flush()``; ``Host/launch(_:_:choosingBy:console:)`` does so when the feature ends. If nothing is written for
/// a fiftieth of a second, or for a fifth of a second at most, it is written as well, so that the reader of a pipe sees
/// the lines of a feature that goes on for long. The handlers of crashes write it, too.
///
/// Safe from any thread.
package final class StandardConsole: PrintingConsole {
    package static let standard = StandardConsole()

    private struct Input {
        var bytes: [UInt8] = []
        var isAtEnd = false
    }

    // SAFETY: a stream of C has a lock of its own, and is never closed.
    private struct Output: @unchecked Sendable {
        var stream = eaves_printed()
        /// How many texts were written so far.
        var writes = 0
        /// Whether a thread looks after the output that no call flushes.
        var isLookedAfter = false
        /// The error of that thread; the next call throws it.
        var failure: ConsoleError?

        mutating func throwFailure() throws(ConsoleError) {
            if let failure = failure.take() { throw failure }
        }

        /// - Returns: Whether the stream has taken the bytes.
        mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            writes += 1
            clearerr(stream)
            // Bytes count as written that a line-buffered stream could not flush.
            return fwrite(bytes.baseAddress, 1, bytes.count, stream) == bytes.count
                && ferror(stream) == 0
        }

        mutating func flush() throws(ConsoleError) {
            try throwFailure()
            try check(fflush(stream) == 0)
        }

        /// Drops the output after an error, which is told once.
        func check(_ isWritten: Bool) throws(ConsoleError) {
            guard !isWritten else { return }
            let error = ConsoleError.writing(.current)
            eaves_drop_kept(stream)
            throw error
        }
    }

    private let input = Mutex(Input())
    private let output = Mutex(Output())

    package init() {}

    /// Whether a person can answer: standard input and standard output are a terminal.
    package var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Whether the processes of isolated modules can write there as well. A terminal takes them for programs in the
    /// background.
    package var isStandardOutput: Bool {
        fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY && isatty(STDOUT_FILENO) == 0
            && output.withLock { $0.stream == eaves_printed() }
    }

    /// From now on, only this console writes to standard output: what other code prints there goes to standard error.
    package func claimOutput() throws(ConsoleError) {
        try output.withLock { output throws(ConsoleError) in
            try output.flush()
            let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, Self.claimedPlace)
            guard own >= 0, let stream = fdopen(own, "w"), dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
            else { throw ConsoleError("cannot duplicate standard output: \(Errno.current)") }
            output.stream = stream
        }
    }

    /// A high number, so that code which closes or writes to a descriptor that it did not open does not meet this one.
    private static let claimedPlace: Int32 = 500

    /// Whether a whole line of input has been read that no caller has asked for yet.
    package var hasLine: Bool {
        input.withLock { $0.isAtEnd || $0.bytes.contains(UInt8(ascii: "\n")) }
    }

    /// Flushes the output, and waits for a line of input.
    ///
    /// - Returns: The line without its ending, or `nil` at the end of the input. It keeps bytes that are not UTF-8, which
    ///   ``write(_:)`` writes as they were.
    package func readLine() throws(ConsoleError) -> String? {
        try flush()
        return try input.withLock { input throws(ConsoleError) in
            var searched = 0
            while true {
                let newline = input.bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
                if let newline {
                    defer { input.bytes.removeSubrange(...newline) }
                    return String(keeping: Array(input.bytes[..<newline]))
                }
                searched = input.bytes.count
                if input.isAtEnd {
                    defer { input.bytes = [] }
                    return searched == 0 ? nil : String(keeping: input.bytes)
                }
                try Self.read(into: &input)
            }
        }
    }

    package func write(_ text: String) throws(ConsoleError) {
        var text = text
        try output.withLock { output throws(ConsoleError) in
            try output.throwFailure()
            let isWritten =
                text.keepsBytes
                ? text.keptBytes.withUnsafeBufferPointer { output.put($0) }
                : text.withUTF8 { output.put($0) }
            try output.check(isWritten)
            guard !output.isLookedAfter, eaves_keeps_back(output.stream) != 0 else { return }
            // Most features write little. That costs less than a further thread.
            if output.writes <= Self.writtenAtOnce { return try output.flush() }
            // Without a further thread, the output is written at the end.
            output.isLookedAfter = (try? DetachedThread.start { [self] in lookAfter() }) != nil
        }
    }

    /// The number of texts that are written when they come.
    private static let writtenAtOnce = 8

    /// Writes the output when no more has come for a moment, and ends then.
    private func lookAfter() {
        var (seen, rounds, isOver) = (0, 0, false)
        while !isOver {
            poll(nil, 0, 20)
            rounds += 1
            isOver = output.withLock { output in
                guard output.writes == seen || rounds >= 10 else {
                    seen = output.writes
                    return false
                }
                do throws(ConsoleError) {
                    try output.flush()
                } catch {
                    output.failure = error
                }
                output.isLookedAfter = false
                return true
            }
        }
    }

    /// Writes bytes of UTF-8 text at once.
    package func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConsoleError) {
        try output.withLock { output throws(ConsoleError) in
            try output.throwFailure()
            try output.check(output.put(bytes))
            try output.flush()
        }
    }

    package func warn(_ text: String) {
        // If messages cannot be written, there is nowhere left to say so.
        _ = Array((text + "\n").utf8).withUnsafeBufferPointer {
            OpenFile.write($0, to: STDERR_FILENO)
        }
    }

    package func flush() throws(ConsoleError) {
        try output.withLock { output throws(ConsoleError) in try output.flush() }
    }

    private static func read(into input: inout Input) throws(ConsoleError) {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
        if count > 0 {
            input.bytes += chunk[..<count]
        } else if count == 0 {
            input.isAtEnd = true
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
