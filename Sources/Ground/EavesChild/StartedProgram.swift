// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesProcess
package import EavesSystem
import Glibc

// SAFETY: one thread at a time uses its child, its reports and its channel; others use its handle, which is constant.
/// A program that runs modules for this process, in the role of a worker or a judge: this program, started again. Its
/// descriptor 3 is a channel to this process, and what its crash handlers write comes over its descriptor 4.
///
/// One thread waits for its end.
package final class StartedProgram: @unchecked Sendable {
    private let child: ChildProcess
    private let program: GuardedProgram
    /// The read end of the pipe that crashes are reported on; -1 once it has ended.
    package private(set) var reports: Int32
    /// The descriptor of the process, which stays its own when its number is another one's; -1 if the system makes none.
    package let handle: Int32
    private var channel: Int32

    /// - Parameters:
    ///   - command: The program. ``command(_:_:)`` makes the usual one.
    ///   - outputs: The descriptors that become its standard output and its standard error.
    package init(
        _ command: ChildCommand, as role: GuardedProgram.Role, printingTo outputs: [Int32]
    ) throws(SystemError) {
        let sockets = try LocalSocket.pair(for: .open, "a channel")
        guard let pipe = Pipe() else {
            let error = SystemError(.open, "a pipe")
            close(sockets.own)
            close(sockets.other)
            throw error
        }
        defer {
            close(sockets.other)
            close(pipe.writeEnd)
        }
        do throws(SystemError) {
            let streams = outputs + [sockets.other, pipe.writeEnd]
            program = try GuardedProgram(
                command, [.empty] + streams.map { .descriptor($0) }, as: role)
        } catch {
            close(sockets.own)
            close(pipe.readEnd)
            throw error
        }
        reports = pipe.readEnd
        child = ChildProcess(guardedBy: program)
        handle = program.openHandle()
        channel = sockets.own
    }

    deinit {
        closeReports()
        if handle >= 0 { close(handle) }
        if channel >= 0 { close(channel) }
    }

    /// This program in a role, with the few variables that it may have.
    package static func command(_ role: String, _ environment: Environment) -> ChildCommand {
        ChildCommand("/proc/self/exe", [role], environment: environment)
    }

    /// The number of the process, by which `/proc` shows it. It leads the process group of all that it starts.
    package var process: Int32 { program.process }

    /// A descriptor that can be read when all has ended that the program has started.
    package var lifeline: Int32 { program.lifeline }

    /// Hands the channel to the caller, who closes it.
    package func takeChannel() -> Int32 {
        defer { channel = -1 }
        return channel
    }

    /// Sends a signal to the program, if it still runs.
    package func signal(_ number: Int32) { program.signal(number) }

    /// Lets the program and all that it has started end at once.
    package func kill() { child.signal(SIGKILL) }

    /// Waits for the end of the process.
    ///
    /// - Parameter patience: The time that it has to end by itself, and then to be ended. Without it, it is ended.
    package func ended(within patience: Duration = .zero) -> ChildOutcome {
        _ = Pipe.isReadable(lifeline, within: PollTime.milliseconds(until: .now + patience))
        kill()
        child.wait()
        let outcome = program.outcome
        // It leads its group, and has another number in a namespace, which ends with the guardian.
        if outcome.isGuardianLost, !program.means.contains(.namespace) {
            Glibc.kill(-process, SIGKILL)
        }
        return outcome
    }

    /// Reads what its crash handlers have written. Blocks until there is something.
    package func readReport() -> [UInt8] {
        guard let piece = Pipe.read(reports, count: 16 << 10) else { return [] }
        if piece.isEmpty { closeReports() }
        return piece
    }

    private func closeReports() {
        if reports >= 0 { close(reports) }
        reports = -1
    }
}
