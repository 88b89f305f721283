// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Glibc

/// A command line to be timed as a whole process.
struct Program {
    let name: String
    let command: [String]

    /// From before the process is made until it has ended, in milliseconds. What it prints goes
    /// nowhere.
    func milliseconds() -> Double {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words = command.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process = pid_t()
        var status: Int32 = 0
        let start = ContinuousClock.now
        let code = posix_spawn(&process, command[0], &actions, nil, &words, environ)
        guard code == 0 else { fatalError("\(command[0]): \(String(cString: strerror(code)))") }
        waitpid(process, &status, 0)
        let time = ContinuousClock.now - start
        guard status == 0 else { fatalError("\(command) ended with status \(status)") }
        return Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3
    }
}
