// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesIsolation

/// Both ends of a channel in one process, with two threads that receive at the end that is called.
final class PeerEnds: Sendable {
    let caller: CallPeer
    private let channels: [MessageChannel]
    private let returned: [Awaited<Bool>]

    init(_ own: any InstanceProvider, calling other: any InstanceProvider) throws {
        let sockets = try LocalSocket.pair()
        channels = [try MessageChannel(sockets.own), try MessageChannel(sockets.other)]
        caller = CallPeer(of: "caller", on: channels[0], providing: own)
        let called = CallPeer(of: "called", on: channels[1], providing: other)
        returned = try [caller, called, called].map { peer in
            let returned = Awaited<Bool>()
            try DetachedThread.start {
                try? peer.receive()
                peer.end(.stopped)
                returned.set(true)
            }
            return returned
        }
    }

    /// Ends both channels, and waits until no thread receives any more.
    func end() async throws {
        for channel in channels { channel.end() }
        _ = try await DetachedThread.result { [returned] in returned.map { $0.wait() } }
    }
}

@Suite("CallPeer", .serialized)
struct CallPeerTests {
    /// The other end: its one instance has a function for each test.
    private final class Provider: InstanceProvider {
        let function: @Sendable (Int) async throws -> Int

        init(_ function: @escaping @Sendable (Int) async throws -> Int) { self.function = function }

        func instance(
            of service: String, named name: String?
        ) async throws -> (target: WireTarget, requirements: Int) {
            (
                { [function] requirement, arguments in
                    try .value(try await function(try arguments.read(Int.self)))
                }, 1
            )
        }

        func call(_ requirement: Int, _ arguments: WireReader) async throws -> WireAnswer {
            try .value([UInt8](repeating: 7, count: try await function(requirement)))
        }
    }

    private func ends(_ function: @escaping @Sendable (Int) async throws -> Int) throws -> PeerEnds
    {
        try PeerEnds(Provider { $0 }, calling: Provider(function))
    }

    private struct Handle: Sendable {
        let handle: RemoteHandle

        init(to ends: PeerEnds) {
            handle = RemoteHandle("Service", named: nil, over: Shared<CallPeer?>(ends.caller))
        }

        func callAsFunction(_ number: Int) async throws -> Int {
            let arguments = WireWriter()
            try arguments.write(number)
            return try await handle.call(0, arguments, returning: Int.self)
        }
    }

