// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesIsolation

@Suite("NetworkAddress")
struct NetworkAddressTests {
    @Test("is read from texts, where one address has one value")
    func reading() throws {
        let short = try #require(NetworkAddress("127.0.0.1"))
        #expect(short.bytes == [127, 0, 0, 1])
        // Connections over version 6 reach the same address.
        #expect(NetworkAddress("::ffff:127.0.0.1") == short)
        #expect(NetworkAddress("::1") == NetworkAddress("0:0:0:0:0:0:0:1"))
        #expect(NetworkAddress("::1") != short)
        for text in ["localhost", "127.1", "127.0.0.1:80", "", "0x7f.0.0.1"] {
            #expect(NetworkAddress(text) == nil, "\(text)")
        }
    }

    @Test("knows its own machine")
    func loopback() throws {
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try #require(NetworkAddress(text)).isLoopback, "\(text)")
        }
        for text in ["0.0.0.0", "128.0.0.1", "::", "::2", "::ffff:10.0.0.1"] {
            #expect(try !#require(NetworkAddress(text)).isLoopback, "\(text)")
        }
    }

    @Test("is shown with its port")
    func text() throws {
        #expect(try #require(NetworkAddress("127.0.0.1")).text(port: 80) == "127.0.0.1:80")
        #expect(try #require(NetworkAddress("fe80::1")).text(port: 1) == "[fe80::1]:1")
    }
}
