// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An answer as HTTP/1.1 transfers it. Its body is JSON.
struct HTTPResponse: Equatable, Sendable {
    var status: Int
    var body: [UInt8]
    /// Further fields of the head, such as `Allow`.
    var fields: [String: String] = [:]

    private static let phrases = [
        200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
        411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
        421: "Misdirected Request", 422: "Unprocessable Content",
        431: "Request Header Fields Too Large", 500: "Internal Server Error",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]

    /// The bytes to send.
    ///
    /// - Parameter keepsAlive: Whether the connection stays open afterwards.
    func bytes(keepsAlive: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n"
        let common = [
            "Content-Type": "application/json", "Content-Length": "\(body.count)",
            "Cache-Control": "no-store", "Connection": keepsAlive ? "keep-alive" : "close",
        ]
        for (name, value) in common.merging(fields, uniquingKeysWith: { $1 }).sorted(by: <) {
            head += "\(name): \(value)\r\n"
        }
        return Array((head + "\r\n").utf8) + body
    }
}
