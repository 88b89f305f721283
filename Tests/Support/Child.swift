// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesProcess
import EavesSystem
package import Foundation
import Glibc
import Synchronization

/// A child process of a test, which is ended when it takes too long.
///
/// It replaces Foundation's `Process`, whose `run()` reads beyond a buffer now and then on Linux, so that the
/// tests crash (swift-corelibs-foundation, pull request 5472).
package final class Child: Sendable {
    /// The file or descriptor that the child gets as one of its descriptors.
    package enum Stream: Sendable {
        case reading(String)
        /// A file that is created, or emptied.
        case writing(String)
        case descriptor(Int32)

        fileprivate func opened() throws -> Int32 {
            let opened =
                switch self {
                case .reading(let path): open(path, O_RDONLY | O_CLOEXEC)
                case .writing(let path):
                    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
                case .descriptor(let descriptor): fcntl(descriptor, F_DUPFD_CLOEXEC, 64)
                }
            guard opened >= 0 else { throw SystemError(.open, "\(self)") }
            return opened
        }
    }

    package let identifier: Int32
    private let name: String
    private let isOverdue = Atomic(false)
    private let ending = Ending()

    /// The status of the child, which a thread takes as soon as the child has ended: the monitor of exit tests
    /// would look at a child without end if its status stayed untaken, and would miss all others.
    private final class Ending: Sendable {
        private let status = Mutex<Int32?>(nil)
        private let isKnown = DispatchSemaphore(value: 0)

        func take(of child: Int32) {
            // The child stays, and keeps its number, until its status is taken under the lock.
            var information = siginfo_t()
            while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            status.withLock { status in
                var found: Int32 = 0
                while waitpid(child, &found, 0) < 0, errno == EINTR {}
                status = found
            }
            isKnown.signal()
        }

        func wait() -> Int32 {
            isKnown.wait()
            isKnown.signal()
            return status.withLock { $0 ?? 0 }
        }

        /// Sends a signal to a process or a group, unless the child is gone, and its number perhaps another's.
        func signal(_ number: Int32, to target: Int32) {
            status.withLock { if $0 == nil { kill(target, number) } }
        }
    }

    /// - Parameters:
    ///   - environment: Variables that are added to the test's own.
    ///   - streams: The child's three standard descriptors.
    package init(
        _ program: URL, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
        _ streams: [Stream]
    ) throws {
        name = ([program.lastPathComponent] + arguments).joined(separator: " ")
        var command = ChildCommand(program.path, arguments)
        command.folder = folder.path
        // The colours that the caller of the tests likes to see are not what they are about.
        command.environment["CLICOLOR_FORCE"] = nil
        for (variable, value) in environment { command.environment[variable] = value }
        let opened = try streams.map { try $0.opened() }
        defer { for descriptor in opened { close(descriptor) } }
        identifier = try command.spawn(opened.map { .descriptor($0) })
        Thread.detachNewThread { [identifier, ending] in ending.take(of: identifier) }
    }

    /// Kills a child that is still running.
    deinit { end() }

    /// Waits for the child's end, and kills all of its group if that takes too long.
    ///
    /// - Returns: The exit code, or the signal that ended the child.
    package func wait() throws -> (code: Int32, signal: Int32?) {
        let status = guarded(ending.wait)
        if isOverdue.load(ordering: .relaxed) {
            throw FixtureError("'\(name)' did not end within \(Patience.seconds) seconds")
        }
        switch ChildEnding(status: status) {
        case .exited(let code): return (code, nil)
        case .signalled(let signal): return (signal, signal)
        case .unknown: throw FixtureError("the end of '\(name)' is unknown")
        }
    }

    /// Runs `body`, and kills all of the child's group if that takes too long.
    package func guarded<Result>(_ body: () throws -> Result) rethrows -> Result {
        // The queue keeps what was cancelled until its time comes, and must not keep the child.
        let guardian = DispatchWorkItem { [weak self] in
            self?.isOverdue.store(true, ordering: .relaxed)
            self?.end()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Patience.seconds, execute: guardian)
        defer { guardian.cancel() }
        return try body()
    }

    /// Makes a pipe whose ends no other child inherits.
    package static func pipe() throws -> (readEnd: FileHandle, writeEnd: FileHandle) {
        guard let pipe = EavesSystem.Pipe() else { throw FixtureError("cannot make a pipe") }
        return (
            FileHandle(fileDescriptor: pipe.readEnd, closeOnDealloc: true),
            FileHandle(fileDescriptor: pipe.writeEnd, closeOnDealloc: true)
        )
    }

    /// Reads the child's output until it has what is awaited. Ends the child if that takes too long.
    ///
    /// - Parameters:
    ///   - output: The reading end of the pipe that the child writes to.
    ///   - aim: The thing that is awaited, for the fault, such as `an address`.
    ///   - isReached: Whether the output so far has it.
    ///   - more: Further words for the fault, such as the child's messages.
    /// - Returns: The output so far.
    /// - Throws: ``FixtureError`` if the output ends before.
    package func read(
        _ output: FileHandle, until aim: String, _ isReached: (String) -> Bool,
        more: () -> String = { "" }
    ) throws -> String {
        try guarded {
            var bytes = Data()
            while true {
                let text = String(decoding: bytes, as: UTF8.self)
                if isReached(text) { return text }
                let next = output.availableData
                guard !next.isEmpty else {
                    throw FixtureError("'\(name)' ended without \(aim): \(text)\(more())")
                }
                bytes += next
            }
        }
    }

    /// Sends a signal to the child.
    package func signal(_ number: Int32) {
        ending.signal(number, to: identifier)
    }

    /// Kills all processes of the child's group, unless the child itself has ended.
    package func end() {
        ending.signal(SIGKILL, to: -identifier)
    }
}

extension ChildProcess {
    /// Waits until the child has ended; returns `nil` if it still runs at `deadline`.
    ///
    /// Looks every millisecond: no system call waits for a child with a time limit.
    package func wait(until deadline: ContinuousClock.Instant) -> ChildEnding? {
        while true {
            if let ending = poll(waits: false) { return ending }
            if ContinuousClock.now > deadline { return nil }
            usleep(1000)
        }
    }
}
