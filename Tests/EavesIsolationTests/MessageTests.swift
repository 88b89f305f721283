// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesLoader
import EavesManifest
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesIsolation

extension Message {
    /// The message in as many frames as it takes.
    fileprivate var bytes: [UInt8] {
        var (bytes, start) = ([] as [UInt8], 0)
        repeat {
            let end = endOfPiece(at: start)
            appendPiece(start..<end, to: &bytes)
            start = end
        } while start < size
        return bytes
    }

    fileprivate var words: String { "\(kind) \(number): \(size) bytes" }
}

extension MessageBuffer {
    fileprivate mutating func all() throws -> [Message] {
        var messages: [Message] = []
        while let message = try next() {
            messages.append(Message(message.kind, message.number, message.whole))
        }
        return messages
    }
}

@Suite("Message")
struct MessageTests {
    private let messages = [
        Message(.call, 1, [1, 2, 3]), Message(.answer, .max), Message(.log, 2, Array("text".utf8)),
        Message(.failure, 7, [UInt8](repeating: 9, count: 100_000)),
    ]

    @Test("is put together from pieces of any size", arguments: [1, 2, 5, 13, 4096, 1 << 20])
    func pieces(_ size: Int) throws {
        let bytes = messages.flatMap(\.bytes)
        var buffer = MessageBuffer()
        var found: [Message] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.append(bytes[start..<min(start + size, bytes.count)])
            found += try buffer.all()
        }
        #expect(found == messages)
        #expect(buffer.isEmpty)
    }

    @Test("is refused if it is too short, too long or of no kind")
    func damaged() {
        func next(_ bytes: [UInt8]) throws(MessageError) -> Message? {
            var buffer = MessageBuffer()
            buffer.append(bytes)
            return try buffer.next()
        }
        let limit = MessageBuffer.frameLimit
        #expect(throws: MessageError.noFrame(.otherVersion(1))) { try next([1, 9, 0]) }
        #expect(throws: MessageError.tooShort(3)) { try next([2, 3, 0, 0, 0, 1, 2, 3]) }
        // A length alone does not let the receiver wait for 2 GB.
        #expect(throws: MessageError.noFrame(.tooLong(0x7fff_ffff, limit: limit))) {
            try next([2, 255, 255, 255, 127])
        }
        #expect(throws: MessageError.unknownKind(99)) {
            try next([2, 9, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0])
        }
        let number = [UInt8](repeating: 0, count: 8)
        #expect(throws: MessageError.tooShort(9)) { try next([2, 9, 0, 0, 0, 0x84] + number) }
        let size = Message.contentLimit + 1
        #expect(throws: MessageError.noFrame(.tooLong(size, limit: size - 1))) {
            try next([2, 14, 0, 0, 0, 0x84] + number + [0, 0, 0, 1, 1])
        }
        // Its second piece has a byte more than the first one has announced.
        let begin: [UInt8] = [2, 14, 0, 0, 0, 0x84] + number + [1, 0, 0, 0, 1]
        #expect(throws: MessageError.unexpected(.answer)) {
            try next(begin + [2, 11, 0, 0, 0, 4] + number + [1, 1])
        }
        // A length alone does not let the receiver keep room for all that the other end begins.
        var buffer = MessageBuffer()
        #expect(throws: MessageError.self) {
            for number in 0...UInt8(1) {
                buffer.append([2, 14, 0, 0, 0, 0x84, number, 0, 0, 0, 0, 0, 0, 0])
                buffer.append([255, 255, 255, 0, 1])
                if let message = try buffer.next() { Issue.record("\(message) is not whole") }
            }
        }
    }
}

@Suite("SendQueue")
struct SendQueueTests {
    /// Fills a queue while a socket takes some bytes at a time.
    ///
    /// - Returns: The messages in the order in which they came as a whole, and the most bytes that the socket was offered.
    private func sent(
        _ messages: [Message], takes count: Int, then late: [Message] = []
    ) throws -> (messages: [Message], most: Int) {
        var (queue, buffer, late) = (SendQueue(), MessageBuffer(), late)
        for message in messages { queue.add(message) }
        var (found, most) = ([] as [Message], 0)
        while !queue.isEmpty {
            var isFull = false
            queue.send { bytes in
                if isFull { return 0 }
                isFull = true
                most = max(most, bytes.count)
                buffer.append(bytes.prefix(count))
                return min(count, bytes.count)
            }
            found += try buffer.all()
            if !late.isEmpty { queue.add(late.removeFirst()) }
        }
        #expect(queue.size == 0 && buffer.isEmpty)
        return (found, most)
    }

