// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import EavesInterface
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import UsersServer

/// Runs a server on a free port while `body` runs.
func withServer<Result: Sendable>(
    _ handler: @escaping HTTPServer.Handler, _ body: (HTTPServer) async throws -> Result
) async throws -> Result {
    try await withServer(handler) { server, _ in try await body(server) }
}

/// Runs a server on a free port while `body` runs, which gets a function that stops the server.
///
/// - Parameter partingTime: How long the server then waits for requests, in seconds.
func withServer<Result: Sendable>(
    _ handler: @escaping HTTPServer.Handler, partingTime: Double = 1,
    _ body: (HTTPServer, _ stop: @escaping @Sendable () -> Void) async throws -> Result
) async throws -> Result {
    let server = try HTTPServer(
        listener: HTTPServer.listen(onPort: 0), partingTime: partingTime, handler: handler)
    // Other tests may keep all threads of the concurrency runtime busy for minutes.
    let running = Task(executorPreference: OtherThreads()) { await server.run() }
    defer { running.cancel() }
    let result = try await body(server) { running.cancel() }
    running.cancel()
    await running.value
    return result
}

/// Runs the jobs of tasks on threads that no other test needs.
final class OtherThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}

/// Keeps no descriptors, and notes what a feature asks for.
final class NotedListeners: Listeners {
    private let kept = Mutex<[String]>([])
    var notes: [String] { kept.withLock { $0 } }

    func descriptors(named name: String, orMake make: () throws -> [Int32]) throws -> [Int32] {
        note("made \(name)")
        return try make()
    }

    func descriptor(named name: String, orMake make: () throws -> Int32) throws -> Int32 {
        note("made \(name)")
        return try make()
    }

    func drop(_ name: String) { note("dropped \(name)") }
    func ready() { note("ready") }

    private func note(_ text: String) { kept.withLock { $0.append(text) } }
}

/// Does work that blocks its thread, on a thread that no task needs.
func blocking(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}

/// Keeps the requests that a server got.
final class KeptRequests: Sendable {
    private let kept = Mutex<[HTTPRequest]>([])
    var all: [HTTPRequest] { kept.withLock { $0 } }

    /// - Returns: How many requests came before this one.
    func add(_ request: HTTPRequest) -> Int {
        kept.withLock { kept in
            kept.append(request)
            return kept.count - 1
        }
    }
}

/// Keeps what is logged.
final class KeptLines: Sendable {
    private let kept = Mutex<[String]>([])
    var all: [String] { kept.withLock { $0 } }
    var logger: Logger { Logger { _, line in self.kept.withLock { $0.append(line) } } }
}

/// A port of loopback at which the system refuses connections, and which it gives to no other process meanwhile.
final class SilentPort {
    let number: UInt16
    private let descriptor: Int32

    /// Takes a port, and does not listen on it.
    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in(loopback: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard code == 0 else { throw ConnectionFault(code: errno) }
    }

    deinit { close(descriptor) }
}

extension sockaddr_in {
    /// A port of loopback; 0 for any free one.
    fileprivate init(loopback port: UInt16) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    }
}

/// A connection to a server, byte for byte.
final class RawConnection {
    private let descriptor: Int32

    init(to port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in(loopback: port)
        // A test never hangs, whatever the server does.
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size)
            }
        }
        guard code == 0 else { throw ConnectionFault(code: errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the server ends the connection.
    func readAll() -> String {
        var all: [UInt8] = []
        while let bytes = more() { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads one answer with its body.
    func readAnswer() -> String {
        var all: [UInt8] = []
        while true {
            let text = String(decoding: all, as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            if text == "HTTP/1.1 100 Continue\r\n\r\n" { return text }
            let size = parts.first?.split(separator: "\r\n")
                .first { $0.hasPrefix("Content-Length: ") }
                .flatMap { Int($0.dropFirst(16)) }
            if parts.count == 2, let size, parts[1].utf8.count >= size { return text }
            guard let bytes = more() else { return text }
            all += bytes
        }
    }

    private func more() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { Issue.record("the server neither sent nor ended") }
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}

struct ConnectionFault: Error {
    let code: Int32
}
