// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A piece of a page. Texts that are put into it are escaped; only literals and other pieces are taken as they
/// are.
struct HTML: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// The piece as it is sent.
    private(set) var text: String

    init(stringLiteral text: String) {
        self.text = text
    }

    init(stringInterpolation pieces: Pieces) {
        text = pieces.text
    }

    /// Puts pieces below one another.
    init(_ pieces: [HTML]) {
        text = pieces.map(\.text).joined(separator: "\n")
    }

    static func += (page: inout HTML, piece: HTML) {
        page.text += piece.text
    }

    /// Replaces the characters that mean something in HTML, and those that cannot stand in it.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            default:
                // A control character would be lost, or change how the browser reads the page.
                let isControl = scalar.properties.generalCategory == .control
                escaped.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
    }

    /// Collects what a literal with interpolations is made of.
    struct Pieces: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        mutating func appendInterpolation(_ text: String) {
            self.text += HTML.escaped(text)
        }

        mutating func appendInterpolation(_ number: Int) {
            text += String(number)
        }

        mutating func appendInterpolation(_ piece: HTML) {
            text += piece.text
        }

        /// Appends a piece, or nothing.
        mutating func appendInterpolation(_ piece: HTML, if isWanted: Bool) {
            if isWanted { text += piece.text }
        }
    }
}
