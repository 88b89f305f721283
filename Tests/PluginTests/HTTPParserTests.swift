// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing
import EavesTestSupport

@testable import UsersServer

@Suite("The parser of HTTP requests", .onOwnThreads)
struct HTTPParserTests {
    private func parse(_ text: String) throws -> HTTPRequest? {
        var parser = HTTPParser()
        parser.append(text.utf8)
        return try parser.next()
    }

    private static let example =
        "\r\nPUT /v1/users/7?name=Zo%C3%AB&x HTTP/1.1\r\nHost:  localhost:80 \r\n"
        + "Content-Length: 4\r\nX-A: 1\r\nx-a: 2\r\n\r\n{\r\n}"

    @Test("reads a request however it is cut, and the one behind it")
    func cut() throws {
        let bytes = Array((Self.example + "GET / HTTP/1.0\r\nHost: a\r\n\r\n").utf8)
        for size in [1, 2, 3, 7, bytes.count] {
            var parser = HTTPParser()
            var requests: [HTTPRequest] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                parser.append(bytes[start..<min(start + size, bytes.count)])
                while let request = try parser.next() { requests.append(request) }
            }
            #expect(
                requests == [
                    HTTPRequest(
                        method: "PUT", path: ["v1", "users", "7"],
                        query: ["name": "Zoë", "x": ""],
                        fields: ["host": "localhost:80", "content-length": "4", "x-a": "1, 2"],
                        body: Array("{\r\n}".utf8)),
                    HTTPRequest(
                        method: "GET", path: [], fields: ["host": "a"], keepsAlive: false),
                ])
            #expect(!parser.isWithinRequest)
        }
    }

    @Test(
        "knows whether the connection stays",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: Close\r\n", false),
            ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: keep-alive\r\n", true),
        ])
    func keepsAlive(_ version: String, _ field: String, _ keepsAlive: Bool) throws {
        let request = try parse("GET / \(version)\r\nHost: a\r\n\(field)\r\n")
        #expect(request?.keepsAlive == keepsAlive)
    }

    @Test(
        "refuses what is malformed, ambiguous or too long",
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nNo field\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n", 400),
            ("GET /% HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /%+1 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET /%FF HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", 400),
            (
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
                400
            ),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("GET /" + String(repeating: "x", count: 17 << 10), 431),
        ])
    func refuses(_ text: String, _ status: Int) {
        let error = #expect(throws: HTTPRequestError.self) { try parse(text) }
        #expect(error?.status == status, "\(text.prefix(60)): \(String(describing: error))")
    }

    @Test("waits for the rest, and knows when the client waits for a sign")
    func waits() throws {
        var parser = HTTPParser()
        #expect(!parser.isWithinRequest)
        parser.append("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n".utf8)
        #expect(try parser.next() == nil)
        #expect(parser.isWithinRequest && !parser.awaitsContinue)
        parser.append("Expect: 100-Continue\r\n\r\n".utf8)
        #expect(try parser.next() == nil)
        #expect(parser.awaitsContinue)
        parser.append("{".utf8)
        #expect(try parser.next() == nil)
        #expect(!parser.awaitsContinue)
        parser.append("}".utf8)
        #expect(try parser.next()?.body == Array("{}".utf8))
    }

    @Test("survives any bytes")
    func anything() {
        var generator = SeededNumbers()
        for _ in 0..<2000 {
            var bytes = Array(Self.example.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            var parser = HTTPParser()
            parser.append(bytes)
            _ = try? parser.next()
        }
    }
}
