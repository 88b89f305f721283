// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Glibc

/// A command line to be timed.
struct Command {
    private let folder: String
    private let words: [String]
    private let tellsItself: Bool

    /// - Parameter words: The folder to run it in, and the command with its arguments.
    init(_ words: [String]) {
        folder = words[0]
        tellsItself = words[1] == "own"
        self.words = Array(words.dropFirst(tellsItself ? 2 : 1))
    }

    func milliseconds() -> Double {
        let output = tellsItself ? "/tmp/pair-benchmark.\(getpid())" : "/dev/null"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        guard chdir(folder) == 0 else { fatalError("cannot go to \(folder)") }
        var process = pid_t()
        var status: Int32 = 0
        let start = ContinuousClock.now
        let code = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        guard code == 0 else { fatalError("\(words[0]): \(String(cString: strerror(code)))") }
        waitpid(process, &status, 0)
        let time = ContinuousClock.now - start
        guard status == 0 else { fatalError("\(words.prefix(3)) ended with status \(status)") }
        if tellsItself { return Self.number(in: output) / 1e6 }
        return Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3
    }

    private static func number(in path: String) -> Double {
        defer { unlink(path) }
        var text = [CChar](repeating: 0, count: 32)
        guard let file = fopen(path, "r") else { fatalError("\(path) is not there") }
        defer { fclose(file) }
        guard fgets(&text, 32, file) != nil else { fatalError("expected nanoseconds") }
        return atof(text)
    }
}
