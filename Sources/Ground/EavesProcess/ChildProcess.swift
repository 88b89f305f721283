// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
import EavesInterface
package import EavesSystem
import Glibc

/// A child process. When its owner lets it go while it runs, it is killed.
///
/// Ending the child also ends the processes that it has started, because it leads a process group,
/// unless its command says otherwise; one that has a guardian ends even with those that left the group, and when this process
/// is gone. Not Sendable: one thread owns it and waits for it.
package final class ChildProcess {
    /// The child's process identifier: that of its guardian if it has one.
    package let identifier: Int32
    package let started = ContinuousClock.now
    /// The ending of the child; `nil` as long as no call has seen it end.
    package private(set) var ending: ChildEnding?
    private let leadsGroup: Bool
    private let guardian: (any ChildGuardian)?

    /// Starts a program, as ``ChildCommand/spawn(_:)`` describes.
    package init(_ command: ChildCommand, _ streams: [ChildCommand.Stream]) throws(SystemError) {
        leadsGroup = !command.mayAsk
        guardian = nil
        identifier = try command.spawn(streams)
    }

    package init(guardedBy guardian: any ChildGuardian) {
        leadsGroup = true
        identifier = guardian.identifier
        self.guardian = guardian
    }

    deinit {
        if ending == nil {
            signal(SIGKILL)
            wait()
        }
    }

    /// Sends a signal to the child and to all that it has started, if the child still runs. To one that has a guardian,
    /// `SIGKILL` and requests to end can be sent, which arrive as `SIGTERM`.
    package func signal(_ number: Int32) {
        guard ending == nil else { return }
        if number == SIGKILL, let guardian {
            guardian.endLifeline()
        } else {
            kill(leadsGroup ? -identifier : identifier, number)
        }
    }

    /// Looks whether the child has ended; returns `nil` while it runs.
    ///
    /// - Parameter waits: Whether to block until the child has ended, or until this process gets a signal.
    @discardableResult
    package func poll(waits: Bool) -> ChildEnding? {
        if let ending { return ending }
        var status: Int32 = 0
        let result = waitpid(identifier, &status, waits ? 0 : WNOHANG)
        if result == identifier {
            ending = guardian?.ending ?? ChildEnding(status: status)
        } else if result < 0, errno == ECHILD {
            // Other code of this process has taken the status, unless a guardian has noted it.
            ending = guardian?.ending ?? .unknown
        }
        return ending
    }

    @discardableResult
    package func wait() -> ChildEnding {
        while true {
            if let ending = poll(waits: true) { return ending }
        }
    }
}

/// The guardian of a program: a child process that ends the program with all that it has started.
package protocol ChildGuardian: AnyObject {
    /// The guardian's process identifier. It ends after the program.
    var identifier: Int32 { get }
    /// The ending of the program, once the guardian has ended.
    var ending: ChildEnding { get }
    /// Lets the guardian kill the program and all that it has started.
    func endLifeline()
}

extension ChildProcess {
    /// The largest output that ``run(_:)`` keeps. In bytes.
    private static let outputLimit = 1 << 20

    /// Runs a program to its end, for a moment and without a guardian.
    ///
    /// - Returns: Its ending, and the beginning of what it has printed.
    package static func run(
        _ command: ChildCommand
    ) throws(SystemError) -> (ending: ChildEnding, output: [UInt8]) {
        guard let pipe = Pipe() else { throw SystemError(.run, command.executable) }
        defer { close(pipe.readEnd) }
        let input = command.input.map { ChildCommand.Stream.descriptor($0) } ?? .empty
        let printed = ChildCommand.Stream.descriptor(pipe.writeEnd)
        let started = Result { () throws(SystemError) in
            try ChildProcess(command, [input, printed, printed])
        }
        close(pipe.writeEnd)
        let child = try started.get()
        var output: [UInt8] = []
        while true {
            // A process that the child has left behind may hold the pipe.
            guard Pipe.isReadable(pipe.readEnd, within: 250) else {
                if let ending = child.poll(waits: false) { return (ending, output) }
                continue
            }
            guard let piece = Pipe.read(pipe.readEnd, count: 1 << 16) else { continue }
            if piece.isEmpty { return (child.wait(), output) }
            output += piece.prefix(outputLimit - output.count)
        }
    }
}

