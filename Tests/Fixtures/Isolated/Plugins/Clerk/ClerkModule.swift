// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc
import WorkAPI

enum ClerkModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("clerk") { resolver in
            Clerk(
                notes: try resolver.resolve((any Notes).self),
                listeners: try resolver.resolve((any Listeners).self))
        }
        registrar.registerFeature("no-clerk") { _ in throw NoClerk() }
    }
}

struct NoClerk: Error, CustomStringConvertible {
    var description: String { "there is no clerk" }
}

/// Does what the arguments say, one after the other, each in a way of its own to use what a feature has.
struct Clerk: Feature {
    let notes: any Notes
    let listeners: any Listeners

    func launch(_ launch: Launch) async throws -> ExitCode {
        let (isBrief, steps) = try launch.parse(
            .flag("--brief", "-b", help: "say less"),
            .arguments("STEP", help: "what to do"))
        if !isBrief { try launch.console.print("\(launch.feature ?? "?"): \(launch.summary)") }
        for step in steps {
            let words = step.split(separator: ":", maxSplits: 1).map(String.init)
            let value = words.count > 1 ? words[1] : ""
            if let code = try await take(words[0], value, launch.console) { return code }
        }
        return .success
    }

    /// - Returns: The exit code, if the step is the last one.
    private func take(
        _ word: String, _ value: String, _ console: any Console
    ) async throws -> ExitCode? {
        switch word {
        case "say": try console.print(value)
        case "type": try console.write(value)
        case "print": print(value)
        case "ask": try console.print("<\(try console.ask(value + "? ") ?? "nothing")>")
        case "warn": console.warn(value)
        case "interactive": try console.print("\(console.isInteractive)")
        case "pid": try console.print("\(getpid())")
        case "lines": for number in 0..<(Int(value) ?? 0) { try console.print("line \(number)") }
        case "text": try console.print(String(repeating: "é", count: Int(value) ?? 0))
        case "sleep": try await Task.sleep(for: .milliseconds(Int(value) ?? 0))
        case "serve": try serve(at: UInt16(value) ?? 0, console)
        case "flood": while true { try console.print("more and more") }
        case "note": try console.print("\(try await notes.keep(value))")
        case "poll":
            while !Task.isCancelled { usleep(20_000) }
            try console.print("asked to end")
        case "thread":
            let thread = pthread_self()
            await Counter().count()
            try console.print(thread == pthread_self() ? "the same thread" : "another thread")
        case "main":
            try await MainActor.run {
                var path = [UInt8](repeating: 0, count: 64)
                let count = path.withUnsafeMutableBytes {
                    readlink("/proc/thread-self", $0.baseAddress!, $0.count)
                }
                let thread = String(decoding: path.prefix(max(0, count)), as: UTF8.self)
                let isFirst = thread == "\(getpid())/task/\(getpid())"
                try console.print(isFirst ? "the first thread" : "another thread")
            }
        case "usage": throw UsageError("'\(value)' is no work", fix: "find work")
        case "fail": throw NoClerk()
        case "trap": fatalError("a trap on purpose")
        case "abort": abort()
        case "exit": exit(3)
        case "quick_exit": quick_exit(3)
        case "code": return ExitCode(UInt8(value) ?? 0)
        default: try console.print("unknown: \(word)")
        }
        return nil
    }

    /// Answers each connection with the number of the process, for ever. The host keeps the socket.
    private func serve(at port: UInt16, _ console: any Console) throws {
        let socket = try listeners.descriptor(named: "clerk") { try Self.listen(at: port) }
        try console.print("\(getpid()) serves")
        try console.flush()
        listeners.ready()
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            let answer = Array("\(getpid())\n".utf8)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
    }

    private static func listen(at port: UInt16) throws -> Int32 {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(made, 16) == 0 else { throw NoSocket(code: errno) }
        return made
    }
}

private actor Counter {
    private var number = 0

    func count() { number += 1 }
}

struct NoSocket: Error, CustomStringConvertible {
    let code: Int32
    var description: String { "cannot listen: \(String(cString: strerror(code)))" }
}
