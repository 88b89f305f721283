// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A child process whose standard output and error come through one pipe.
///
/// It leads a process group of its own, so that ending it ends whatever it has started, unless its
/// command says otherwise; its standard input is what the command says, or empty; it gets no other
/// descriptor and no signal setting of ours. One that is let go while it runs is killed. Not
/// Sendable: one thread owns it, reads it and waits for it.
final class ChildProcess {
    let identifier: pid_t
    let started = ContinuousClock.now
    /// The end of the pipe to read from.
    let outputDescriptor: Int32
    private(set) var ending: ChildEnding?
    private let leadsGroup: Bool

    /// Held from making a pipe to having its child: no other child of ours inherits the pipe.
    private static let spawning = Mutex(())

    init(_ command: ChildCommand) throws(SystemError) {
        leadsGroup = !command.mayAsk
        let made = Self.spawning.withLock { _ in
            Result<(pid_t, Int32), SystemError> { () throws(SystemError) in
                guard let pipe = Pipe() else { throw SystemError(.run, command.executable) }
                defer { close(pipe.writeEnd) }
                do throws(SystemError) {
                    return (try Self.spawn(command, output: pipe.writeEnd), pipe.readEnd)
                } catch {
                    close(pipe.readEnd)
                    throw error
                }
            }
        }
        (identifier, outputDescriptor) = try made.get()
    }

    deinit {
        close(outputDescriptor)
        if ending == nil {
            signal(SIGKILL)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        }
    }

    /// Sends a signal to it and all that it has started.
    func signal(_ number: Int32) {
        guard ending == nil else { return }
        kill(leadsGroup ? -identifier : identifier, number)
    }

    /// How it ended, or `nil` while it runs.
    ///
    /// - Parameter waits: Blocks until it has ended, or until a signal of ours comes in.
    func poll(waits: Bool) -> ChildEnding? {
        if let ending { return ending }
        var status: Int32 = 0
        let result = waitpid(identifier, &status, waits ? 0 : WNOHANG)
        if result == identifier {
            ending = ChildEnding(status: status)
        } else if result < 0, errno == ECHILD {
            // Somebody else has taken the status away: it has ended, and none can say how.
            ending = .exited(-1)
        }
        return ending
    }

    private static func spawn(_ command: ChildCommand, output: Int32) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input = command.input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = command.mayAsk ? 0 : POSIX_SPAWN_SETPGROUP
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var identifier: pid_t = 0
        let failure = CStrings.with([command.executable] + command.arguments) { arguments in
            CStrings.with(command.environment.entries) { environment in
                posix_spawnp(
                    &identifier, command.executable, &actions, &attributes, arguments, environment)
            }
        }
        guard failure == 0 else {
            throw SystemError(.run, command.executable, Errno(rawValue: failure))
        }
        return identifier
    }
}
