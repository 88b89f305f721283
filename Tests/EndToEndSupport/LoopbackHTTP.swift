// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc

/// Sends requests to a server on this machine, byte for byte as a test wants them.
struct LoopbackHTTP {
    struct Response: CustomStringConvertible {
        let status: Int
        /// The headers by their names in lower case.
        let headers: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var description: String { "\(status) \(headers)\n\(text)" }
    }

    let port: UInt16

    /// Sends a request, and waits for the response.
    ///
    /// - Parameters:
    ///   - headers: Take the place of those that are made: `Host`, `Content-Length` and, for a body,
    ///     `Content-Type`.
    ///   - body: The content; none if `nil`.
    func send(
        _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil
    ) throws -> Response {
        var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
        if let body {
            all["Content-Length"] = String(body.utf8.count)
            all["Content-Type"] = "application/x-www-form-urlencoded"
        }
        all.merge(headers) { $1 }
        let lines = all.map { "\($0.key): \($0.value)" }
        let head = (["\(method) \(path) HTTP/1.1"] + lines).joined(separator: "\r\n")
        return try exchange(Data((head + "\r\n\r\n" + (body ?? "")).utf8), isHead: method == "HEAD")
    }

    /// Sends bytes, and waits for a response.
    func exchange(_ request: Data, isHead: Bool = false) throws -> Response {
        let descriptor = try Self.connect(to: "127.0.0.1", port: port)
        defer { close(descriptor) }
        // A server may close the connection before it has read everything.
        _ = request.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        var received = Data()
        while true {
            if let response = Self.parse(received, isHead: isHead) { return response }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else {
                let text = String(decoding: received, as: UTF8.self)
                throw FixtureError("no whole response, only '\(text)'")
            }
            received.append(contentsOf: chunk[..<count])
        }
    }

    /// Connects to a port; the descriptor gives up after a while.
    static func connect(to address: String, port: UInt16) throws -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &place.sin_addr)
        let result = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw FixtureError("cannot connect to \(address):\(port): \(reason)")
        }
        return descriptor
    }

    /// The response, once all of it has come.
    private static func parse(_ bytes: Data, isHead: Bool) -> Response? {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
        }
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        let length = isHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        let body = bytes[end.upperBound...]
        guard body.count >= length else { return nil }
        return Response(status: status, headers: headers, body: Data(body.prefix(length)))
    }
}
