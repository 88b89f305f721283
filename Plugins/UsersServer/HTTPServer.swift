// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// A server for HTTP/1.1 on loopback. Each connection has a thread.
final class HTTPServer: Sendable {
    /// A function that answers a request.
    typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    /// The number of connections that are served at once. For a further one, the connection ends from which the
    /// server has waited longest for a request. If it answers all of them, the further one is told to come later.
    static let connectionLimit = 64

    /// The port that it listens on.
    let port: UInt16

    private let listener: Int32
    /// Two connected sockets. When the server is to stop, the first one is shut down, and everybody who waits
    /// for the second one wakes up.
    private let stop: (signal: Int32, event: Int32)
    private let handler: Handler
    private let partingTime: Double
    /// Since when the server waits for a request of each connection, by descriptor; `nil` while it answers one.
    private let connections = Mutex<[Int32: Double?]>([:])
    /// The threads that still use the descriptors.
    private let threads = DispatchGroup()

    /// Takes connections from a socket.
    ///
    /// - Parameters:
    ///   - listener: The socket that listens. Other processes may take connections from it, too, so that `accept` must not wait. The
    ///     server closes it, also if this fails.
    ///   - partingTime: The time that clients have for requests when the server stops, in seconds.
    init(
        listener: Int32, partingTime: Double = 1, handler: @escaping Handler
    ) throws(HTTPServerError) {
        self.handler = handler
        self.partingTime = partingTime
        self.listener = listener
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let paired = socketpair(AF_UNIX, type, 0, &pair)
        let reason = errno
        stop = (pair[0], pair[1])
        do throws(HTTPServerError) {
            port = try Self.port(of: listener)
            guard paired == 0 else { throw HTTPServerError(port: port, code: reason) }
        } catch {
            for descriptor in [listener, stop.signal, stop.event] { close(descriptor) }
            throw error
        }
    }

    deinit {
        for descriptor in [listener, stop.signal, stop.event] { close(descriptor) }
    }

    /// Makes a socket that listens on loopback.
    ///
    /// - Parameter port: 0 for any free one.
    /// - Returns: A socket for ``init(listener:partingTime:handler:)``.
    static func listen(onPort port: UInt16) throws(HTTPServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, type, 0)
        // A port can be used again while earlier connections to it are still fading away.
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withGenericAddress(&address) { address, size in
            guard listener >= 0, bind(listener, address, size.pointee) == 0,
                Glibc.listen(listener, SOMAXCONN) == 0
            else { return errno }
            return 0
        }
        guard code == 0 else {
            close(listener)
            throw HTTPServerError(port: port, code: code)
        }
        return listener
    }

    /// The port that a socket listens on.
    private static func port(of listener: Int32) throws(HTTPServerError) -> UInt16 {
        var address = sockaddr_in()
        let code = withGenericAddress(&address) { getsockname(listener, $0, $1) == 0 ? 0 : errno }
        guard code == 0 else { throw HTTPServerError(port: 0, code: code) }
        // systemd may have opened a socket of another kind.
        guard address.sin_family == sa_family_t(AF_INET) else {
            throw HTTPServerError(port: 0, code: EAFNOSUPPORT)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func withGenericAddress(
        _ address: inout sockaddr_in,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: The system's calls take an address of any family by the pointer to its common part. The
        // memory is that of `address`, whose size they get.
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &size) }
        }
    }

    /// Serves until the task is cancelled, and returns when the requests under way have been answered, and those that
    /// clients with new connections are about to send.
    func run() async {
        await withTaskCancellationHandler {
            startThread { $0.acceptConnections() }
            await withCheckedContinuation { continuation in
                threads.notify(queue: .global()) { continuation.resume() }
            }
        } onCancel: {
            shutdown(stop.signal, Int32(SHUT_RDWR))
        }
    }

    private func acceptConnections() {
        while true {
            var wanted = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.event, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&wanted, 2, -1) >= 0 else {
                if errno == EINTR { continue }
                return
            }
            if wanted[1].revents != 0 { return }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                // Without free descriptors, the connection stays in the queue: others end meanwhile.
                if errno == EMFILE || errno == ENFILE { poll(&wanted[1], 1, 100) }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            start(descriptor)
        }
    }

    private func start(_ descriptor: Int32) {
        // A client that takes nothing must not keep the thread.
        var limit = timeval(tv_sec: Int(HTTPConnection.requestTime), tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard admit(descriptor) else {
            let busy = UsersAPI.refusal(503, "busy", "Too many connections are open.")
            let bytes = busy.bytes(keepsAlive: false)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            close(descriptor)
            return
        }
        startThread { server in
            let connection = HTTPConnection(
                descriptor: descriptor, stop: server.stop.event, partingTime: server.partingTime,
                handler: server.handler
            ) { isAnswering in
                server.connections.withLock { connections in
                    guard connections[descriptor] != nil else { return false }
                    connections[descriptor] = .some(isAnswering ? nil : HTTPConnection.now)
                    return true
                }
            }
            connection.serve()
            // Another connection gets the number of the descriptor as soon as it is closed.
            server.connections.withLock {
                $0[descriptor] = nil
                close(descriptor)
            }
        }
    }

    /// Counts a connection.
    ///
    /// - Returns: `false` if there are too many, and all of them are being answered.
    private func admit(_ descriptor: Int32) -> Bool {
        connections.withLock { connections in
            if connections.count >= Self.connectionLimit {
                let waiting = connections.compactMap { key, since in since.map { (key, $0) } }
                guard let longest = waiting.min(by: { $0.1 < $1.1 })?.0 else { return false }
                // Its thread sees the end, and closes it.
                shutdown(longest, Int32(SHUT_RDWR))
                connections[longest] = nil
            }
            connections[descriptor] = .some(HTTPConnection.now)
            return true
        }
    }

    /// Runs some work on a thread of its own, which keeps the server.
    private func startThread(_ work: @escaping @Sendable (HTTPServer) -> Void) {
        threads.enter()
        let job = Job { [self] in
            work(self)
            threads.leave()
        }
        var thread = pthread_t()
        // SAFETY: The new thread takes over the reference that is retained here; if there is no new thread,
        // it is released here.
        let reference = Unmanaged.passRetained(job)
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, reference.toOpaque())
        guard code == 0 else {
            reference.takeRetainedValue().run()
            return
        }
        pthread_detach(thread)
    }

    private final class Job: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

/// The server cannot listen.
struct HTTPServerError: Error, CustomStringConvertible {
    let port: UInt16
    let code: Int32

    var description: String {
        if code == EADDRINUSE {
            return "the port \(port) is in use. Choose another one, or 0 for any that is free."
        }
        if code == EACCES {
            return "the port \(port) is not for everybody. Choose one from 1024 on, or 0."
        }
        return "cannot listen on port \(port): \(String(cString: strerror(code)))"
    }
}
