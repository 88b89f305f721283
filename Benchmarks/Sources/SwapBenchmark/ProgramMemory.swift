// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
@preconcurrency import Glibc
import Synchronization

/// The memory of a program that starts a fresh process of itself at a bound of generations, as `eaves launch --live`
/// does. Its feature answers each connection at a local socket with the generation that serves, and its process.
final class ProgramMemory: Sendable {
    private let words: [String]
    private let count: Int
    private let plugin: String
    private let socket: String
    private let calls = Atomic(0)
    private let failures = Atomic(0)
    private let isOver = Atomic(false)

    /// How long an answer, or a new generation, may take.
    private let limit = Duration.seconds(60)

    /// - Parameter words: The program and its arguments, without the path of the socket.
    init(words: [String], count: Int, plugin: String) {
        socket = "\(folder)/socket"
        self.words = words + [socket]
        self.count = count
        self.plugin = plugin
    }

    /// Swaps, calls after each swap until the new generation answers, and prints what that took. Another thread calls
    /// without a pause.
    func report(swaps: Int) {
        let program = start()
        let load = DispatchGroup()
        let begun = ContinuousClock.now
        while access(socket, F_OK) != 0, ContinuousClock.now - begun < limit { usleep(1000) }
        let fresh = memory(of: expect(0, in: 0), besides: [])
        DispatchQueue(label: "load").async(group: load) { [self] in
            while !isOver.load(ordering: .relaxed) { _ = call() }
        }
        var processes: Set<Int32> = [program]
        var samples: [Int] = []
        for swap in 1...swaps {
            put(swap % count, to: plugin)
            let last = expect(swap % count, in: swap)
            processes.insert(last)
            // The last of them tell enough: a process has its bound of generations several times meanwhile.
            guard swap > swaps - 1000 else { continue }
            let living = processes.filter { kill($0, 0) == 0 }
            // For a moment, the process before and the fresh one serve both.
            if living.isSubset(of: [program, last]) {
                samples.append(memory(of: last, besides: living.subtracting([last])))
            }
        }
        isOver.store(true, ordering: .relaxed)
        load.wait()
        kill(program, SIGTERM)
        waitpid(program, nil, 0)
        samples.sort()
        let (median, highest) = (samples[samples.count / 2], samples[samples.count - 1])
        let ratio = (Double(highest) / Double(fresh) * 100).rounded() / 100
        let failed = failures.load(ordering: .relaxed)
        print(
            "| case | a fresh host, KB | median, KB | highest, KB | ratio | at most | calls | failed "
                + "| processes | |")
        print("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |")
        print(
            "| memory after \(swaps) swaps | \(fresh) | \(median) | \(highest) | \(ratio) | 1.2 "
                + "| \(calls.load(ordering: .relaxed)) | \(failed) | \(processes.count) "
                + "| \(ratio <= 1.2 && failed == 0 ? "met" : "missed") |")
    }

    /// Calls until a generation answers.
    ///
    /// - Returns: The process that has answered.
    private func expect(_ expected: Int, in swap: Int) -> Int32 {
        let start = ContinuousClock.now
        while true {
            let answer = call()
            if let answer, answer.generation == expected { return answer.process }
            guard ContinuousClock.now - start < limit else {
                fatalError("swap \(swap): expected \(expected), found \(answer as Any)")
            }
        }
    }

    /// Calls once, and notes whether it failed.
    private func call() -> (generation: Int, process: Int32)? {
        calls.add(1, ordering: .relaxed)
        let answer = answer()
        if answer == nil { failures.add(1, ordering: .relaxed) }
        return answer
    }

    private func answer() -> (generation: Int, process: Int32)? {
        let connection = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(connection) }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, send(connection, "x", 1, Int32(MSG_NOSIGNAL)) == 1 else { return nil }
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            var piece = [UInt8](repeating: 0, count: 100)
            let count = read(connection, &piece, piece.count)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
        let numbers = String(decoding: bytes, as: UTF8.self)
            .split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        return (numbers[0], Int32(numbers[1]))
    }

    private func start() -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, "\(folder)/messages", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        guard chdir(folder) == 0 else { fatalError("cannot go to \(folder)") }
        let result = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        guard result == 0 else { fatalError("cannot start \(words): \(result)") }
        return process
    }

    /// The memory that processes have together, each page once: what is resident in one, and what only others have.
    /// Other programs that share libraries with them make no difference. In kilobytes.
    private func memory(of process: pid_t, besides others: Set<pid_t>) -> Int {
        others.reduce(kilobytes(of: process, ["Rss"])) { sum, other in
            sum + kilobytes(of: other, ["Private_Clean", "Private_Dirty"])
        }
    }

    private func kilobytes(of process: pid_t, _ kinds: Set<Substring>) -> Int {
        text(of: "/proc/\(process)/smaps_rollup").split(separator: "\n").reduce(0) { sum, line in
            let words = line.split { $0 == " " || $0 == ":" }
            guard words.count > 1, kinds.contains(words[0]) else { return sum }
            return sum + (Int(words[1]) ?? 0)
        }
    }

    private func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
