// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization

/// A call of the feature `count` of the fixture `CountsCalls`, or of `relay` of `RelaysCalls`.
struct CountedCall: Hashable {
    /// The build of the module that answered.
    let build: Int
    /// The number of the call, from 1 on.
    let number: Int
    let process: Int32
    /// A number that all calls have in common whose numbers are of one sequence; 0 if the feature says none.
    let origin: Int
    /// The answers to the calls that were a part of this one.
    let inner: [CountedCall]

    /// Calls, and waits for the answer.
    init(_ socket: String, _ byte: String = "x") throws {
        self = try HeldCall(socket).finish(byte)
    }

    fileprivate init(_ bytes: [UInt8]) throws {
        let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 3 || numbers.count > 3 && numbers.count % 4 == 0 else {
            throw FixtureError("strange answer: \(words)")
        }
        self.init(numbers[...])
    }

    private init(_ numbers: ArraySlice<Int>) {
        let own = Array(numbers.prefix(4))
        (build, number, process) = (own[0], own[1], Int32(own[2]))
        origin = own.count > 3 ? own[3] : 0
        inner = numbers.count > 4 ? [CountedCall(numbers.dropFirst(4))] : []
    }
}

/// A call that the feature has begun to answer, and that it can answer when it is finished.
final class HeldCall {
    private let connection: LocalSocket

    /// - Parameter seconds: How long the answer may take.
    init(_ socket: String, within seconds: Int = Int(Patience.seconds)) throws {
        connection = try LocalSocket(connectingTo: socket)
        _ = fcntl(connection.descriptor, F_SETFL, 0)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            connection.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
            socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ byte: String) throws {
        try LocalSocket.send(Array(byte.utf8), to: connection.descriptor)
    }

    /// Waits for the answer.
    func finish(_ byte: String = "x") throws -> CountedCall {
        try send(byte)
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            let more = try LocalSocket.receive(from: connection.descriptor).bytes
            guard !more.isEmpty else { throw FixtureError("the answer ended: \(bytes)") }
            bytes += more
        }
        return try CountedCall(bytes)
    }
}

/// Two threads that call again and again.
final class CallingThreads<Call: Sendable>: Sendable {
    private final class Seen: Sendable {
        let calls = Mutex<[Call]>([])
        let failures = Mutex<[String]>([])
    }

    private let seen = Seen()
    private let threads: RepeatingThreads

    init(_ call: @escaping @Sendable () throws -> Call) {
        threads = RepeatingThreads(2) { [seen] _ in
            do {
                let call = try call()
                seen.calls.withLock { $0.append(call) }
            } catch {
                seen.failures.withLock { $0.append("\(error)") }
            }
            // After many failures, none is news.
            return seen.failures.withLock { $0.count < 10 }
        }
    }

    /// The number of calls that were answered so far.
    var count: Int { seen.calls.withLock { $0.count } }
    /// The calls that were answered so far.
    fileprivate var calls: [Call] { seen.calls.withLock { $0 } }

    /// Waits until a number of further calls, and one more, were answered.
    func awaitCalls(_ further: Int) throws {
        let before = count
        try Patience.wait(for: "further calls") { count > before + further }
    }

    /// Ends the threads, unless they have ended, and returns what they have got.
    func end() -> (calls: [Call], failures: [String]) {
        threads.end()
        return (calls, seen.failures.withLock { $0 })
    }
}

extension CallingThreads<CountedCall> {
    convenience init(_ socket: String) { self.init { try CountedCall(socket) } }

    /// The process that has answered last.
    var process: Int32? { calls.last?.process }
    /// The processes that have answered.
    var processes: Set<Int32> { Set(calls.map(\.process)) }
}

/// Threads that do something again and again.
final class RepeatingThreads: Sendable {
    private let isOver = Awaited<Bool>()
    private let ended = DispatchGroup()

    /// - Parameters:
    ///   - count: How many threads.
    ///   - work: Is called with the number of its thread, from 0 on. Returns whether to go on.
    init(_ count: Int, _ work: @escaping @Sendable (Int) -> Bool) {
        for number in 0..<count {
            ended.enter()
            Thread.detachNewThread { [isOver, ended] in
                // A pause leaves the processors to what the test waits for.
                while isOver.wait(within: .milliseconds(2)) == nil, work(number) {}
                ended.leave()
            }
        }
    }

    /// Ends the threads, unless they have ended.
    func end() {
        isOver.set(true)
        ended.wait()
    }
}
