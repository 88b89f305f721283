// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc

/// Answers the requests of a server. The server calls it on its own thread.
protocol WebSite: AnyObject, Sendable {
    /// A request has begun; ``ended()`` follows.
    func began()

    /// The response to a request that is not answered otherwise; `nil` to read its body and go on.
    func refusal(of request: WebRequest) -> WebResponse?

    /// The response to a request that is complete; `nil` if it was suspended. It is asked again after the
    /// request was resumed.
    func answer(_ exchange: WebExchange) -> WebResponse?

    /// A request is over: its response was sent, or its connection is gone.
    func ended()
}

/// The server of GNU libmicrohttpd: one thread, on a free port of 127.0.0.1.
// SAFETY: Its properties never change. The library's daemon may be used from any thread, and the box holds a
// site that is `Sendable`.
struct WebServer: @unchecked Sendable {
    /// For a further connection, one ends that has sent no request.
    private static let connectionLimit = 64
    /// Further ones wait until one is closed: so many have a request that is being answered.
    private static let hardLimit: UInt32 = 256
    /// An idle connection is closed after this time. In seconds.
    private static let idleLimit: UInt32 = 60

    // SAFETY: The library's functions that take the daemon may be called from any thread; `stop()` ends its
    // life, and the owner calls it once.
    private let daemon: OpaquePointer
    // SAFETY: `init` retains the site's box, and `stop()` releases it once, after the server's thread has ended.
    private let site: Unmanaged<SiteBox>
    /// The port that it listens on.
    let port: UInt16

    /// Starts the server.
    init(_ site: any WebSite) throws(WebServerError) {
        // SAFETY: The box is released here if there is no server, else by `stop()`.
        let box = Unmanaged.passRetained(SiteBox(site, limit: Self.connectionLimit))
        let started = eaves_start_server(
            answerRequest, endRequest, noteConnection, box.toOpaque(), Self.hardLimit,
            Self.idleLimit)
        guard let started else {
            let code = errno
            box.release()
            throw WebServerError(reason: String(cString: strerror(code)))
        }
        daemon = started
        self.site = box
        port = eaves_server_port(started)
    }

    /// Closes all connections, and ends the server's thread. No request may be suspended.
    func stop() {
        MHD_stop_daemon(daemon)
        site.release()
    }
}

/// The server cannot be started.
struct WebServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's reason.
    let reason: String

    var description: String {
        "cannot listen on a port of 127.0.0.1: \(reason); choose another renderer with "
            + "'eaves swap ScreenRenderer'"
    }
}

/// A request on its way through the server.
// SAFETY: The server's thread reads and writes all of it. While the request is suspended, the server does not
// touch it, and only the site does, under its lock.
final class WebExchange: @unchecked Sendable {
    fileprivate(set) var request: WebRequest
    /// Whether its form has made an event.
    var hasMadeEvent = false
    /// Whether it has waited for as long as it may.
    var isOverdue = false
    /// How often it was suspended.
    private(set) var turn = 0
    // SAFETY: The library's object is valid until the request has ended, and no code uses the exchange after that.
    private let connection: OpaquePointer

    fileprivate init(_ request: WebRequest, _ connection: OpaquePointer) {
        self.request = request
        self.connection = connection
    }

    /// Suspends the request, on the server's thread.
    func suspend() {
        turn += 1
        MHD_suspend_connection(connection)
    }

    /// Lets the server ask for a response again. Only for a request that is suspended, and once.
    func resume() {
        MHD_resume_connection(connection)
    }
}

// MARK: - The library's calls

// SAFETY: The server's thread alone uses the connections. Other threads use the site, which is `Sendable`.
/// Carries a site through a pointer of C, with what is known of the server's connections.
private final class SiteBox: @unchecked Sendable {
    let site: any WebSite
    var connections: WebConnections

    init(_ site: any WebSite, limit: Int) {
        self.site = site
        connections = WebConnections(limit: limit)
    }
}

