// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesJSON
import EavesSystem

/// The way a module gets its entry point, the C function `eaves_register`.
enum EntryPoint: Hashable, Sendable {
    /// A source of the folder defines the function.
    case written
    /// The build adds the function, which registers this type.
    case added(ModuleType)

    /// The type that conforms to `Module`.
    struct ModuleType: Hashable, Sendable {
        /// As sources have to write it, with the names of the types around it.
        var name: String
        /// The source file, relative to the folder, and the line that declares the type.
        var place: String
    }

    /// Looks for the function in the sources, and then for the type to add it for.
    ///
    /// - Parameters:
    ///   - type: The type that `module.json` names; `nil` if it is named like the folder.
    ///   - contents: The content of all sources.
    /// - Throws: If the sources have neither the function nor the type.
    init(
        of request: BuildRequest, named type: String?, in contents: [SourceFiles.Content]
    ) throws(BuildError) {
        let expected = type ?? ModuleName.type(of: request)
        var found: ModuleType?
        var others: [String] = []
        for content in contents where content.isSwift {
            let declarations = SwiftDeclarations(content.bytes)
            if declarations.hasEntryPoint {
                self = .written
                return
            }
            for type in declarations.types {
                let name = type.name.filter { $0 != "`" }
                if name != expected {
                    others.append(name)
                } else if found == nil {
                    let line = TextLines(content.bytes).position(of: type.offset).line
                    found = ModuleType(name: type.name, place: "\(content.name):\(line)")
                }
            }
        }
        guard let found else {
            throw BuildError(
                request.id,
                .noModuleType(
                    folder: request.shownFolder, expected: expected, isNamed: type != nil,
                    others: others))
        }
        self = .added(found)
    }

    /// The source that the build adds; `nil` if a source of the folder defines the function.
    ///
    /// - Parameter path: The file that the compiler's messages name instead of the added one. No other
    ///   source may have its name.
    func source(shownAs path: String) -> String? {
        guard case .added(let type) = self else { return nil }
        let escaped = path.map { "\\\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return """
            import CEaves
            import EavesInterface

            #sourceLocation(file: "\(escaped)", line: 1)
            @c(eaves_register)
            public func _eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
                EavesInterface.register(\(type.name).self, with: host)
            }

            """
    }

    /// The file that the compiler's messages name instead of the added source.
    static func shownPath(for request: BuildRequest) -> String {
        Path.join(request.folder, ModuleDeclaration.fileName)
    }

    /// An error in the words of the sources, if the compiler reports one about the added source and
    /// none about the others.
    ///
    /// - Parameter output: The text that the compiler printed.
    func error(in output: String, of request: BuildRequest) -> BuildError? {
        guard case .added(let type) = self else { return nil }
        let prefix = Self.shownPath(for: request) + ":"
        var reason: Substring?
        for line in Self.withoutColors(output).split(whereSeparator: \.isNewline) {
            guard let message = Self.errorMessage(in: line) else { continue }
            guard line.hasPrefix(prefix) else { return nil }
            reason = reason ?? message
        }
        guard let reason else { return nil }
        let place = Path.join(request.shownFolder, type.place)
        return BuildError(
            request.id, .badModuleType(name: type.name, place: place, reason: String(reason)))
    }

    /// The message in a line of the form `place: error: message`; `nil` for any other line.
    private static func errorMessage(in line: Substring) -> Substring? {
        let word = "error: "
        if line.hasPrefix(word) { return line.dropFirst(word.count) }
        let start = line.indices.first { line[$0...].hasPrefix(": " + word) }
        return start.map { line[$0...].dropFirst(2 + word.count) }
    }

    /// Removes the escape sequences that colour text.
    private static func withoutColors(_ text: String) -> String {
        var isEscape = false
        let kept = text.utf8.filter { byte in
            if byte == 0x1b { isEscape = true }
            defer { if byte == UInt8(ascii: "m") { isEscape = false } }
            return !isEscape
        }
        return String(decoding: kept, as: UTF8.self)
    }
}

/// The declarations of one source file that matter for the entry point.
///
/// Conditional compilation is not evaluated: the declarations of all branches count.
struct SwiftDeclarations {
    struct NamedType: Hashable {
        /// With the names of the types around it.
        var name: String
        /// In bytes from the start of the text.
        var offset: Int
    }

    /// The types, except those that are local to a function. In the order of the text.
    private(set) var types: [NamedType] = []
    /// Whether the text defines the function `eaves_register` for C.
    private(set) var hasEntryPoint = false

    private let tokens: [SwiftTokens.Token]
    /// The brackets around the current token: the name of the type whose body it is, or `nil`.
    private var scopes: [String?] = []
    /// The name of a type whose body is about to begin.
    private var nextScope: String?
    /// Whether an attribute `@c` without a name applies to the next function.
    private var isNextForC = false

    init(_ text: [UInt8]) {
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
        if keyword == "protocol" || keyword == "extension" { return }
        let path = (around + [name]).joined(separator: ".")
        types.append(NamedType(name: path, offset: tokens[index + 1].offset))
    }

    /// The words after `class` where it declares a member instead of a type.
    private static let classMembers: Set<String> = [
        "func", "var", "let", "subscript", "override", "final", "private", "fileprivate",
        "internal", "package", "public", "open", "async", "nonisolated", "dynamic", "lazy",
    ]
}
