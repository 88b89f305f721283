// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
package import EavesSystem
import Glibc

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
    /// An open descriptor that becomes the child's standard input in a ``ChildPool``; `nil` for an
    /// empty one. It has to stay open until the child has started, and the child reads on from the
    /// descriptor's current offset.
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
