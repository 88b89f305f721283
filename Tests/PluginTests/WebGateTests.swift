// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import RendererWeb

/// Which requests are answered at all.
@Suite("gate of the web renderer", .onOwnThreads) struct WebGateTests {
    private let gate = WebGate(secret: "0123456789abcdef0123456789abcdef")

    private func request(_ method: String = "GET", _ change: (inout WebRequest) -> Void) -> Int? {
        var request = WebRequest(
            method: method, path: gate.root, host: "127.0.0.1:8000",
            contentType: "application/x-www-form-urlencoded", contentLength: "12")
        change(&request)
        return gate.refusal(of: request)?.status
    }

    @Test("has a secret of 128 random bits")
    func secret() {
        let secrets = Set((0..<1000).map { _ in WebGate().secret })
        #expect(secrets.count == 1000)
        #expect(secrets.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test(
        "lets through what has the secret",
        arguments: [
            "127.0.0.1:8000", "127.0.0.1", "localhost:9000", "LOCALHOST",
        ])
    func hosts(_ host: String) {
        #expect(request { $0.host = host } == nil)
        #expect(request("HEAD") { $0.host = host } == nil)
        #expect(request("POST") { $0.host = host } == nil)
    }

    @Test(
        "finds nothing for other hosts",
        arguments: [
            nil, "", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8000",
            "127.0.0.1:8000:1", "127.0.0.1:x", "127.0.0.1:x@evil.example", "evil@127.0.0.1",
            "127.0.0.2", "0.0.0.0:8000",
        ])
    func otherHosts(_ host: String?) {
        #expect(request { $0.host = host } == 404)
        #expect(request("POST") { $0.host = host } == 404)
        #expect(request("DELETE") { $0.host = host } == 404)
    }

    @Test(
        "finds nothing without the secret",
        arguments: [
            "/", "", "/favicon.ico", "/0123456789abcdef0123456789abcdef",
            "/0123456789abcdef0123456789abcdee/", "/0123456789abcdef0123456789abcdef0/",
            "//0123456789abcdef0123456789abcdef/", "*",
        ])
    func otherPaths(_ path: String) {
        #expect(request { $0.path = path } == 404)
        #expect(request("PUT") { $0.path = path } == 404)
    }

    @Test("takes forms from its own pages only")
    func origins() {
        let ours = "http://127.0.0.1:8000"
        #expect(request("POST") { $0.origin = ours } == nil)
        #expect(request("POST") { $0.referer = ours + "/x/" } == nil)
        #expect(request("POST") { $0.site = "same-origin" } == nil)
        for other in [
            "null", "http://evil.example", "http://127.0.0.1:8001", "https://127.0.0.1:8000",
            "http://localhost:8000", ours + "0",
        ] {
            #expect(request("POST") { $0.origin = other } == 403)
            #expect(request("POST") { $0.referer = other + "/" } == 403)
            // Whoever has the address may follow a link to it.
            #expect(request { $0.origin = other } == nil)
        }
        for site in ["cross-site", "same-site", "none", ""] {
            #expect(request("POST") { $0.site = site } == 403)
        }
    }

    @Test("limits what a form can be")
    func limits() {
        #expect(request("POST") { $0.contentType = "text/plain" } == 415)
        #expect(request("POST") { $0.contentType = nil } == 415)
        #expect(
            request("POST") {
                $0.contentType = "Application/x-www-form-urlencoded; charset=UTF-8"
            } == nil)
        for length in [nil, "", "-1", "x", "99999999999999999999999"] {
            #expect(request("POST") { $0.contentLength = length } == 411)
            #expect(request("POST") { $0.transferEncoding = "chunked" } == 411)
        }
        #expect(request("POST") { $0.contentLength = "262144" } == nil)
        #expect(request("POST") { $0.contentLength = "262145" } == 413)
        for method in ["PUT", "DELETE", "OPTIONS", "get"] {
            #expect(request(method) { _ in } == 405)
        }
    }

    @Test("compares in full")
    func comparison() {
        #expect(WebSecret.areEqual("abc", "abc"))
        #expect(!WebSecret.areEqual("abc", "abd"))
        #expect(!WebSecret.areEqual("abc", "abcd"))
        #expect(!WebSecret.areEqual("", "a"))
    }
}