    @Test("has its instance named before it is called, by many tasks at once")
    func naming() async throws {
        let ends = try ends { $0 + 1 }
        for round in 0..<200 {
            let handle = Handle(to: ends)
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { try await handle(number) }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 36, "round \(round)")
        }
        try await ends.end()
    }

    @Test("receives while a call keeps the thread that has received it")
    func blocking() async throws {
        let (first, second) = (Awaited<Bool>(), Awaited<Bool>())
        let ends = try ends { number in
            if number == 1 {
                first.set(true)
                _ = second.wait()
            } else if number == 2 {
                second.set(true)
            }
            return number
        }
        let handle = Handle(to: ends)
        // After the first call there is an instance, and the next one begins on the thread that receives it.
        #expect(try await handle(0) == 0)
        let waiting = Task { try await handle(1) }
        _ = try await DetachedThread.result { first.wait() }
        #expect(try await handle(2) == 2)
        #expect(try await waiting.value == 1)
        try await ends.end()
    }

    @Test("cancels a call that it is told to cancel before that has begun")
    func cancelledBefore() {
        let call = ServedCall()
        call.cancel()
        let isCancelled = Awaited<Bool>()
        call.run(false) { isCancelled.set(Task.isCancelled) }
        #expect(isCancelled.wait(within: Patience.limit) == true)
    }

    @Test("cancels a call that never waits")
    func cancelling() async throws {
        let begun = Awaited<Bool>()
        let ends = try ends { number in
            if number == 1 {
                begun.set(true)
                while !Task.isCancelled { usleep(100) }
                throw CancellationError()
            }
            return number
        }
        let handle = Handle(to: ends)
        #expect(try await handle(0) == 0)
        let endless = Task { try await handle(1) }
        _ = try await DetachedThread.result { begun.wait() }
        endless.cancel()
        await #expect(throws: CancellationError.self) { try await endless.value }
        // The thread receives again.
        #expect(try await handle(2) == 2)
        try await ends.end()
    }

    @Test("gets answers that are larger than what a socket takes, with many under way")
    func large() async throws {
        let ends = try ends { $0 }
        let sizes = [3_000_000, 1, 5_000_000, 70_000, 0, 2_000_000, 65_536, 65_535]
        let received = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var received: [Int] = []
                    for size in sizes {
                        let answer = try await ends.caller.call(.other, size, WireWriter())
                        received.append(try answer.read([UInt8].self).count)
                    }
                    return received
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(received == Array(repeating: sizes, count: 4))
        try await ends.end()
    }

    @Test("refuses calls that take too much memory together, and answers the others")
    func manyLarge() async throws {
        let open = Awaited<Bool>()
        let ends = try ends { number in
            _ = try await DetachedThread.result { open.wait() }
            return number
        }
        @Sendable func call() async throws -> [UInt8] {
            let arguments = WireWriter()
            try arguments.write([UInt8](repeating: 1, count: 8_000_000))
            return try await ends.caller.call(.other, 1, arguments).read([UInt8].self)
        }
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let answer = try? await call()
                    open.set(true)
                    return answer != nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.contains(true) && results.contains(false), "\(results)")
        #expect(try await call() == [7])
        try await ends.end()
    }

    @Test(
        "ends a channel whose other end lets it keep too much, or sends what no message has",
        arguments: [
            ("names", MessageError.tooMuchKept), ("a long name", .unexpected(.open)),
            ("a long log", .unexpected(.log)), ("a descriptor", .descriptors),
        ])
    func hoarding(_ attack: String, _ expected: MessageError) async throws {
        let sockets = try LocalSocket.pair()
        let peer = CallPeer(
            of: "called", on: try MessageChannel(sockets.own), providing: Provider { $0 })
        let ending = try ending(of: peer) {
            // The other end is not to wait any more.
            shutdown(sockets.own, Int32(SHUT_RDWR))
        }
        let found = try await DetachedThread.result {
            let size = attack == "a long log" ? Message.logLimit + 1 : 4000
            let name = [UInt8](repeating: 120, count: attack == "a long name" ? 4097 : size)
            for number in 1...UInt64(attack == "names" ? 20_000 : 1) {
                var queue = SendQueue()
                queue.add(Message(attack == "a long log" ? .log : .open, number, name))
                queue.send { bytes in
                    let content = Array(bytes)
                    let passed = attack == "a descriptor" ? [sockets.other] : []
                    let isSent = (try? LocalSocket.send(content, passed, to: sockets.other)) != nil
                    return isSent ? bytes.count : 0
                }
            }
            return ending.wait()
        }
        #expect(found == expected)
        close(sockets.other)
    }

    /// Receives on a thread of its own. The function is called once that has ended with an error, or without one.
    private func ending(
        of peer: CallPeer, _ body: @escaping @Sendable () -> Void
    ) throws -> Awaited<MessageError?> {
        let ending = Awaited<MessageError?>()
        try DetachedThread.start {
            do throws(MessageError) {
                try peer.receive()
                ending.set(nil)
            } catch {
                ending.set(error)
            }
            body()
        }
        return ending
    }

    @Test(
        "ends with the last message of the other end, which has sent all before anything is received"
    )
    func lastWords() async throws {
        let sockets = try LocalSocket.pair()
        let peer = CallPeer(
            of: "called", on: try MessageChannel(sockets.own), providing: Provider { $0 })
        let close: [UInt8] =
            [Frame.version, 9, 0, 0, 0, Message.Kind.close.rawValue] + .init(repeating: 0, count: 8)
        #expect(write(sockets.other, close, close.count) == close.count)
        shutdown(sockets.other, Int32(SHUT_WR))
        let ending = try ending(of: peer) {}
        #expect(try await DetachedThread.result { ending.wait() } == .some(nil))
        Glibc.close(sockets.other)
    }

    @Test("ends a channel that a caller has found damaged")
    func damaged() async throws {
        let sockets = try LocalSocket.pair()
        let peer = CallPeer(
            of: "called", on: try MessageChannel(sockets.own), providing: Provider { $0 })
        let ending = try ending(of: peer) { peer.end(.misunderstood("the test")) }
        let call = Task { _ = try await peer.call(.other, 0, WireWriter()) }
        // Answers as soon as the call has come: the caller still waits for it.
        try DetachedThread.start {
            let request = Pipe.read(sockets.other, count: 64)
            #expect(request?.isEmpty == false)
            let bytes: [UInt8] = [Frame.version, 9, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0]
            #expect(write(sockets.other, bytes, bytes.count) == bytes.count)
        }
        #expect(try await DetachedThread.result { ending.wait() } == .unknownKind(99))
        await #expect(throws: RemoteCallError.self) { try await call.value }
        close(sockets.other)
    }
}

@Suite("CallPatience")
struct CallPatienceTests {
    @Test("waits as long as answers come soon, and then more and more rarely")
    func rarely() {
        var patience = CallPatience(hasProcessors: true)
        /// How many calls do not wait until one does.
        func pause() -> Int {
            var count = 0
            while !patience.mayWait(isAlone: true) { count += 1 }
            return count
        }
        patience.note(true)
        #expect(pause() == 0)
        let pauses = (0..<10).map { _ in
            patience.note(false)
            return pause()
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
        patience.note(true)
        #expect(pause() == 0)
        let mayWait = patience.mayWait(isAlone: false)
        #expect(!mayWait)
        #expect(pause() == 63)
    }

    @Test("never waits where no other thread can run meanwhile")
    func oneProcessor() {
        var patience = CallPatience(hasProcessors: false)
        let mayWait = patience.mayWait(isAlone: true)
        #expect(!mayWait)
    }
}
