// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization

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

    /// Waits for the answer.
    func finish(_ byte: String = "x") throws -> CountedCall {
        try LocalSocket.send(Array(byte.utf8), to: connection.descriptor)
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
    private struct State {
        var calls: [CountedCall] = []
        var failures: [String] = []
    }

    private let state = Mutex(State())
    private let isOver = Awaited<Bool>()
    private let ended = DispatchGroup()

    init(_ socket: String) {
        for _ in 0..<2 {
            ended.enter()
            Thread.detachNewThread { [self] in
                // A pause leaves the processors to what the test waits for. After many failures, none is news.
                while isOver.wait(within: .milliseconds(2)) == nil, mayGoOn {
                    do {
                        let call = try CountedCall(socket)
                        state.withLock { $0.calls.append(call) }
                    } catch {
                        state.withLock { $0.failures.append("\(error)") }
                    }
                }
                ended.leave()
            }
        }
    }

    /// The number of calls that were answered so far.
    var count: Int { state.withLock { $0.calls.count } }

    private var mayGoOn: Bool { state.withLock { $0.failures.count < 10 } }

    /// Ends the threads, unless they have ended, and returns what they have got.
    func end() -> (calls: [CountedCall], failures: [String]) {
        isOver.set(true)
        ended.wait()
        return state.withLock { ($0.calls, $0.failures) }
    }
}
