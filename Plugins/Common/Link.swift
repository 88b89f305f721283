// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A destination by its path, with parameters: one step of a deep link.
///
/// `eaves://login/home;user=2/popup?message=Hello` has three steps. The parameters of one step follow
/// it, each after a semicolon. Those after the question mark belong to the last step.
public struct Link: Hashable, Sendable {
    /// The name that the destination is registered under, such as `popup`.
    public var path: String
    /// The parameters by name.
    public var parameters: [String: String]

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - path: The name that the destination is registered under, such as `popup`.
    ///   - parameters: The parameters by name.
    public init(_ path: String, _ parameters: [String: String] = [:]) {
        self.path = path
        self.parameters = parameters
    }

    /// Reads a deep link.
    ///
    /// - Parameter url: The text, such as `eaves://login/home?user=2`.
    /// - Returns: The steps, at least one.
    /// - Throws: ``LinkError`` if the text is not a link.
    public static func steps(of url: String) throws(LinkError) -> [Link] {
        guard let scheme = url.firstRange(of: "://"),
            url[..<scheme.lowerBound].lowercased() == "eaves"
        else { throw LinkError("'\(url)' is no link", fix: "write it as in 'eaves://login/home'") }
        let parts = url[scheme.upperBound...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var steps: [Link] = []
        for step in parts[0].split(separator: "/") {
            let words = step.split(separator: ";", omittingEmptySubsequences: false)
            var link = Link(try decoded(words[0], of: url))
            for word in words.dropFirst() { try link.take(word, of: url) }
            steps.append(link)
        }
        guard !steps.isEmpty, steps.allSatisfy({ !$0.path.isEmpty }) else {
            throw LinkError(
                "the link '\(url)' names no screen", fix: "write it as in 'eaves://login/home'")
        }
        if parts.count == 2 {
            for word in parts[1].split(separator: "&") {
                try steps[steps.count - 1].take(word, of: url)
            }
        }
        return steps
    }

    /// Writes a deep link. ``steps(of:)`` reads the same steps again.
    public static func url(of steps: [Link]) -> String {
        "eaves://"
            + steps.map { step in
                step.parameters.sorted { $0.key < $1.key }
                    .reduce(encoded(step.path)) { text, parameter in
                        "\(text);\(encoded(parameter.key))=\(encoded(parameter.value))"
                    }
            }.joined(separator: "/")
    }

    private mutating func take(_ word: Substring, of url: String) throws(LinkError) {
        let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = try Self.decoded(pair[0], of: url)
        guard pair.count == 2, !name.isEmpty else {
            throw LinkError(
                "the link '\(url)' has a parameter without a value, '\(word)'",
                fix: "write it as in 'eaves://popup?message=Hello'")
        }
        guard parameters[name] == nil else {
            throw LinkError("the link '\(url)' has the parameter '\(name)' twice", fix: "keep one")
        }
        parameters[name] = try Self.decoded(pair[1], of: url)
    }

    /// Replaces `%20` and the like by the bytes that they stand for.
    private static func decoded(_ text: Substring, of url: String) throws(LinkError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimal),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw malformed(text, of: url) }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw malformed(text, of: url)
        }
        return decoded
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isHexDigit
    }

    private static func malformed(_ text: Substring, of url: String) -> LinkError {
        LinkError(
            "the link '\(url)' has '\(text)', where '%' is not followed by the digits of a letter",
            fix: "write '%25' for the character '%'")
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let scalar = UnicodeScalar(byte)
            if scalar.isASCII,
                Character(scalar).isLetter || Character(scalar).isNumber
                    || "-._~".unicodeScalars.contains(scalar)
            {
                encoded.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
    }
}

/// A deep link that cannot be opened.
public struct LinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The link and the reason, for the person.
    public let description: String
    /// The way to mend it, for the person.
    public let fix: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - description: The link and the reason, for the person.
    ///   - fix: The way to mend it, for the person.
    public init(_ description: String, fix: String) {
        self.description = description
        self.fix = fix
    }
}

extension StringProtocol {
    /// The first place of a text, without Foundation and without the library of regular expressions.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
