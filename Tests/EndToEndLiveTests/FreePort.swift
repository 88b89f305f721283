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
        return LoopbackListener.withAddress(port) { bind(listener, $0, $1) } == 0
    }
}
