// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesHost

@Suite("The messages of a hot restart", .onOwnThreads, .patiently)
struct HandoverMessageTests {
    private static let messages: [HandoverMessage] = [
        .descriptors(names: []), .descriptors(names: ["http", "", "ü:ß"]),
        .prepare(.init(modules: [], state: [:], saysReady: false)),
        .prepare(
            .init(
                modules: ["users", "home"], state: ["users": [0, 255, 1], "home": []],
                saysReady: true)),
        .prepared, .rehearse, .rehearsed, .begin(state: [:]), .ready,
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

    @Test("carry descriptors, also many of them, and in their order")
    func descriptors() throws {
        let ends = try LocalSocket.pair().descriptors()
        let (own, other) = (HandoverChannel(ends.own), HandoverChannel(ends.other))
        var kept: [KeptDescriptors.Named] = []
        for number in 0..<130 {
            kept.append(("file \(number)", [try TemporaryDescriptor.make("\(number)")]))
        }
        defer { for named in kept { named.descriptors.forEach { close($0) } } }
        try own.send(kept)
        try own.send(.prepared)
        var texts: [String] = []
        let message = try other.receive(until: Patience.end) { descriptor, name in
            texts.append("\(name): \(TemporaryDescriptor.text(of: descriptor))")
            close(descriptor)
        }
        #expect(message == .prepared)
        #expect(texts == (0..<130).map { "file \($0): \($0)" })
    }

    @Test("carry each descriptor once, and later only those that are new")
    func descriptorsOnce() throws {
        let ends = try LocalSocket.pair().descriptors()
        let (own, other) = (HandoverChannel(ends.own), HandoverChannel(ends.other))
        let kept: [KeptDescriptors.Named] = try ["http", "admin", "metrics"].map {
            ($0, [try TemporaryDescriptor.make($0), try TemporaryDescriptor.make($0)])
        }
        defer { kept.flatMap(\.descriptors).forEach { close($0) } }
        func received() throws -> [String] {
            var names: [String] = []
            let message = try other.receive(until: Patience.end) { descriptor, name in
                names.append(name)
                close(descriptor)
            }
            #expect(message == .prepared)
            return names
        }
        for (all, new) in [
            (kept.dropLast(), ["http", "http", "admin", "admin"]),
            (kept[...], ["metrics", "metrics"]),
            (kept[...], []),
        ] {
            try own.send(Array(all))
            try own.send(.prepared)
            #expect(try received() == new)
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

/// An open file with a text and no name.
enum TemporaryDescriptor {
    static func make(_ text: String) throws -> Int32 {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "file")
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, path) }
        return descriptor
    }

    static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
