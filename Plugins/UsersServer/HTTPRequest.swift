// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A request as HTTP/1.1 transfers it (RFC 9112).
struct HTTPRequest: Equatable, Sendable {
    var method: String
    /// The parts of the path between slashes, decoded.
    var path: [String]
    /// The parameters behind the question mark, decoded.
    var query: [String: String] = [:]
    /// The fields by their names in lower case. Fields of one name are joined with commas.
    var fields: [String: String] = [:]
    var body: [UInt8] = []
    /// Whether the client keeps the connection for another request.
    var keepsAlive = true
}

/// A request that is malformed, or that this server does not take. The connection ends with it.
struct HTTPRequestError: Error, Equatable {
    let status: Int
    /// Why, for the person who wrote the client.
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// Reads requests from the bytes of a connection, however these are cut into pieces.
struct HTTPParser {
    /// No head of a request is longer, in bytes.
    static let headLimit = 16 << 10
    /// No body is longer, in bytes.
    static let bodyLimit = 64 << 10

    private var bytes: [UInt8] = []
    /// The number of bytes in which the end of the head was looked for.
    private var searched = 0
    /// The request whose body is not complete, and the body's size.
    private var head: (request: HTTPRequest, size: Int)?

    /// Whether a request has begun and is not complete.
    var isWithinRequest: Bool { head != nil || !bytes.isEmpty }

    /// Whether the client waits for a sign before it sends the body.
    var awaitsContinue: Bool {
        guard let head, bytes.isEmpty, head.size > 0 else { return false }
        return head.request.fields["expect"]?.lowercased() == "100-continue"
    }

    /// Takes further bytes of the connection.
    mutating func append(_ more: some Collection<UInt8>) {
        bytes += more
    }

    /// Returns the next request; `nil` if its end has not come yet.
    mutating func next() throws(HTTPRequestError) -> HTTPRequest? {
        if head == nil {
            // An empty line before a request is ignored, as the standard asks.
            while bytes.starts(with: [13, 10]) {
                bytes.removeFirst(2)
                searched = 0
            }
            guard let end = headEnd() else {
                searched = bytes.count
                guard bytes.count <= Self.headLimit else { throw Self.headTooLong }
                return nil
            }
            guard end <= Self.headLimit else { throw Self.headTooLong }
            head = try Self.head(of: bytes[..<end])
            bytes.removeFirst(end + 4)
            searched = 0
        }
        guard case (var request, let size)? = head, bytes.count >= size else { return nil }
        request.body = Array(bytes.prefix(size))
        bytes.removeFirst(size)
        head = nil
        return request
    }

    private static let headTooLong = HTTPRequestError(
        431, "The head of the request is longer than \(headLimit) bytes.")

    /// The offset of the empty line that ends the head.
    private func headEnd() -> Int? {
        guard bytes.count >= 4 else { return nil }
        // The last three bytes of the search before may be the beginning of the line.
        return (max(0, searched - 3)..<bytes.count - 3).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }

    private static func head(
        of bytes: ArraySlice<UInt8>
    ) throws(HTTPRequestError) -> (HTTPRequest, Int) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw HTTPRequestError(400, "The head of the request is not UTF-8.")
        }
        var lines = text.utf8.split(separator: 13, omittingEmptySubsequences: false).map {
            Substring($0)
        }[...]
        // The lines after the first one still begin with the line feed.
        var request = try requestLine(lines.removeFirst())
        for line in lines {
            guard line.utf8.first == 10 else {
                throw HTTPRequestError(400, "A line ends without a line feed.")
            }
            let (name, value) = try field(Substring(line.utf8.dropFirst()))
            if let other = request.fields[name] {
                guard !["content-length", "host"].contains(name) else {
                    throw HTTPRequestError(400, "The field '\(name)' occurs twice.")
                }
                request.fields[name] = "\(other), \(value)"
            } else {
                request.fields[name] = value
            }
        }
        let options = (request.fields["connection"] ?? "").lowercased()
            .split(separator: ",").map { $0.filter { $0 != " " } }
        if options.contains("close") { request.keepsAlive = false }
        if !request.keepsAlive, options.contains("keep-alive") { request.keepsAlive = true }
        guard request.fields["host"] != nil else {
            throw HTTPRequestError(400, "The field 'Host' is missing.")
        }
        return (request, try bodySize(of: request))
    }

    private static func requestLine(_ line: Substring) throws(HTTPRequestError) -> HTTPRequest {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, isToken(words[0]), !words[1].isEmpty else {
            throw HTTPRequestError(400, "The first line is no request line.")
        }
        guard words[2].hasPrefix("HTTP/1.") else {
            throw HTTPRequestError(505, "This server speaks HTTP/1.1.")
        }
        guard words[1].hasPrefix("/") else {
            throw HTTPRequestError(400, "The target of a request begins with '/'.")
        }
        let parts = words[1].dropFirst()
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = HTTPRequest(method: String(words[0]), path: [])
        for part in parts[0].split(separator: "/") { request.path.append(try decoded(part)) }
        for pair in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            request.query[try decoded(words[0])] = words.count == 2 ? try decoded(words[1]) : ""
        }
        request.keepsAlive = words[2] != "HTTP/1.0"
        return request
    }

    private static func field(
        _ line: Substring
    ) throws(HTTPRequestError) -> (name: String, value: String) {
        // Values have no control characters, so no value can hold a line of its own.
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")),
            isToken(line[..<colon]),
            line.utf8[colon...].allSatisfy({ ($0 >= 32 && $0 != 127) || $0 == 9 })
        else { throw HTTPRequestError(400, "A field of the head is malformed.") }
        let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 }
        let value = line.utf8[colon...].dropFirst().drop(while: isSpace)
        let end = value.lastIndex { !isSpace($0) }.map { value.index(after: $0) }
        return (line[..<colon].lowercased(), String(Substring(value[..<(end ?? value.startIndex)])))
    }

    private static func bodySize(of request: HTTPRequest) throws(HTTPRequestError) -> Int {
        guard request.fields["transfer-encoding"] == nil else {
            throw HTTPRequestError(411, "This server takes bodies with 'Content-Length' alone.")
        }
        guard let text = request.fields["content-length"] else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw HTTPRequestError(400, "The field 'Content-Length' is no number.")
        }
        guard let size = Int(text), size <= bodyLimit else {
            throw HTTPRequestError(
                413, "The body of the request is longer than \(bodyLimit) bytes.")
        }
        return size
    }

    /// Whether a text can be a method or the name of a field.
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                let scalar = UnicodeScalar(byte)
                return scalar.isASCII
                    && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte)
                        || "!#$%&'*+-.^_`|~".utf8.contains(byte))
            }
    }

    /// Replaces `%20` and the like by the bytes that they stand for.
    private static func decoded(_ text: Substring) throws(HTTPRequestError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else { throw HTTPRequestError(400, "The target has '%' without two digits.") }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw HTTPRequestError(400, "The target is not UTF-8.")
        }
        return text
    }
}
