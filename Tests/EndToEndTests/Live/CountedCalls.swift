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
        let connection = try LocalSocket(connectingTo: socket)
        _ = fcntl(connection.descriptor, F_SETFL, 0)
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        setsockopt(
            connection.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
            socklen_t(MemoryLayout<timeval>.size))
        try LocalSocket.send(Array(byte.utf8), to: connection.descriptor)
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            let more = try LocalSocket.receive(from: connection.descriptor).bytes
            guard !more.isEmpty else { throw FixtureError("the answer ended: \(bytes)") }
            bytes += more
        }
        let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 3 else { throw FixtureError("strange answer: \(words)") }
        (build, number, process) = (numbers[0], numbers[1], Int32(numbers[2]))
    }
}

/// Two threads that call without a pause.
final class CallingThreads: Sendable {
    private struct State {
        var calls: [CountedCall] = []
        var failures: [String] = []
        var isOver = false
        var running = 0
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init(_ socket: String) {
        for _ in 0..<2 {
            Thread.detachNewThread { [self] in
                while !state.withLock({ $0.isOver }) {
                    do {
                        let call = try CountedCall(socket)
                        state.withLock { $0.calls.append(call) }
                    } catch {
                        state.withLock { $0.failures.append("\(error)") }
                    }
                }
                ended.signal()
            }
        }
    }

    /// Ends the threads, and returns what they have got.
    func end() -> (calls: [CountedCall], failures: [String]) {
        state.withLock { $0.isOver = true }
        for _ in 0..<2 { ended.wait() }
        return state.withLock { ($0.calls, $0.failures) }
    }
}
