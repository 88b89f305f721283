// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization

@testable import EndToEndSupport

/// A call of the feature `count` of the fixture `CountsCalls`.
struct CountedCall: Hashable {
    /// The build of the module that answered.
    let build: Int
    /// The number of the call, from 1 on.
    let number: Int
    let process: Int32

    /// Calls, and waits for the answer.
    init(_ socket: String, _ byte: String = "x") throws {
        self = try HeldCall(socket).finish(byte)
    }

    fileprivate init(_ bytes: [UInt8]) throws {
        let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 3 else { throw FixtureError("strange answer: \(words)") }
        (build, number, process) = (numbers[0], numbers[1], Int32(numbers[2]))
    }
}

/// A call that the feature has begun to answer, and that it can answer when it is finished.
final class HeldCall {
    private let connection: LocalSocket

    init(_ socket: String) throws {
        connection = try LocalSocket(connectingTo: socket)
        _ = fcntl(connection.descriptor, F_SETFL, 0)
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
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
final class CallingThreads: Sendable {
    private final class Seen: Sendable {
        let calls = Mutex<[CountedCall]>([])
        let failures = Mutex<[String]>([])
    }

    private let seen = Seen()
    private let threads: RepeatingThreads

    init(_ socket: String) {
        threads = RepeatingThreads(2) { [seen] _ in
            do {
                let call = try CountedCall(socket)
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
    /// The process that has answered last.
    var process: Int32? { seen.calls.withLock { $0.last?.process } }
    /// The processes that have answered.
    var processes: Set<Int32> { seen.calls.withLock { Set($0.map(\.process)) } }

    /// Ends the threads, unless they have ended, and returns what they have got.
    func end() -> (calls: [CountedCall], failures: [String]) {
        threads.end()
        return (seen.calls.withLock { $0 }, seen.failures.withLock { $0 })
    }
}
