// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesManifest

/// The declarations of one source file that matter for the entry point, or of a textual interface.
///
/// Conditional compilation is not evaluated: the declarations of all branches count.
package struct SwiftDeclarations {
    package struct NamedType: Hashable {
        /// With the names of the types around it.
        package var name: String
        /// In bytes from the start of the text.
        package var offset: Int
    }

    /// The types, except those that are local to a function. In the order of the text.
    package private(set) var types: [NamedType] = []
    /// The names of the public protocols, with the names of the types around them. In the order of the
    /// text; a name that several branches declare comes several times.
    private(set) var publicProtocols: [String] = []
    /// Whether the text defines the function `eaves_register` for C.
    package private(set) var hasEntryPoint = false

    private let tokens: [SwiftTokens.Token]
    /// The brackets around the current token: the name of the type whose body it is, or `nil`.
    private var scopes: [String?] = []
    /// The name of a type whose body is about to begin.
    private var nextScope: String?
    /// Whether an attribute `@c` without a name applies to the next function.
    private var isNextForC = false

    package init(_ text: [UInt8]) {
        tokens = Array(SwiftTokens(text))
        for index in tokens.indices { read(index) }
    }

    private mutating func read(_ index: Int) {
        switch tokens[index].kind {
        case .symbol(UInt8(ascii: "{")):
            scopes.append(nextScope)
            nextScope = nil
        case .symbol(UInt8(ascii: "(")), .symbol(UInt8(ascii: "[")):
            scopes.append(nil)
        case .symbol(UInt8(ascii: ")")), .symbol(UInt8(ascii: "]")), .symbol(UInt8(ascii: "}")):
            _ = scopes.popLast()
        case .symbol(UInt8(ascii: "@")):
            readAttribute(index + 1)
        case .word(let word) where kind(index - 1) != .symbol(UInt8(ascii: ".")):
            switch word {
            case "func":
                if isNextForC, self.word(index + 1) == BinaryReport.entryName {
                    hasEntryPoint = true
                }
                isNextForC = false
            case "struct", "class", "enum", "actor", "typealias", "protocol", "extension":
                readType(word, index)
            default: break
            }
        case .symbol, .word, .string:
            break
        }
    }

    private func kind(_ index: Int) -> SwiftTokens.Token.Kind? {
        tokens.indices.contains(index) ? tokens[index].kind : nil
    }

    private func word(_ index: Int) -> String? {
        if case .word(let word) = kind(index) { word } else { nil }
    }

    private mutating func readAttribute(_ index: Int) {
        guard let name = word(index), ["c", "_cdecl", "_silgen_name"].contains(name) else { return }
        guard kind(index + 1) == .symbol(UInt8(ascii: "(")) else {
            isNextForC = name == "c"
            return
        }
        let argument = kind(index + 2)
        let entry = BinaryReport.entryName
        if argument == .word(entry) || argument == .string(entry) { hasEntryPoint = true }
    }

    private mutating func readType(_ keyword: String, _ index: Int) {
        let around = scopes.compactMap(\.self)
        guard around.count == scopes.count, var name = word(index + 1),
            keyword != "class" || !Self.classMembers.contains(name)
        else { return }
        if keyword == "extension" {
            var next = index + 2
            while kind(next) == .symbol(UInt8(ascii: ".")), let part = word(next + 1) {
                name += "." + part
                next += 2
            }
        }
        if keyword != "typealias" { nextScope = name }
        let path = (around + [name]).joined(separator: ".")
        if keyword == "protocol", self.word(index - 1) == "public" { publicProtocols.append(path) }
        if keyword == "protocol" || keyword == "extension" { return }
        types.append(NamedType(name: path, offset: tokens[index + 1].offset))
    }

    /// The words after `class` where it declares a member instead of a type.
    private static let classMembers: Set<String> = [
        "func", "var", "let", "subscript", "override", "final", "private", "fileprivate",
        "internal", "package", "public", "open", "async", "nonisolated", "dynamic", "lazy",
    ]
}