package enum ChildEnding: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// The child has ended, and other code of this process has taken its status, or has let the system drop it.
    case unknown

    /// Whether the child exited with 0, which says that it succeeded.
    package var isSuccess: Bool { self == .exited(0) }

    /// Decodes the status that `waitpid` gives of a child that ended.
    package init(status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}

extension ChildEnding: CustomStringConvertible {
    /// Such as `exit code 1` or `signal 11 (Segmentation fault)`.
    package var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal) (\(String(cString: strsignal(signal))))"
        case .unknown: "an end that other code of this process has taken note of"
        }
    }
}

package enum SignalName {
    /// Such as `SIGILL`; `signal 42` for a signal that has no name of its own. Calls to other processes use the same names.
    package static func of(_ number: Int32) -> String { RemoteCallError.name(ofSignal: number) }
}

/// A program to run as a child process. No shell interprets any part of it.
package struct ChildCommand: Hashable, Sendable {
    /// A path, or a name that is looked up in this process's `PATH`.
    package var executable: String
    /// The arguments, without the program's own name.
    package var arguments: [String]
    /// The child's whole environment: it inherits nothing else.
    package var environment: Environment
    /// The folder that the child starts in; `nil` for this process's own.
    package var folder: String?
    /// An open descriptor that becomes the child's standard input in a ``ChildPool``; `nil` for an empty one. It has to
    /// stay open until the child has started, and the child reads on from the descriptor's current offset.
    package var input: Int32?
    /// An open descriptor that becomes the child's descriptor 3 in a ``ChildPool``: a lock on it lasts
    /// as long as the child.
    package var inherited: Int32?
    /// Whether the child may ask the person at the terminal, for a passphrase. It then stays in our
    /// process group, and the processes that it has started are not ended with it.
    package var mayAsk = false

    package init(
        _ executable: String, _ arguments: [String] = [], environment: Environment = .current
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }
}

extension ChildCommand {
    package enum Stream: Hashable, Sendable {
        case empty
        case descriptor(Int32)
    }

    /// Starts the program and returns its process identifier.
    ///
    /// The child leads a process group of its own, unless it ``mayAsk``. No signal is blocked or
    /// handled in it. It inherits the standard descriptors and `streams`, and no others: a module of
    /// this process may have opened some without `O_CLOEXEC`.
    ///
    /// - Parameter streams: The child's descriptors, from 0 on. Those of this process that they
    ///   name have to be numbered at least as high as the ones that the child gets.
    package func spawn(_ streams: [Stream]) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in zip(Int32(0)..., streams) {
            switch stream {
            case .empty:
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDONLY, 0)
            case .descriptor(let descriptor):
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        let firstClosed = max(Int32(streams.count), STDERR_FILENO + 1)
        posix_spawn_file_actions_addclosefrom_np(&actions, firstClosed)
        if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = mayAsk ? 0 : POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

        var identifier: pid_t = 0
        let code = withCLists { executable, arguments, environment in
            posix_spawnp(&identifier, executable, &actions, &attributes, arguments, environment)
        }
        guard code == 0 else { throw SystemError(.run, executable, Errno(rawValue: code)) }
        return identifier
    }

    /// Calls `body` with the program, its arguments and its environment as C strings, and as lists that end with a null
    /// pointer. All are valid during the call.
    package func withCLists<Result>(
        _ body: (
            UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        ) -> Result
    ) -> Result {
        executable.withCString { executable in
            ([self.executable] + arguments).withCList { arguments in
                environment.entries.withCList { body(executable, arguments, $0) }
            }
        }
    }
}
