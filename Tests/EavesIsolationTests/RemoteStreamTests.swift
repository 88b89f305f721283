// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesIsolation

@Suite("RemoteStream", .serialized)
struct RemoteStreamTests {
    /// Answers each call with a stream of this stream's elements.
    private struct Provider: InstanceProvider {
        let element: @Sendable (Int) async throws -> [UInt8]?

        func instance(
            of service: String, named name: String?
        ) async throws -> (target: WireTarget, requirements: Int) { throw Refusal("none") }

        func call(_ requirement: Int, _ arguments: WireReader) async throws -> WireAnswer {
            let made = Mutex(0)
            return .stream(
                AsyncThrowingStream { [element] in
                    try await element(
                        made.withLock { made in
                            defer { made += 1 }
                            return made
                        })
                })
        }
    }

    /// - Parameter element: A function that makes the element with a number, from 0.
    private func withStream(
        of element: @escaping @Sendable (Int) async throws -> [UInt8]?,
        _ body: (RemoteStream, PeerEnds) async throws -> Void
    ) async throws {
        let provider = Provider(element: element)
        let ends = try PeerEnds(provider, calling: provider)
        try await body(
            RemoteStream(.other, 0, WireWriter(), of: ends.caller), ends)
        try await ends.end()
    }

    private static let largest = Message.contentLimit - 6

    @Test(
        "gets elements of any size in their order",
        arguments: [
            [], Array(repeating: 1, count: 500), Array(repeating: 4_000_000, count: 20),
            [1, 2, largest, 3], [40_000, 1, 40_000, 32_768, 65_536, 2],
            Array(repeating: 20_000, count: 10),
        ])
    func sizes(_ sizes: [Int]) async throws {
        try await withStream {
            $0 < sizes.count ? [UInt8](repeating: 7, count: sizes[$0]) : nil
        } _: { stream, _ in
            var found: [Int] = []
            while let element = try await stream.next() {
                found.append(try element.read([UInt8].self).count)
            }
            #expect(found == sizes)
            #expect(try await stream.next() == nil)
        }
    }

    @Test("gets an error behind the elements before it", arguments: [0, 1, 63, 64, 200])
    func failure(_ count: Int) async throws {
        try await withStream { number in
            guard number < count else { throw Refusal("the end") }
            return [UInt8(number)]
        } _: { stream, _ in
            for number in 0..<count {
                let element = try await stream.next()?.read([UInt8].self)
                #expect(element == [UInt8(number)])
            }
            let error = await #expect(throws: RemoteCallError.self) {
                _ = try await stream.next()
            }
            #expect(
                error?.reason == .failed(type: "EavesIsolation.Refusal", description: "the end"))
        }
    }

    @Test("lets elements be made ahead of its reader, but only so many")
    func ahead() async throws {
        let made = Mutex(0)
        let isAhead = Awaited<Bool>()
        try await withStream { number in
            made.withLock { $0 = number + 1 }
            if number == 60 { isAhead.set(true) }
            return []
        } _: { stream, _ in
            _ = try await stream.next()
            _ = try await DetachedThread.result { isAhead.wait() }
            for read in 1...1_000 {
                // An answer, those ahead of it, and what the test has not counted yet.
                #expect(made.withLock { $0 } <= read + 2 * 65)
                _ = try await stream.next()
            }
        }
    }

    @Test("gets each element of a slow stream before the next one is made")
    func slow() async throws {
        let read = (0..<3).map { _ in Awaited<Bool>() }
        try await withStream { number in
            guard number < read.count else { return nil }
            if number > 0 { _ = try await DetachedThread.result { read[number - 1].wait() } }
            return [UInt8(number)]
        } _: { stream, _ in
            for number in read.indices {
                let element = try await stream.next()?.read([UInt8].self)
                #expect(element == [UInt8(number)])
                read[number].set(true)
            }
            let isOver = try await stream.next() == nil
            #expect(isOver)
        }
    }

    @Test(
        "ends the task that makes its elements, if its reader is cancelled or gone, or the channel ends",
        arguments: ["cancelled", "gone", "channel"])
    func leaving(_ way: String) async throws {
        let (begun, ended) = (Awaited<Bool>(), Awaited<Bool>())
        let provider = Provider { number in
            if number == 0 { return [] }
            begun.set(true)
            defer { ended.set(Task.isCancelled) }
            try await Task.sleep(for: Patience.limit)
            return nil
        }
        let ends = try PeerEnds(provider, calling: provider)
        var stream: RemoteStream? = try await RemoteStream(.other, 0, WireWriter(), of: ends.caller)
        #expect(try await stream?.next()?.read([UInt8].self) == [])
        // Ahead of the reader.
        _ = try await DetachedThread.result { begun.wait() }
        if way == "cancelled" {
            let reader = Task.immediate { [stream] in try await stream?.next() == nil }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        } else if way == "channel" {
            try await ends.end()
        }
        if way != "cancelled" { stream = nil }
        #expect(try await DetachedThread.result { ended.wait() })
        try await ends.end()
    }

    @Test("refuses a second call that waits")
    func turns() async throws {
        let sockets = try LocalSocket.pair()
        defer { close(sockets.other) }
        let go = Awaited<Bool>()
        let peer = CallPeer(
            of: "caller", on: try MessageChannel(sockets.own), providing: Provider { _ in nil })
        let stream = ServedStream(
            {
                _ = try await DetachedThread.result { go.wait() }
                return nil
            }, of: peer)
        let calls = [1, 2].map { call in Task.immediate { try await stream.answer(to: call) } }
        go.set(true)
        var refused = 0
        for call in calls {
            do { #expect(try await call.value.kind == .end) } catch is Refusal { refused += 1 }
        }
        #expect(refused == 1)
    }

    @Test(
        "fails if elements are damaged",
        arguments: [[], [1, 0], [1, 0, 0, 0], [255, 255, 255, 255, 9], [1, 0, 0, 0, 9]])
    func damaged(_ content: [UInt8]) async throws {
        let sockets = try LocalSocket.pair()
        let (own, other) = (try MessageChannel(sockets.own), try MessageChannel(sockets.other))
        let caller = CallPeer(of: "caller", on: own, providing: Provider { _ in nil })
        try DetachedThread.start { try? caller.receive() }
        try DetachedThread.start {
            try? other.receive(until: { nil }, look: {}) { message in
                guard message.kind == .call else { return nil }
                let isFirst = message.content[..<8].littleEndian == 0
                let answer = isFirst ? [] : content
                other.send(Message(isFirst ? .stream : .elements, message.number, answer))
                return nil
            }
        }
        let stream = try await RemoteStream(.other, 0, WireWriter(), of: caller)
        await #expect(throws: RemoteCallError.self) { _ = try await stream.next() }
        own.end()
        other.end()
    }
}
