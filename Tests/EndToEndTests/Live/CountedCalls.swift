// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
        let connection = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(connection) }
        var limit = timeval(tv_sec: Int(Eaves.limit), tv_usec: 0)
        setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, send(connection, byte, 1, Int32(MSG_NOSIGNAL)) == 1 else {
            throw FixtureFault(what: "cannot call: \(String(cString: strerror(errno)))")
        }
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            var chunk = [UInt8](repeating: 0, count: 100)
            let count = read(connection, &chunk, chunk.count)
            guard count > 0 else {
                throw FixtureFault(what: "no answer: \(String(cString: strerror(errno)))")
            }
            bytes += chunk[..<count]
        }
        let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 3 else { throw FixtureFault(what: "strange answer: \(words)") }
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
