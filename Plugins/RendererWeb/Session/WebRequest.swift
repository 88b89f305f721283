// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A request, as far as it matters.
struct WebRequest: Hashable, Sendable {
    var method: String
    /// The path, decoded, without a query.
    var path: String
    var host: String?
    var origin: String?
    var referer: String?
    /// The header `Sec-Fetch-Site`: how the page that asks is related to ours.
    var site: String?
    var contentType: String?
    var contentLength: String?
    /// How the body is cut into pieces; `nil` for a body of the declared length.
    var transferEncoding: String?
    var body: [UInt8] = []

    /// Whether the body is a form that the page was sent with.
    var isForm: Bool { method == "POST" }
}

/// A response.
struct WebResponse: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The headers of every response: nothing is kept, guessed, shown within other pages, or told to
    /// other servers.
    private static let common = [
        Header("Cache-Control", "no-store"),
        Header("Cross-Origin-Opener-Policy", "same-origin"),
        Header("Cross-Origin-Resource-Policy", "same-origin"),
        // With 'no-referrer', browsers leave out the origin of a form, which is checked.
        Header("Referrer-Policy", "same-origin"),
        Header("X-Content-Type-Options", "nosniff"),
        Header("X-Frame-Options", "DENY"),
    ]

    let status: Int
    let headers: [Header]
    let body: String

    init(status: Int, headers: [Header] = [], body: String = "") {
        self.status = status
        self.headers = Self.common + headers
        self.body = body
    }

    /// A line of text, for requests that no page of ours sends.
    static func plain(_ status: Int, _ text: String, _ headers: [Header] = []) -> WebResponse {
        WebResponse(
            status: status,
            headers: [
                Header("Content-Type", "text/plain; charset=utf-8"),
                Header("Content-Security-Policy", "default-src 'none'"),
            ] + headers,
            body: text + "\n")
    }

    /// Sends the browser to another address, which it asks for with GET.
    static func seeOther(_ path: String) -> WebResponse {
        plain(303, "See \(path)", [Header("Location", path)])
    }
}

/// A random text that others cannot guess.
enum WebSecret {
    /// 128 bits of the system's random numbers, `getrandom(2)`, as 32 digits.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let digits = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Compares two texts in a time that does not depend on where they differ.
    static func areEqual(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
