// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// One connection of the server, on a thread of its own.
struct HTTPConnection {
    /// The time for a whole request, in seconds, so that a slow sender does not keep a thread.
    static let requestTime = 10.0
    /// The time between two requests, in seconds.
    static let idleTime = 30.0

    let descriptor: Int32
    /// A descriptor that is at its end as soon as the server stops.
    let stop: Int32
    /// The time for the rest of a request, and for the first one of a connection, once the server stops, in seconds.
    let partingTime: Double
    let handler: HTTPServer.Handler
    /// Hears whether a request is being answered, or waited for. Returns whether the server still has the connection.
    let changed: @Sendable (_ isAnswering: Bool) -> Bool

    /// Answers the requests of the connection until one side ends it.
    func serve() {
        var parser = HTTPParser()
        var isNew = true
        do {
            while let request = try nextRequest(&parser, isNew: isNew) {
                guard changed(true) else { return }
                let answer = answer(request)
                let keepsAlive = request.keepsAlive && !isStopping
                guard send(answer.bytes(keepsAlive: keepsAlive)) else { return }
                guard keepsAlive else { break }
                guard changed(false) else { return }
                isNew = false
            }
        } catch {
            let refusal = UsersAPI.refusal(error.status, "badRequest", error.message)
            guard send(refusal.bytes(keepsAlive: false)) else { return }
        }
        endGently()
    }

    /// - Parameter isNew: Whether the connection has had no request yet. Its client cannot know that the server stops,
    ///   and gets a moment to send one.
    /// - Returns: `nil` if the client has ended the connection, or is idle for too long, or if the server stops.
    private func nextRequest(
        _ parser: inout HTTPParser, isNew: Bool
    ) throws(HTTPRequestError) -> HTTPRequest? {
        var hasBegun = parser.isWithinRequest
        var wait = Wait(until: Self.now + (hasBegun ? Self.requestTime : Self.idleTime))
        while true {
            if let request = try parser.next() { return request }
            if parser.awaitsContinue {
                guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
            }
            switch receive(&wait, atStop: hasBegun || isNew ? partingTime : 0) {
            case .bytes(let bytes):
                if !hasBegun { wait.begin(until: Self.now + Self.requestTime) }
                hasBegun = true
                parser.append(bytes)
            case .ended: return nil
            case .late:
                guard hasBegun, !wait.isParting else { return nil }
                throw HTTPRequestError(408, "The request did not come to its end in time.")
            }
        }
    }

    /// Runs the handler, which is asynchronous, on this thread: a server answers also while all threads of
    /// the concurrency runtime are busy.
    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let thread = AnsweringThread()
        Task(executorPreference: thread) { [handler] in thread.end(with: await handler(request)) }
        return thread.run()
    }

    /// Runs the jobs of a task on the thread that waits for the task.
    private final class AnsweringThread: TaskExecutor {
        private let jobs = Mutex<[UnownedJob]>([])
        private let answer = Mutex<HTTPResponse?>(nil)
        private let added = DispatchSemaphore(value: 0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
            added.signal()
        }

        func end(with response: HTTPResponse) {
            answer.withLock { $0 = response }
        }

        /// Runs jobs until there is an answer.
        func run() -> HTTPResponse {
            while true {
                if let response = answer.withLock(\.self) { return response }
                added.wait()
                jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    // MARK: The socket

    private enum Received {
        case bytes([UInt8])
        case ended
        case late
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How long a client has for what it sends.
    private struct Wait {
        private(set) var deadline: Double
        private(set) var isParting = false

        init(until deadline: Double) {
            self.deadline = deadline
        }

        /// Sets another time, unless the server stops.
        mutating func begin(until deadline: Double) {
            if !isParting { self.deadline = deadline }
        }

        mutating func part(until deadline: Double) {
            isParting = true
            self.deadline = min(self.deadline, deadline)
        }
    }

    /// Whether the server stops.
    private var isStopping: Bool {
        var wanted = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// Waits for bytes. Those that are there already count, also if the server stops.
    ///
    /// - Parameter rest: The time that is left once the server stops, in seconds.
    private func receive(_ wait: inout Wait, atStop rest: Double) -> Received {
        while true {
            var wanted = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wait.isParting ? -1 : stop, events: Int16(POLLIN), revents: 0),
            ]
            let time = wait.deadline - Self.now
            let ready = poll(&wanted, 2, time <= 0 ? 0 : Int32(time * 1000) + 1)
            if ready == 0 { return .late }
            if ready < 0 && errno != EINTR { return .ended }
            if ready < 0 { continue }
            guard wanted[0].revents != 0 else {
                guard rest > 0 else { return .ended }
                wait.part(until: Self.now + rest)
                continue
            }
            var buffer = [UInt8](repeating: 0, count: 8 << 10)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return .bytes(Array(buffer.prefix(count))) }
            if count == 0 || errno != EINTR { return .ended }
        }
    }

    /// - Returns: Whether the client took everything. One that takes nothing for too long is given up.
    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Reads what the client has sent already: a socket that is closed with unread bytes takes the answer back
    /// that is on its way.
    private func endGently() {
        shutdown(descriptor, Int32(SHUT_WR))
        var wait = Wait(until: Self.now + 1)
        var count = 0
        while count < 1 << 20, case .bytes(let bytes) = receive(&wait, atStop: 0) {
            count += bytes.count
        }
    }
}
