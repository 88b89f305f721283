// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc

/// A server that notes what one client sends.
final class LoopbackListener {
    let port: UInt16
    private let socket: Int32

    init(backlog: Int32 = 8) throws {
        let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.bind(made), listen(made, backlog) == 0 else {
            throw FixtureError("no port")
        }
        // A test whose client never comes ends, and says what else went wrong.
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        setsockopt(
            made, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        socket = made
        self.port = port
    }

    deinit { close(socket) }

    /// The text that the first client sends before it ends the connection.
    var received: String {
        let client = accept(socket, nil, nil)
        defer { close(client) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = max(0, read(client, &bytes, bytes.count))
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func bind(_ socket: Int32) -> UInt16? {
        withAddress(0) { address, size in
            var size = size
            guard Glibc.bind(socket, address, size) == 0, getsockname(socket, address, &size) == 0
            else { return nil }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }

    /// Lends the address of a port of loopback.
    static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
