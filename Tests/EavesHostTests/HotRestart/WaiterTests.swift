// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import Testing

@Suite("The process that waits for hosts")
struct WaiterTests {
    @Test("is none of a program that has begun threads already")
    func threads() throws {
        let error = try #require(throws: HostError.self) { try HotRestart.goOnInChild() }
        #expect("\(error)".contains("Device or resource busy"), "\(error)")
    }
}
