// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("serve-users, when a fresh process takes over", .onOwnThreads, .patiently)
struct ServerRestartTests {
    @Test("goes on with its port, and refuses no connection meanwhile")
    func fixedPort() throws {
        let application = try ShippedApplication()
        let port = try FreePort.choose()
        let host = try LiveEaves(
            "launch", "--no-build", "--live", "serve-users", "--port", "\(port)",
            in: application.url)
        try host.wait(for: "http://127.0.0.1:\(port)\n")
        let clients = CallingThreads<Void> {
            let answer = try LoopbackHTTP(port: port).send("GET", "/v1/users")
            guard answer.status == 200 else { throw FixtureError("\(answer)") }
        }
        defer { _ = clients.end() }
        for _ in 0..<3 {
            host.signal(SIGUSR2)
            try host.wait(for: "http://127.0.0.1:\(port)\n", "this process took over from ")
            try clients.awaitCalls(20)
        }
        #expect(clients.end().failures == [])
        let ending = try host.end(by: SIGTERM)
        #expect(ending.signal == SIGTERM || ending.code == 128 + SIGTERM)
        #expect(!host.seen.contains("in use"))
    }
}
