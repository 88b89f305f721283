// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSupervisor
package import EavesProcess
package import EavesSystem
import Glibc

/// A program that runs under a supervisor: a process without any of its code, which ends it together with
/// everything that it has started. `supervisor.h` describes how.
package final class SupervisedProcess {
    package struct Means: OptionSet, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let namespace = Means(rawValue: UInt32(eaves_confined_namespace))
        package static let landlock = Means(rawValue: UInt32(eaves_confined_landlock))
        package static let filter = Means(rawValue: UInt32(eaves_confined_filter))

        package static let all: Means = [.namespace, .landlock, .filter]
    }

    package struct Limits: Hashable {
        package var processes = 256
        /// In bytes, of all processes together.
        package var memory = Self.usualMemory
        /// The computing time of each process.
        package var time = Duration.seconds(3600)

        package static let usual = Limits()

        /// 4 GB, or half of the machine's memory if that is less.
        private static let usualMemory: UInt64 = {
            let machine = UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES)))) * UInt64(getpagesize())
            return min(4 << 30, max(512 << 20, machine / 2))
        }()
    }

    package struct Ending: Hashable {
        package var program: ChildEnding
        /// The number of processes that the program had left behind. They have been ended.
        package var leftBehind = 0
        /// The limit that was crossed, so that the supervisor ended the program.
        package var excess: Excess?
    }

    /// A limit on a program and all processes that it starts. The raw values are those of `supervisor.h`.
    package enum Excess: Int, Hashable, Sendable {
        case processes = 1
        case memory = 2
    }

    /// Becomes readable when the supervisor has reported something.
    package let reports: Int32
    /// The means that confine the program; empty before it starts.
    package private(set) var means: Means = []
    /// The identifier by which `/proc` shows the program; `nil` before it starts.
    package private(set) var shownIdentifier: Int?
    /// `nil` as long as something of the program runs.
    package private(set) var ending: Ending?
    package private(set) var startError: Errno?
    /// Whether the supervisor is gone, without having reported the end of the program.
    package private(set) var isLost = false
    private let supervisor: Int32
    private var commands: Int32
    private var toldToEnd: ContinuousClock.Instant?
    private var unread: [UInt8] = []
    private var isForgotten = false

    package var hasEnded: Bool { ending != nil || isLost }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program, by its absolute path.
    ///   - output: The descriptor that becomes its standard output and its standard error.
    ///   - channel: The descriptor that becomes its descriptor 3.
    package init(
        _ command: ChildCommand, output: Int32, channel: Int32, limits: Limits = .usual,
        means: Means = .all
    ) throws(SystemError) {
        let sockets = try LocalSocket.pair(for: .run, command.executable)
        guard let reportPipe = Pipe() else {
            let error = SystemError(.run, command.executable)
            close(sockets.own)
            close(sockets.other)
            throw error
        }
        defer {
            close(sockets.other)
            close(reportPipe.writeEnd)
        }
        supervisor = command.withCLists { executable, arguments, environment in
            var supervision = eaves_supervision(
                executable: executable, arguments: arguments, environment: environment,
                output: output, channel: channel, commands: sockets.other,
                reports: reportPipe.writeEnd, means: means.rawValue,
                processes: UInt32(limits.processes), memory: limits.memory,
                seconds: UInt64(max(1, limits.time.components.seconds)))
            return eaves_supervise(&supervision)
        }
        (commands, reports) = (sockets.own, reportPipe.readEnd)
        // The instance is complete, so that `deinit` closes both.
        guard supervisor > 0 else { throw SystemError(.run, command.executable) }
    }

    deinit {
        // The supervisor sees the end of its input, and ends everything.
        end()
        while !hasEnded, Pipe.isReadable(reports, within: 60_000) { read() }
        killSupervisor()
        takeStatus()
        close(reports)
    }

    /// Sends a signal to the program, if it still runs.
    package func signal(_ number: Int32) {
        LocalSocket.sendAtOnce([UInt8(truncatingIfNeeded: number)], to: commands)
    }

    /// Ends the program and everything that it has started. ``ending`` follows.
    package func end() {
        guard commands >= 0 else {
            if let toldToEnd, toldToEnd.duration(to: .now) > Self.patience { killSupervisor() }
            return
        }
        close(commands)
        commands = -1
        toldToEnd = .now
    }

    /// The time for the supervisor to end everything; longer than it tries.
    private static let patience = Duration.seconds(60)

    /// Ends a supervisor that does not answer: where nothing could confine the program, that one may have
    /// stopped it.
    private func killSupervisor() {
        if !hasEnded, supervisor > 0 { kill(supervisor, SIGKILL) }
    }

    /// Lets the system forget the supervisor, which ends as soon as it has nothing more to report. A process
    /// whose status stays would keep those busy that wait for any child of ours.
    private func takeStatus() {
        guard supervisor > 0, !isForgotten else { return }
        isForgotten = true
        while waitpid(supervisor, nil, 0) < 0, errno == EINTR {}
    }

    /// Reads what the supervisor has reported. Blocks until there is something.
    package func read() {
        guard let piece = Pipe.read(reports, count: 1024) else { return }
        if piece.isEmpty, ending == nil {
            isLost = true
            // Without a namespace, the program has the same identifier here, and leads its group.
            if !means.contains(.namespace), let shownIdentifier {
                kill(-Int32(shownIdentifier), SIGKILL)
            }
        }
        unread += piece
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            take(String(decoding: unread[..<end], as: UTF8.self))
            unread.removeSubrange(...end)
        }
        if hasEnded { takeStatus() }
    }

    private func take(_ line: String) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, numbers.count) {
        case ("confined", 2):
            means = Means(rawValue: UInt32(numbers[0]))
            shownIdentifier = numbers[1]
        case ("failed", 1):
            startError = Errno(rawValue: Int32(numbers[0]))
        case ("ended", 3):
            ending = Ending(
                program: ChildEnding(status: Int32(numbers[0])), leftBehind: numbers[1],
                excess: Excess(rawValue: numbers[2]))
        default:
            break
        }
    }
}
