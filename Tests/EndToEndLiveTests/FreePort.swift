// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc

@testable import EndToEndSupport

/// Ports of loopback that no process has.
enum FreePort {
    /// The system chooses from 32768 on for programs that name none, so it does not choose this one.
    static func choose() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 10_000..<30_000)
            if canBind(port) { return port }
        }
        throw FixtureError("no free port")
    }

    private static func canBind(_ port: UInt16) -> Bool {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0
            }
        }
    }
}
