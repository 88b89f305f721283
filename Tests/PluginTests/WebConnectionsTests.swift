// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import RendererWeb

/// Which connection ends for a new one.
@Suite("connections of the web renderer", .onOwnThreads) struct WebConnectionsTests {
    private var connections = WebConnections(limit: 3)

    /// Opens connections up to the limit.
    private mutating func fill() {
        for socket in Int32(1)...3 { #expect(connections.open(socket) == nil) }
    }

    @Test("below the limit, none ends")
    mutating func few() {
        fill()
        connections.close(2)
        #expect(connections.open(4) == nil)
        #expect(connections.open(5) == 1)
    }

    @Test("the one ends that has sent no request for the longest time, each once")
    mutating func silent() {
        fill()
        for socket in Int32(4)...1000 { #expect(connections.open(socket) == socket - 3) }
    }

    @Test("one whose request is answered stays, and counts as silent from the answer on")
    mutating func answered() {
        fill()
        connections.answer(1)
        #expect(connections.open(4) == 2)
        connections.end(1)
        #expect(connections.open(5) == 3)
        #expect(connections.open(6) == 4)
        #expect(connections.open(7) == 1)
    }

    @Test("refused requests do not make a connection younger")
    mutating func refused() {
        fill()
        connections.end(1)
        #expect(connections.open(4) == 1)
    }

    @Test("if all are answered, none ends")
    mutating func busy() {
        fill()
        for socket in Int32(1)...3 { connections.answer(socket) }
        #expect(connections.open(4) == nil)
        #expect(connections.open(5) == 4)
    }

    @Test("one that was ended counts no more, whatever comes of it")
    mutating func ended() {
        fill()
        #expect(connections.open(4) == 1)
        connections.answer(1)
        connections.end(1)
        connections.close(1)
        #expect(connections.open(1) == 2)
    }
}
