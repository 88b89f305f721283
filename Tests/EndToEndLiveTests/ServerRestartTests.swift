// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EndToEndSupport

@Suite("serve-users, when a fresh process takes over", .onOwnThreads, .patiently)
struct ServerRestartTests {
    private let application: ShippedApplication

    init() throws {
        application = try ShippedApplication()
    }

    @Test("goes on with its port, and refuses no connection meanwhile")
    func fixedPort() throws {
        let port = try FreePort.choose()
        let host = try launch(port)
        let clients = Clients(of: port)
        defer { _ = clients.end() }
        for _ in 0..<3 {
            let count = clients.count
            host.signal(SIGUSR2)
            try host.wait(for: "http://127.0.0.1:\(port)\n", "this process took over from ")
            try Patience.wait(for: "answers of the fresh process") { clients.count > count + 20 }
        }
        #expect(clients.end() == [])
        host.signal(SIGTERM)
        let ending = try host.ending()
        #expect(ending.signal == SIGTERM || ending.code == 128 + SIGTERM)
        #expect(!host.seen.contains("in use"))
    }

    @Test("goes on with its port in the old process if the fresh one fails")
    func failing() throws {
        let port = try FreePort.choose()
        let host = try launch(port)
        let clients = Clients(of: port)
        defer { _ = clients.end() }
        let module = application.url.appendingPathComponent("Plugins/users-server.so")
        try Data("no module".utf8).write(to: module, options: .atomic)
        host.signal(SIGUSR2)
        try host.wait(for: "not restarted: ")
        let count = clients.count
        try Patience.wait(for: "further answers") { clients.count > count + 20 }
        #expect(clients.end() == [])
        host.signal(SIGTERM)
        #expect(try host.ending().signal == SIGTERM)
    }

    private func launch(_ port: UInt16) throws -> LiveEaves {
        let host = try LiveEaves(
            "launch", "--no-build", "--live", "serve-users", "--port", "\(port)",
            in: application.url)
        try host.wait(for: "http://127.0.0.1:\(port)\n")
        return host
    }
}

/// Threads that ask a server for its users again and again, each time by a connection of its own.
private final class Clients: Sendable {
    private final class Seen: Sendable {
        let count = Mutex(0)
        let failures = Mutex<[String]>([])
    }

    private let seen = Seen()
    private let threads: RepeatingThreads

    init(of port: UInt16) {
        threads = RepeatingThreads(2) { [seen] _ in
            do {
                let answer = try LoopbackHTTP(port: port).send("GET", "/v1/users")
                seen.count.withLock { $0 += 1 }
                if answer.status != 200 { seen.failures.withLock { $0.append("\(answer)") } }
            } catch {
                seen.failures.withLock { $0.append("\(error)") }
            }
            // After many failures, none is news.
            return seen.failures.withLock { $0.count < 10 }
        }
    }

    /// The number of answers so far.
    var count: Int { seen.count.withLock { $0 } }

    /// Ends the threads, unless they have ended.
    ///
    /// - Returns: What went wrong.
    func end() -> [String] {
        threads.end()
        return seen.failures.withLock { $0 }
    }
}
