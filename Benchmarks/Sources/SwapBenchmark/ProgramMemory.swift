// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@preconcurrency import Glibc

/// The memory of a host in a process of its own, which may start a fresh process of itself at a bound of
/// generations, as `eaves shell` does from a pipe: it gets `launch swap` a line, and answers with a number a line.
///
/// The processes that count are those that print to the same pipe, so that the one that goes on is found wherever it
/// comes from.
struct ProgramMemory {
    let words: [String]
    let count: Int
    let plugin: String

    /// How long an answer may take. In milliseconds.
    private let limit: Int32 = 30_000

    /// Swaps, asks after each swap until the new generation answers, and prints what that took.
    func report(swaps: Int) {
        guard swaps > 0, let program = start() else { fatalError("program SWAPS COMMAND…") }
        var failed = 0
        var calls = 0
        _ = program.answer("launch swap", limit)
        let fresh = memory(of: program)
        for swap in 1...swaps {
            let expected = number(swap % count)
            put(swap % count, to: plugin)
            let start = ContinuousClock.now
            while true {
                let answer = program.answer("launch swap", limit)
                calls += 1
                if answer == expected { break }
                // Old or new is an answer; nothing, or a message, is a failed call.
                if Int(answer ?? "") == nil { failed += 1 }
                guard answer != nil, ContinuousClock.now - start < .milliseconds(Int(limit)) else {
                    fatalError("swap \(swap): expected \(expected), found \(answer ?? "nothing")")
                }
            }
        }
        let end = memory(of: program)
        let ratio = (Double(end) / Double(fresh) * 100).rounded() / 100
        program.end()
        print("| case | a fresh host, KB | after, KB | ratio | at most | calls | failed | |")
        print("| --- | --: | --: | --: | --: | --: | --: | --- |")
        print(
            "| memory after \(swaps) swaps | \(fresh >> 10) | \(end >> 10) | \(ratio) | 1.2 "
                + "| \(calls) | \(failed) | \(ratio <= 1.2 && failed == 0 ? "met" : "missed") |")
    }

    private final class Running {
        let input: UnsafeMutablePointer<FILE>
        let output: Int32
        let process: pid_t
        private var rest: [UInt8] = []

        init(input: UnsafeMutablePointer<FILE>, output: Int32, process: pid_t) {
            (self.input, self.output, self.process) = (input, output, process)
        }

        /// Writes a line, and reads one; `nil` if none comes in time.
        func answer(_ line: String, _ limit: Int32) -> String? {
            fputs(line + "\n", input)
            fflush(input)
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeSubrange(...end) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, limit) > 0 else { return nil }
                var piece = [UInt8](repeating: 0, count: 4096)
                let count = read(output, &piece, piece.count)
                guard count > 0 else { return nil }
                rest += piece[..<count]
            }
        }

        func end() {
            fclose(input)
            close(output)
            waitpid(process, nil, 0)
        }
    }

    private func start() -> Running? {
        var (inputs, outputs): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard !words.isEmpty, chdir(folder) == 0, pipe(&inputs) == 0, pipe(&outputs) == 0,
            let input = fdopen(inputs[1], "w")
        else { return nil }
        for end in inputs + outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        guard posix_spawn(&process, words[0], &actions, nil, &arguments, environ) == 0 else {
            return nil
        }
        close(inputs[0])
        close(outputs[1])
        return Running(input: input, output: outputs[0], process: process)
    }

    /// The resident memory of all processes that print where the program prints. In bytes.
    private func memory(of program: Running) -> Int {
        var status = stat()
        guard fstat(program.output, &status) == 0, let folder = opendir("/proc") else { return 0 }
        defer { closedir(folder) }
        let pipe = "pipe:[\(status.st_ino)]"
        var total = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Int(name) != nil, target(of: "/proc/\(name)/fd/1") == pipe else { continue }
            let pages = text(of: "/proc/\(name)/statm").split(separator: " ").dropFirst().first
            total += (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        }
        return total
    }

    private func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &bytes, bytes.count - 1)
        guard count > 0 else { return nil }
        return bytes.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    private func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