/// The names of the types that modules declare. If a source imports several of the modules, a name that two of them have
/// needs its module before it.
package struct TypeNames: Sendable {
    /// The names, by the modules.
    private let modules: [String: Set<String>]

    package init(_ texts: [String: [UInt8]]) {
        modules = texts.mapValues { text in
            let declarations = SwiftDeclarations(text)
            return Set(declarations.types.map(\.name) + declarations.publicProtocols)
        }
    }

    package func knows(_ module: String) -> Bool { modules[module] != nil }

    /// Whether the name of a module means one of its types.
    package func hides(_ module: String) -> Bool { modules[module]?.contains(module) == true }

    /// The module to write before a name; `nil` if the name alone means the type.
    package func module(before name: String, of module: String) -> String? {
        let isTaken = modules.contains { $0.key != module && $0.value.contains(name) }
        return isTaken && !hides(module) ? module : nil
    }

    /// A type as a source names it.
    package func text(_ name: String, of module: String) -> String {
        self.module(before: name, of: module).map { "\($0).\(name)" } ?? name
    }
}

/// Splits the text of a Swift source into the tokens that declarations are made of.
///
/// Comments and regular expressions yield no token, and a string yields one, so that nothing inside of them looks like
/// a declaration. A text that does not compile yields tokens all the same; the compiler reports its mistakes.
struct SwiftTokens: Sequence, IteratorProtocol {
    package struct Token: Hashable {
        enum Kind: Hashable {
            /// An identifier, with its backticks if it has any, a keyword or a number.
            case word(String)
            /// The text between the quotes, with escapes and interpolations as they are written.
            case string(String)
            case symbol(UInt8)
        }

        var kind: Kind
        /// Where the token begins, in bytes from the start of the text.
        var offset: Int
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Token? {
        while let byte = byte(0) {
            let start = position
            switch byte {
            case UInt8(ascii: "/"):
                if skipComment() || skipRegularExpression() { continue }
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                if let delimiter = openString() {
                    let content = skipString(delimiter)
                    return Token(kind: .string(text(content)), offset: start)
                }
                if skipExtendedRegularExpression() { continue }
            case UInt8(ascii: "`"):
                position += 1
                while let byte = self.byte(0), byte != UInt8(ascii: "`"), !byte.isNewline {
                    position += 1
                }
                position = Swift.min(position + 1, bytes.count)
                return Token(kind: .word(text(start..<position)), offset: start)
            default:
                if byte.isNamePart {
                    while self.byte(0)?.isNamePart == true { position += 1 }
                    return Token(kind: .word(text(start..<position)), offset: start)
                }
            }
            position += 1
            if !byte.isSpace { return Token(kind: .symbol(byte), offset: start) }
        }
        return nil
    }

    /// The byte this far from the position; `nil` beyond either end of the text.
    private func byte(_ distance: Int) -> UInt8? {
        let index = position + distance
        return bytes.indices.contains(index) ? bytes[index] : nil
    }

    private func isAt(_ text: StaticString, _ distance: Int = 0) -> Bool {
        let wanted = "\(text)".utf8
        return bytes.dropFirst(position + distance).starts(with: wanted)
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

// MARK: - Comments and regular expressions

extension SwiftTokens {
    /// Skips a comment that begins here. Comments of the form `/* … */` can be nested.
    private mutating func skipComment() -> Bool {
        if isAt("//") {
            while let byte = byte(0), !byte.isNewline { position += 1 }
            return true
        }
        guard isAt("/*") else { return false }
        var depth = 0
        repeat {
            if isAt("/*") {
                depth += 1
                position += 2
            } else if isAt("*/") {
                depth -= 1
                position += 2
            } else {
                position += 1
            }
        } while depth > 0 && position < bytes.count
        return true
    }

    /// Skips a regular expression `/…/` that begins here.
    ///
    /// As for the compiler, a slash begins one where an operand can begin, and if another slash
    /// follows in the same line.
    private mutating func skipRegularExpression() -> Bool {
        let before = byte(-1)
        let canBegin = before.map { $0.isSpace || "([{,;:=!&|?<>+-*%^~".utf8.contains($0) } ?? true
        guard canBegin, let first = byte(1), !first.isSpace else { return false }
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "/"), !bytes[end].isNewline {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count, !bytes[end].isNewline else { return false }
        position = end + 1
        return true
    }

    /// Skips a regular expression `#/…/#` that begins here. It may have several lines.
    private mutating func skipExtendedRegularExpression() -> Bool {
        let count = numberSigns(from: position)
        guard byte(count) == UInt8(ascii: "/") else { return false }
        var end = position + count + 1
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "/"), numberSigns(from: end + 1) >= count {
                position = end + 1 + count
                return true
            }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    private func numberSigns(from index: Int) -> Int {
        bytes.dropFirst(index).prefix { $0 == UInt8(ascii: "#") }.count
    }
}

// MARK: - Strings

extension SwiftTokens {
    /// The delimiter that ends a string: one quote or three, and as many number signs as before its beginning.
    private struct Delimiter {
        var quotes: Int
        var numberSigns: Int
        var length: Int { quotes + numberSigns }
    }

    /// Moves behind the opening delimiter of a string that begins here.
    private mutating func openString() -> Delimiter? {
        let signs = numberSigns(from: position)
        guard byte(signs) == UInt8(ascii: "\"") else { return nil }
        var delimiter = Delimiter(quotes: 1, numberSigns: signs)
        if isAt("\"\"\"", signs) {
            // `#"""#` is a string of one line that holds a quote.
            let single = Delimiter(quotes: 1, numberSigns: signs)
            let rest = bytes[(position + signs + 1)...].prefix { !$0.isNewline }
            let isClosed = signs > 0 && rest.indices.contains { closes(single, at: $0) }
            if !isClosed { delimiter.quotes = 3 }
        }
        position += delimiter.length
        return delimiter
    }

    private func closes(_ delimiter: Delimiter, at index: Int) -> Bool {
        let quotes = bytes.dropFirst(index).prefix(delimiter.quotes)
        return quotes.count == delimiter.quotes && quotes.allSatisfy { $0 == UInt8(ascii: "\"") }
            && numberSigns(from: index + delimiter.quotes) >= delimiter.numberSigns
    }

    /// Skips the rest of a string, with all that stands in its interpolations. Returns the range of its content.
    private mutating func skipString(_ delimiter: Delimiter) -> Range<Int> {
        let start = position
        var end = position
        // The delimiters of the strings around the position; `nil` for an open parenthesis of an interpolation.
        var open: [Delimiter?] = [delimiter]
        while let innermost = open.last, position < bytes.count {
            end = position
            switch innermost {
            case let delimiter?:
                if closes(delimiter, at: position) {
                    position += delimiter.length
                    open.removeLast()
                } else if delimiter.quotes == 1 && bytes[position].isNewline {
                    // The string is not closed, which is a mistake.
                    open.removeLast()
                } else if bytes[position] == UInt8(ascii: "\\"),
                    numberSigns(from: position + 1) >= delimiter.numberSigns
                {
                    let escaped = byte(1 + delimiter.numberSigns)
                    position += 2 + delimiter.numberSigns
                    if escaped == UInt8(ascii: "(") { open.append(nil) }
                } else {
                    position += 1
                }
            case nil:
                if skipComment() { continue }
                if let inner = openString() {
                    open.append(inner)
                    continue
                }
                if bytes[position] == UInt8(ascii: "(") { open.append(nil) }
                if bytes[position] == UInt8(ascii: ")") { open.removeLast() }
                position += 1
            }
        }
        position = Swift.min(position, bytes.count)
        return start..<(open.isEmpty ? end : position)
    }
}

extension UInt8 {
    fileprivate var isNewline: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

    fileprivate var isSpace: Bool { self <= UInt8(ascii: " ") }

    /// Whether an identifier or a number can contain the byte. Identifiers can contain most characters
    /// that are not ASCII.
    fileprivate var isNamePart: Bool { isPartOfWord || self == UInt8(ascii: "$") || self >= 0x80 }

    /// Whether it is a letter or a digit of ASCII, or an underscore.
    package var isPartOfWord: Bool {
        Names.isLetterOrDigit(self) || self == UInt8(ascii: "_")
    }
}
