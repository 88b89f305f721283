// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesRestart

@Suite("The messages of a hot restart", .onOwnThreads, .patiently)
struct HandoverChannelTests {
    @Test("are refused when they are too large, cut short, or of another kind")
    func damaged() throws {
        for bytes in [
            Array(repeating: 0xff, count: 8), [Frame.version, 1, 0, 0, 0, 0xff],
            [Frame.version, 0, 0, 0, 0], [Frame.version + 1, 0, 0, 0, 0],
            Array(try Frame.bytes(of: HandoverMessage.begin(state: ["a": [1]])).dropLast()),
        ] as [[UInt8]] {
            let ends = try LocalSocket.pair()
            let channel = HandoverChannel(ends.own)
            try LocalSocket.send(bytes, to: ends.other)
            close(ends.other)
            #expect(throws: HandoverChannel.Fault.ended) { try channel.receive() }
        }
    }

    @Test("end with a fault when the other end is gone, late, or something else is to be done")
    func faults() throws {
        let ends = try LocalSocket.pair()
        let channel = HandoverChannel(ends.own)
        #expect(throws: HandoverChannel.Fault.late) { try channel.receive(until: .now) }
        let flag = try EventFlag()
        flag.note()
        #expect(throws: HandoverChannel.Fault.interrupted) {
            try channel.receive(unless: flag.descriptor)
        }
        close(ends.other)
        #expect(throws: HandoverChannel.Fault.ended) { try channel.receive() }
        #expect(throws: HandoverChannel.Fault.ended) { try channel.send(.ready) }
    }

    @Test("leave a process that may take calls the time for it, however late the last one is")
    func lateBegin() {
        let now = ContinuousClock.now
        func time(leaving left: Duration, of all: Duration) -> Duration {
            Successor.end(now + left, after: now, within: all) - now
        }
        #expect(time(leaving: .seconds(40), of: .seconds(60)) == .seconds(40))
        #expect(time(leaving: .milliseconds(1), of: .seconds(60)) == .seconds(5))
        #expect(time(leaving: .zero, of: .seconds(2)) == .seconds(2))
    }
}
