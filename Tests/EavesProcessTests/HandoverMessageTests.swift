// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesProcess

@Suite("The messages of a hot restart", .onOwnThreads, .patiently)
struct HandoverMessageTests {
    private static let messages: [HandoverMessage] = [
        .prepare(.init(modules: [], state: [:], saysReady: false)),
        .prepare(
            .init(
                modules: ["users", "home"], state: ["users": [0, 255, 1], "home": []],
                saysReady: true)),
        .prepared, .rehearse, .rehearsed, .begin(state: [:]), .ready,
        .takeBack, .given(state: ["users": [2]]), .giveAgain(state: ["users": [3]]),
        .released(state: ["late": [1]]),
    ]

    private func read(_ bytes: [UInt8]) -> HandoverMessage? {
        guard let head = HandoverMessage.head(Array(bytes.prefix(HandoverMessage.headSize))),
            head.size == bytes.count - HandoverMessage.headSize
        else { return nil }
        return HandoverMessage(kind: head.kind, Array(bytes.dropFirst(HandoverMessage.headSize)))
    }

    @Test("are read as they were written", arguments: messages)
    func roundTrip(message: HandoverMessage) {
        #expect(read(message.bytes) == message)
    }

    @Test("are read as they were written, however much state they have")
    func largeRoundTrip() {
        let message = HandoverMessage.begin(state: ["a": Array(repeating: 7, count: 100_000)])
        #expect(read(message.bytes) == message)
    }

    @Test("are refused when they are cut short or have numbers that cannot be", arguments: messages)
    func damaged(message: HandoverMessage) {
        let bytes = Array(message.bytes.prefix(400))
        for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == nil) }
        for index in bytes.indices {
            var other = bytes
            other[index] = 0xff
            // Nothing traps; a name may have another letter.
            _ = read(other)
        }
    }

    @Test("end with a fault when the other end is gone, late, or something else is to be done")
    func faults() throws {
        let ends = try LocalSocket.pair().descriptors()
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
}