/// Called for each connection that is accepted, and before its socket is closed.
private func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    // SAFETY: The context is the box that `WebServer` keeps.
    let box = Unmanaged<SiteBox>.fromOpaque(context).takeUnretainedValue()
    let socket = eaves_connection_socket(connection)
    guard event == MHD_CONNECTION_NOTIFY_STARTED else { return box.connections.close(socket) }
    // The library sees its end, and closes it.
    if let ended = box.connections.open(socket) { shutdown(ended, Int32(SHUT_RDWR)) }
}

// SAFETY: The context is the box that `WebServer` keeps until the server's thread has ended. The state is an
// exchange that the first call of a request retains, and the call for its end releases.

/// Called for the head of a request, then for each part of its body, then when it is complete, and again
/// after each suspension.
private func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let url, let method, let uploadSize, let state else {
        return MHD_NO
    }
    // SAFETY: The context is the box that `WebServer` keeps.
    let box = Unmanaged<SiteBox>.fromOpaque(context).takeUnretainedValue()
    let site = box.site
    guard let known = state.pointee else {
        let request = WebRequest(
            method: String(cString: method), path: String(cString: url), connection)
        let exchange = WebExchange(request, connection)
        // SAFETY: `endRequest` releases it, once for each request.
        state.pointee = Unmanaged.passRetained(exchange).toOpaque()
        site.began()
        if let refusal = site.refusal(of: request) { return send(refusal, on: connection) }
        box.connections.answer(eaves_connection_socket(connection))
        return MHD_YES
    }
    // SAFETY: The first call of this request has put it there, and `endRequest` has not been called yet.
    let exchange = Unmanaged<WebExchange>.fromOpaque(known).takeUnretainedValue()
    if uploadSize.pointee > 0, let upload {
        // The declared length was checked, and the library reads no more. Should it do so, the connection ends.
        guard exchange.request.body.count + uploadSize.pointee <= WebGate.bodyLimit else {
            return MHD_NO
        }
        // SAFETY: The library gives as many bytes, valid during this call.
        let bytes = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
        exchange.request.body.append(contentsOf: bytes)
        uploadSize.pointee = 0
        return MHD_YES
    }
    return site.answer(exchange).map { send($0, on: connection) } ?? MHD_YES
}

/// Called once for each request that `answerRequest` was called for.
private func endRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
    guard let context, let connection, let state, let known = state.pointee else { return }
    // SAFETY: The first call of this request has retained it.
    Unmanaged<WebExchange>.fromOpaque(known).release()
    state.pointee = nil
    // SAFETY: The context is the box that `WebServer` keeps.
    let box = Unmanaged<SiteBox>.fromOpaque(context).takeUnretainedValue()
    box.connections.end(eaves_connection_socket(connection))
    box.site.ended()
}

private func send(_ response: WebResponse, on connection: OpaquePointer) -> MHD_Result {
    var body = response.body
    let created = body.withUTF8 { bytes in
        // SAFETY: The library copies the bytes during this call, and does not write to them.
        MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
            MHD_RESPMEM_MUST_COPY)
    }
    guard let created else { return MHD_NO }
    defer { MHD_destroy_response(created) }
    for header in response.headers {
        guard MHD_add_response_header(created, header.name, header.value) == MHD_YES else {
            return MHD_NO
        }
    }
    return MHD_queue_response(connection, UInt32(response.status), created)
}

extension WebRequest {
    fileprivate init(method: String, path: String, _ connection: OpaquePointer) {
        func header(_ name: String) -> String? {
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name)
                .map { String(cString: $0) }
        }
        self.init(
            method: method, path: path, host: header("Host"), origin: header("Origin"),
            referer: header("Referer"), site: header("Sec-Fetch-Site"),
            contentType: header("Content-Type"), contentLength: header("Content-Length"),
            transferEncoding: header("Transfer-Encoding"))
        // Two hosts are none.
        if eaves_host_count(connection) != 1 { host = nil }
    }
}
