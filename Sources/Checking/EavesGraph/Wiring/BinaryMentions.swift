// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesManifest
import EavesSystem

/// The declarations of Swift modules that a binary mentions, by the names of its symbols.
///
/// Code that asks for a service refers to the descriptor of its protocol, or calls its requirements through
/// dispatch thunks. Code that implements a protocol refers to the descriptors of the requirements.
struct BinaryMentions: Hashable, Sendable {
    /// Qualified names such as `CommonInterface.UserService` that other binaries define.
    private(set) var needed: Set<String> = []
    /// Qualified names that stand in symbols which the binary itself defines.
    private(set) var defined: Set<String> = []
    /// The protocols whose descriptors it refers to.
    private var described: Set<String> = []
    private var implemented: Set<String> = []
    /// The protocols whose requirements it calls.
    private var called: Set<String> = []
    /// The Swift modules whose names stand together with one of the host's interface, as in the symbol of a helper of an
    /// interface that extends `Resolver`, or that takes one: their code gets something by which it can ask for services.
    private(set) var equipped: Set<String> = []
    /// The names that stand together with a name of its own, as in the signature of a member: the own name is the key.
    private(set) var companions: [String: Set<String>] = [:]

    /// Reads the symbols of a module's file.
    ///
    /// - Returns: `nil` if there is no binary, or if it is not written in Swift: then its symbols tell nothing
    ///   about services.
    init?(of entry: CatalogEntry) {
        guard entry.note?.tag.compiler != nil, let report = try? BinaryReport(of: entry.loadedFile)
        else {
            return nil
        }
        self.init(report.symbols)
    }

    init(_ symbols: [ELFSymbol]) {
        for symbol in symbols where symbol.name.hasPrefix("$s") {
            let text = SymbolName.demangled(symbol.name)
            let names = QualifiedNames.all(in: text)
            if symbol.isDefined {
                addDefined(names)
            } else {
                addNeeded(names, in: text)
            }
        }
    }

    private mutating func addDefined(_ names: [String]) {
        for name in names { defined.formUnion(QualifiedNames.beginnings(of: name)) }
        guard let own = names.first.map(QualifiedNames.declaration) else { return }
        for name in names.dropFirst() {
            let other = QualifiedNames.declaration(name)
            if other != own { companions[own, default: []].insert(other) }
        }
    }

    /// The beginnings of symbols that only code refers to which implements a protocol.
    private static let implementing = [
        "method descriptor for ", "base conformance descriptor for ",
        "associated conformance descriptor for ", "associated type descriptor for ",
    ]

    private mutating func addNeeded(_ names: [String], in text: String) {
        for name in names { needed.formUnion(QualifiedNames.beginnings(of: name)) }
        if names.contains(where: { $0.hasPrefix("EavesInterface.") }) {
            equipped.formUnion(names.compactMap(ServiceName.module))
            if let extending = text.part(after: "(extension in ")?.prefix(while: { $0 != ")" }) {
                equipped.insert(String(extending))
            }
        }
        guard let subject = names.first.map(QualifiedNames.beginnings) else { return }
        if text.hasPrefix("protocol descriptor for ") { described.formUnion(subject) }
        if text.includes("dispatch thunk of ") { called.formUnion(subject) }
        if Self.implementing.contains(where: { text.hasPrefix($0) }) {
            implemented.formUnion(subject)
        }
    }

    /// Whether any symbol mentions a declaration.
    func mentions(_ name: String) -> Bool {
        if ServiceName.module(name) != nil {
            return needed.contains(name) || defined.contains(name)
        }
        return needed.contains { ServiceName.agree($0, name) }
            || defined.contains { ServiceName.agree($0, name) }
    }

    /// Whether it calls requirements of a protocol, which only code with an instance does.
    func calls(_ name: String) -> Bool { called.contains(name) }

    /// Whether code of the binary asks for a service, or passes it on. Code that only implements the
    /// protocol does not count.
    func asks(for name: String) -> Bool {
        called.contains(name) || (described.contains(name) && !implemented.contains(name))
    }

    func implements(_ name: String) -> Bool { implemented.contains(name) }

    /// Whether it asks for all implementations of services.
    var asksForAll: Bool { needed.contains("EavesInterface.Resolver.resolveAll") }

    var resolves: Bool {
        needed.contains { $0.hasPrefix("EavesInterface.Resolver.") }
            || ["Injected", "Lazy", "Provider"].contains { needed.contains("EavesInterface.\($0)") }
    }

    var readsSettings: Bool { needed.contains("EavesInterface.Settings") }
}

/// Finds qualified names in demangled symbols, such as `CommonInterface.User` in
/// `CommonInterface.UserService.user(named: Swift.String) -> CommonInterface.User`.
enum QualifiedNames {
    /// The names that have a dot, in the order of the text.
    static func all(in text: String) -> [String] {
        text.utf8.split { !isOfName($0) }.compactMap { word in
            let word = word.drop { $0 == dot }
            return word.contains(dot) && word.last != dot ? String(Substring(word)) : nil
        }
    }

    /// The name of the declaration at the top of its module: the first two words.
    static func declaration(_ name: String) -> String {
        let words = name.utf8.split(separator: dot, maxSplits: 2)
        guard words.count > 2 else { return name }
        return String(name[..<words[1].endIndex])
    }

    /// The name, and each of its beginnings of two words or more: `A.B` and `A.B.c` of `A.B.c`.
    static func beginnings(of name: String) -> Set<String> {
        let ends = name.utf8.split(separator: dot).map(\.endIndex)
        return Set(ends.dropFirst().map { String(name[..<$0]) })
    }

    private static let dot = UInt8(ascii: ".")

    /// Any byte beyond ASCII counts, because identifiers may have them.
    private static func isOfName(_ byte: UInt8) -> Bool {
        Names.isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte == dot || byte >= 0x80
    }
}
