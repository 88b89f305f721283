// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesInterface
import EavesManifest
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesIsolation

/// The process that asks is the tests' own: its descriptors are copied as those of another one are.
@Suite("LentListeners")
struct LentListenersTests {
    private let listeners = KeptDescriptors { _ in nil }
    private let process = eaves_pidfd_open(getpid())

    private func lent(_ endpoints: String...) throws -> (LentListeners, socket: Int32) {
        var permissions = Permissions()
        permissions.listen = endpoints.compactMap { NetworkEndpoint($0) }
        let ends = try LocalSocket.pair()
        let lent = try LentListeners(
            permissions, of: process, on: LocalSocket(descriptor: ends.own))
        return (lent, ends.other)
    }

    /// A socket of TCP on loopback, and its port.
    private func bound(listens: Bool = true) throws -> (descriptor: Int32, port: UInt16) {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(made, $0, size) == 0 && getsockname(made, $0, &size) == 0
            }
        }
        try #require(isBound && (!listens || listen(made, 8) == 0))
        return (made, UInt16(bigEndian: address.sin_port))
    }

    @Test("keeps a socket of the process, and gives it to the next one")
    func keeping() async throws {
        let (descriptor, port) = try bound()
        let (lent, socket) = try lent("127.0.0.1:\(port)")
        #expect(try await lent.give("http", of: listeners) == nil)
        try await lent.keep([descriptor], named: "http", in: listeners)
        close(descriptor)
        #expect(try await lent.give("http", of: listeners) == 1)
        let given = try LocalSocket.receive(from: socket, upTo: 1).descriptors
        try #require(given.count == 1)
        #expect(fcntl(given[0], F_GETFD) == FD_CLOEXEC)
        close(given[0])
        // Another part of the program has it by the same name.
        close(try listeners.descriptor(named: "http") { throw ListenersError("not kept") })
        try await lent.drop("http", in: listeners)
        #expect(try await lent.give("http", of: listeners) == nil)
    }

    @Test("keeps the host's sockets from a module that may not listen there")
    func foreign() async throws {
        let (descriptor, port) = try bound()
        _ = try listeners.descriptor(named: "admin") { descriptor }
        let (lent, _) = try lent("127.0.0.2:\(port)", "127.0.0.1:\(port &+ 1)", "[::1]:\(port)")
        await #expect(throws: ListenersError.self) { try await lent.give("admin", of: listeners) }
        await #expect(throws: ListenersError.self) { try await lent.drop("admin", in: listeners) }
        #expect(listeners.all.map(\.name) == ["admin"])
        // Nor may it take away a name under which another part of the program keeps none.
        _ = try listeners.descriptors(named: "none") { [] }
        try await lent.drop("none", in: listeners)
        #expect(listeners.all.map(\.name) == ["admin", "none"])
    }

    @Test("keeps no other descriptors, and not too many")
    func refusals() async throws {
        let (descriptor, port) = try bound()
        let (silent, _) = try bound(listens: false)
        let pipe = try #require(Pipe())
        defer { for one in [descriptor, silent, pipe.readEnd, pipe.writeEnd] { close(one) } }
        let (lent, _) = try lent("127.0.0.1:*")
        let wrong = [[], [silent], [pipe.readEnd], [descriptor, pipe.readEnd], [-1], [100_000]]
        for numbers in wrong + [Array(repeating: descriptor, count: 17)] {
            await #expect(throws: ListenersError.self) {
                try await lent.keep(numbers, named: "http", in: listeners)
            }
        }
        #expect(listeners.all.isEmpty)
        for number in 0..<64 {
            try await lent.keep([descriptor], named: "\(number)", in: listeners)
        }
        await #expect(throws: ListenersError.self) {
            try await lent.keep([descriptor], named: "64", in: listeners)
        }
        await #expect(throws: ListenersError.self) {
            try await lent.keep([descriptor], named: "0", in: listeners)
        }
        for number in 0..<64 { try await lent.drop("\(number)", in: listeners) }
        #expect(listeners.all.isEmpty && port > 0)
    }
}