    private let large = [UInt8](repeating: 1, count: 5_000_000)

    @Test("lets other messages go between the pieces of large ones, whichever part is large")
    func turns() throws {
        let larges = [
            Message(.answer, 1, large), Message(.call, 1, [0, 8], large),
            Message(.failure, 3, large, large),
        ]
        let small = (0..<20).map { Message($0 % 2 == 0 ? .call : .answer, 100 + $0, [7]) }
        let (found, _) = try sent(larges, takes: 64 << 10, then: small)
        #expect(found.prefix(20).map(\.words) == small.map(\.words))
        // A failure prints no contents.
        let isWhole =
            Set(found.dropFirst(20)) == Set(larges.map { Message($0.kind, $0.number, $0.whole) })
        #expect(isWhole)
    }

    @Test("keeps the order of messages about one call, one instance, and of what is logged")
    func order() throws {
        let messages = [
            Message(.log, 1, large), Message(.answer, 4, large), Message(.open, 6, large),
            Message(.log, 2), Message(.answer, 4, [2]), Message(.close, 6),
            Message(.call, 4, large),
            Message(.end, 4), Message(.cancel, 4), Message(.log, 1, [3]),
        ]
        let (found, _) = try sent(messages, takes: 10_000)
        let isWhole = Set(found) == Set(messages)
        #expect(isWhole)
        for kinds: [Message.Kind] in [
            [.log], [.answer, .end], [.open, .close], [.call, .cancel],
        ] {
            #expect(
                found.filter { kinds.contains($0.kind) }.map(\.words)
                    == messages.filter { kinds.contains($0.kind) }.map(\.words))
        }
    }

    @Test("touches no more bytes at a time for a large message than for a small one")
    func work() throws {
        let (found, most) = try sent([Message(.answer, 1, large, large)], takes: 1000)
        #expect(found.map(\.size) == [2 * large.count])
        #expect(most <= 2 * Message.pieceSize)
    }
}

@Suite("MessageChannel", .serialized, .onOwnThreads)
final class MessageChannelTests {
    private let sockets: (own: Int32, other: Int32)

    init() throws { sockets = try LocalSocket.pair() }

    deinit { close(sockets.other) }

    private func receive(pausing limit: Duration) throws {
        let channel = try MessageChannel(sockets.own, pauseLimit: limit)
        try channel.receive(until: { nil }, look: {}) { message in
            if message.kind == .close { channel.end() }
            return nil
        }
    }

    @Test("ends if the other end begins a message and does not go on", arguments: [1, 4, 12, 20])
    func stalled(count: Int) throws {
        let message = Message(.answer, 1, [UInt8](repeating: 0, count: 100))
        LocalSocket.sendAtOnce(
            message.bytes + Array(message.bytes.prefix(count)), to: sockets.other)
        #expect(throws: MessageError.unfinished) { try receive(pausing: .milliseconds(20)) }
    }

    @Test("sends what is small while the other end has not read all of what is large")
    func large() throws {
        let channel = try MessageChannel(sockets.own)
        #expect(channel.send(Message(.answer, 1, [UInt8](repeating: 0, count: 8_000_000))))
        #expect(channel.send(Message(.answer, 2)))
        try DetachedThread.start { try? channel.receive(until: { nil }, look: {}) { _ in nil } }
        var buffer = MessageBuffer()
        var found: [UInt64] = []
        while found.count < 2, let piece = Pipe.read(sockets.other, count: 1 << 16) {
            buffer.append(piece)
            found += try buffer.all().map(\.number)
        }
        #expect(found == [2, 1])
        channel.end()
    }

    @Test("waits as long as the other end likes between messages")
    func idle() throws {
        let theirs = sockets.other
        LocalSocket.sendAtOnce(Message(.answer, 1).bytes, to: theirs)
        try DetachedThread.start {
            Patience.letPass(.milliseconds(200))
            LocalSocket.sendAtOnce(Message(.close, 1).bytes, to: theirs)
        }
        try receive(pausing: .milliseconds(20))
    }

