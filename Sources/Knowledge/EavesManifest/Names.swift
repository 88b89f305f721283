// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesDiagnostics

/// Tells which texts are valid as names.
package enum Names {
    /// Whether a text is a module id: `[a-z0-9][a-z0-9._-]*`, at most 64 bytes. An id is a valid
    /// file name in every file system, and never a hidden file, an option or a path.
    package static func isModuleID(_ text: String) -> Bool {
        isWord(text, of: isLowercaseOrDigit, and: "._-")
    }

    /// Whether a text is a module id in which each `*` may stand for any part.
    package static func isIDPattern(_ text: String) -> Bool {
        isWord(text, of: { isLowercaseOrDigit($0) || $0 == UInt8(ascii: "*") }, and: "._-")
    }

    /// Whether a text is the name of a service, which is that of its protocol: a Swift identifier,
    /// or several with dots between them.
    package static func isServiceName(_ text: String) -> Bool {
        var isStart = true
        for scalar in text.unicodeScalars {
            if scalar == "." {
                if isStart { return false }
                isStart = true
            } else {
                guard isStart ? isIdentifierStart(scalar) : isIdentifierPart(scalar) else {
                    return false
                }
                isStart = false
            }
        }
        return !isStart
    }

    /// Whether a text can name what a manifest binds: a service, or a service, `#` and the name of an
    /// implementation, which is one line.
    package static func isBindingKey(_ text: String) -> Bool {
        let key = BindingKey(text: text)
        return isServiceName(key.service) && key.name.map { !$0.isEmpty && $0.isOneLine } ?? true
    }

    /// Whether a text can name the key of a choice: `[a-zA-Z0-9][a-zA-Z0-9._-]*`, at most 64 bytes.
    package static func isChoiceKey(_ text: String) -> Bool {
        isWord(text, and: "._-")
    }

    /// Whether a text is a SHA-256 digest as tools print it: `[0-9a-fA-F]{64}`.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
            }
    }

    /// Whether a text is a module's version: `[a-zA-Z0-9][a-zA-Z0-9.+-]*`, at most 64 bytes.
    package static func isVersion(_ text: String) -> Bool {
        isWord(text, and: ".+-")
    }

    /// Whether a text is a letter or digit, followed by more and by some other characters: at most 64 bytes.
    package static func isWord(
        _ text: String, of isUsual: (UInt8) -> Bool = isLetterOrDigit, and others: String
    ) -> Bool {
        guard let first = text.utf8.first, isUsual(first), text.utf8.count <= 64 else {
            return false
        }
        return text.utf8.allSatisfy { isUsual($0) || others.utf8.contains($0) }
    }

    /// Whether a text consists of the first two numbers of a Swift compiler's version: `[0-9]{1,4}\.[0-9]{1,4}`.
    package static func isCompilerSeries(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { (1...4).contains($0.count) && $0.allSatisfy(isDigit) }
    }

    private static func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        default: !scalar.isASCII && scalar.properties.isXIDStart
        }
    }

    private static func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
        isIdentifierStart(scalar) || ("0"..."9").contains(scalar)
            || !scalar.isASCII && scalar.properties.isXIDContinue
    }

    package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || isDigit(byte)
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
    }

    package static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
