// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc

/// A server that notes what one client sends.
final class LoopbackListener {
    let port: UInt16
    private let socket: Int32

    init() throws {
        let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.bind(made), listen(made, 8) == 0 else {
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
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            guard Glibc.bind(socket, pointer, size) == 0, getsockname(socket, pointer, &size) == 0
            else { return nil }
            return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
