// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF

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
            readWord(word, index)
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

    private mutating func readWord(_ word: String, _ index: Int) {
        switch word {
        case "func":
            if isNextForC, self.word(index + 1) == BinaryReport.entryName { hasEntryPoint = true }
            isNextForC = false
        case "struct", "class", "enum", "actor", "typealias", "protocol", "extension":
            readType(word, index)
        default:
            break
        }
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