    @Test(
        "waits for a message that comes in pieces, and goes on for longer than the other end may pause",
        arguments: [(0, 1, 600), (11, 100, 1)])
    func pieces(count: Int, milliseconds: Int, limit: Int) throws {
        let theirs = sockets.other
        let message = Message(.close, 1, [UInt8](repeating: 0, count: count)).bytes
        try DetachedThread.start {
            for byte in message {
                LocalSocket.sendAtOnce([byte], to: theirs)
                Patience.letPass(.milliseconds(milliseconds))
            }
        }
        try receive(pausing: .seconds(limit))
    }

    @Test("gives the other end its turn where both were stopped")
    func turn() {
        var stall = Stall(limit: .milliseconds(2))
        stall.note(1)
        var found: [Bool] = []
        for piece in [1, 2, 2, 0] {
            stall.note(piece)
            Patience.letPass(.milliseconds(20))
            found.append(stall.isOver())
        }
        #expect(found == [false, false, true, false])
        #expect(stall.deadline == nil)
    }
}

@Suite("Worker")
struct WorkerTests {
    @Test("is started again at once, and then with pauses that grow")
    func pauses() {
        var ends = WorkerEnds(pauses: .milliseconds(250) ... .seconds(30))
        let pauses = (0..<100).map { _ in ends.note(after: .seconds(60)) }
        #expect(
            Array(pauses.prefix(4)) == [
                .zero, .milliseconds(250), .milliseconds(500), .seconds(1),
            ])
        #expect(pauses.last == .seconds(30))
        #expect(ends.note(after: .seconds(61)) == .zero)
    }

    @Test("has crashed if it has ended by a mistake of its own")
    func crashes() {
        let mistakes: [RemoteCallError.Reason] = [
            .killed(signal: 11), .killed(signal: 6), .exited(code: 3), .misunderstood("it"),
        ]
        let others: [RemoteCallError.Reason] = [
            .killed(signal: 9), .killed(signal: 15), .late(.seconds(1)), .stopped, .ended,
        ]
        for reason in mistakes + others {
            let error = RemoteCallError(module: "users", reason: reason)
            #expect(error.isOwnMistake == mistakes.contains(reason), "\(error)")
        }
        let reported = RemoteCallError(module: "users", reason: .ended, frame: "Users.open()")
        #expect(reported.isOwnMistake, "its handlers have reported a crash")
    }

    @Test("tells during a pause how its process has ended")
    func pauseTold() {
        let killed = RemoteCallError(module: "users", reason: .killed(signal: 11), frame: "open()")
        let resting = RemoteCallError.Reason.resting(.seconds(2), after: killed.description)
        #expect(
            RemoteCallError(module: "users", reason: resting).description
                == "the process of module 'users' was ended by SIGSEGV in open(); it is started again in "
                + "2.0 seconds")
    }

    @Test("has a report whose numbers are what they stand for")
    func report() throws {
        struct Forged: Codable {
            struct Service: Codable {
                var (service, scope, file) = ("A.B", "shared", "a.swift")
                var isNamedScope = false
                var line = -5
                var arguments: [String] = []
            }

            var services = [Service()]
            var (hasLifecycle, keepsState, hasDecorators) = (false, false, false)
            var hasReadSettings = false
            var unenforced: [String] = []
        }
        let bytes = try Frame.bytes(of: Forged()).dropFirst(Frame.headSize)
        #expect(throws: WireError.self) { try Frame.value(WorkerReport.self, in: bytes) }
    }

    @Test("has a request that arrives as it was sent")
    func request() throws {
        var permissions = Permissions()
        permissions.read = ["/srv/a b", "/srv/é"]
        permissions.write = ["/srv/data"]
        permissions.connect = [NetworkEndpoint(host: "::1", port: nil)]
        permissions.listen = [NetworkEndpoint(host: nil, port: 80)]
        permissions.run = ["/bin/true"]
        permissions.environment = ["HOME"]
        permissions.resolvesNames = true
        let request = WorkerRequest(
            id: "users", path: "Plugins/users.so",
            interfaces: [.init(id: "common", hasCalls: true), .init(id: "more", hasCalls: false)],
            requires: ["A.B"], settings: #"{"a": [1, "é"]}"#, directory: "/srv", memory: 1 << 40,
            resources: ResourceFolder(digest: "ab", path: "/srv/ab"),
            permissions: permissions, allowsUnenforced: true)
        #expect(request.fileCount == 4)
        #expect(try copy(request) == request)
        #expect(request.rights.read == permissions.read + ["/srv/ab"])
    }

    /// Sends a value, and receives it.
    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try Frame.value(Value.self, in: Frame.bytes(of: value).dropFirst(Frame.headSize))
    }
}
