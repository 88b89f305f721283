// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

// The wall lets a module use the sockets that its permissions list.

extension WallTests {
    @Test("lets a module connect to the addresses that it may, and to no others")
    func connecting() throws {
        let server = try LoopbackListener()
        let other = try LoopbackListener()
        try permit(#""connect": ["127.0.0.1:\#(server.port)"]"#)
        let outcome = try warden(
            "connect=127.0.0.1:\(server.port)", "connect=127.0.0.1:\(other.port)",
            "connect=127.0.0.2:\(server.port)", "listen=127.0.0.1:0", "resolve=localhost",
            "escape=\(path("others"))")
        let denied = "Permission denied"
        #expect(
            Array(outcome.lines.prefix(5)) == ["worked", denied, denied, denied, "not found"],
            "\(outcome)")
        #expect(server.received == "hello\n")
        #expect(
            outcome.errors.contains(
                "prisoner: warning: may not connect to 127.0.0.1:\(other.port): the manifest's "
                    + "'permissions' do not list it"), "\(outcome)")
        // With TCP allowed, no other kind of socket is, and connections stay with the broker.
        let allowed = ["use TCP: worked", "use TCP over IPv6: worked"]
        #expect(outcome.lines.filter { $0.hasSuffix(": worked") } == allowed)
    }

    @Test("tries the addresses of a name without a warning")
    func severalAddresses() throws {
        let server = try LoopbackListener()
        try permit(#""connect": ["localhost:\#(server.port)"], "resolve": true"#)
        let outcome = try warden("resolve=localhost", "connect=127.0.0.1:\(server.port)")
        #expect(outcome.lines == ["found", "worked"] && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("leaves no connection that waits when the process is gone")
    func waitingConnection() throws {
        let busy = try BusyListener()
        try permit(#""connect": ["127.0.0.1:\#(busy.port)"]"#)
        let host = try LiveEaves(
            "launch", "warden", "pid", "connect=127.0.0.1:\(busy.port)", "pid", "sleep=600000",
            in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(host.numbers.first)
        try Patience.wait(for: "the connection") { try busy.waiting(of: host.process) == 1 }
        kill(worker, SIGKILL)
        try host.wait(for: "RemoteCallError", "\n")
        try Patience.wait(for: "its end") { try busy.waiting(of: host.process) == 0 }
        _ = try host.end(by: SIGKILL)
    }

    @Test("says which system call a container keeps from the host")
    func container() throws {
        try permit(#""connect": ["127.0.0.1:80"]"#)
        let refused = try StrangeKernel(in: folder).run(
            eaves, hiding: "uncopied", ["launch", "warden", "pid"])
        #expect(refused.code == 78 && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.errors.contains("prisoner: cannot call pidfd_getfd: Operation not permitted"),
            "\(refused)")
        #expect(refused.errors.contains("fix: let the container, or "), "\(refused)")
        #expect(!refused.errors.contains("owner and permissions"), "\(refused)")
        try permit(#""write": ["data"]"#)
        try folder.write("x", to: "data/file")
        let goesOn = try StrangeKernel(in: folder).run(
            eaves, hiding: "uncopied", ["launch", "warden", "mode=\(path("data/file"))"])
        #expect(goesOn.lines == ["Function not implemented"], "\(goesOn)")
        #expect(goesOn.errors.contains("changes no modes and times of its files: "), "\(goesOn)")
    }

    @Test("lets a module connect as often as it likes")
    func connectingAgain() throws {
        let port = try FreePort.choose()
        try permit(#""connect": ["127.0.0.1:\#(port)"]"#)
        // More of them than may wait at one time.
        let outcome = try eaves(
            ["launch", "warden"] + Array(repeating: "connect=127.0.0.1:\(port)", count: 70))
        #expect(
            outcome.lines.count == 70 && Set(outcome.lines) == ["Connection refused"], "\(outcome)")
    }

    @Test("lets a module set few options of sockets")
    func options() throws {
        let levels = [Int(SOL_SOCKET), Int(IPPROTO_IP), Int(IPPROTO_IPV6), Int(IPPROTO_TCP)]
        let outcome = try eaves(["launch", "warden"] + levels.map { "strike=options:\($0)" })
        #expect(outcome.lines == ["10", "2", "3", "9"], "\(outcome)")
    }

    @Test("connects the sockets of a child, and not those of the module with the same numbers")
    func connectingChild() throws {
        let server = try LoopbackListener()
        try permit(#""connect": ["127.0.0.1:\#(server.port)"], "run": ["/bin/true"]"#)
        let outcome = try warden("strike=child:127.0.0.1:\(server.port)", "connect=127.0.0.1:1")
        #expect(outcome.lines == ["0", "Permission denied"], "\(outcome)")
        #expect(server.received == "hello\n")
    }

    @Test("lets a module listen where it may, and nowhere else")
    func listening() throws {
        let port = try FreePort.choose()
        try permit(#""listen": ["127.0.0.1:\#(port)", "127.0.0.9:*"]"#)
        let outcome = try warden(
            "listen=127.0.0.1:\(port)", "listen=0.0.0.0:\(port)", "listen=127.0.0.9:0",
            "listen=127.0.0.1:0", "listen=127.0.0.1:-1", "connect=127.0.0.1:\(port)")
        let denied = "Permission denied"
        #expect(outcome.lines == ["worked", denied, "worked", denied, denied, denied])
    }
}

/// A socket on this machine that takes no further connections: each new one waits.
private final class BusyListener {
    private let listener: LoopbackListener
    private var clients: [Int32] = []
    var port: UInt16 { listener.port }

    init() throws {
        listener = try LoopbackListener(backlog: 0)
        // One of them fits into the queue.
        for _ in 0..<4 {
            let client = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            clients.append(client)
            _ = LoopbackListener.withAddress(port) { connect(client, $0, $1) }
        }
    }

    deinit { for client in clients { close(client) } }

    /// The number of connections of a process here that wait for an answer.
    func waiting(of process: Int32) throws -> Int {
        let open = try Set(CountingHost.openFiles(of: process))
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        return table.split(separator: "\n").count { line in
            let words = line.split(separator: " ")
            // The state of a connection that has asked.
            return words.count > 9 && words[2].hasSuffix(":" + String(format: "%04X", Int(port)))
                && words[3] == "02" && open.contains("socket:[\(words[9])]")
        }
    }
}
