// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesSystem

/// A definition of which a process has one for all files: it keeps the first for good, and the code of each later file runs
/// with that one.
package enum ProcessWideDefinition: Hashable, Sendable, CustomStringConvertible {
    /// The symbol that g++ gives a static variable of an inline function or of a template. Mangled.
    case symbol(String)
    /// A conformance of another file's type to another file's protocol, by the symbols of their descriptors.
    case conformance(of: String, to: String)
    /// The names of a Swift module's types, which its code looks up.
    case typeNames(of: String)

    /// Functions that look a type up by its name. Symbols of other files begin so.
    fileprivate static let lookUps = [
        "$ss11_typeByName", "$s10Foundation17NSClassFromString",
        "$s10Foundation17NSKeyedUnarchiverC",
        "$s10Foundation6BundleC10classNamed", "$s10Foundation6BundleC14principalClass",
    ]

    /// - Returns: `nil` for a symbol that each file has for itself; for those of the C++ library, which are the same in all
    ///   files; and for the guard of a variable, which stands next to it.
    package init?(_ symbol: ELFSymbol) {
        let name = symbol.name
        guard symbol.isUnique, symbol.isDefined, !name.hasPrefix("_ZGV") else { return nil }
        // `St`, `Ss` and the like abbreviate the library's names.
        let scope = name.dropFirst(2).drop { "ZNK".contains($0) }
        if name.hasPrefix("_Z"), scope.hasPrefix("S") || scope.hasPrefix("9__gnu_cxx") {
            return nil
        }
        self = .symbol(name)
    }

    /// The names of a conformance's type and protocol, as sources have them. Empty for the others.
    package var writtenNames: [String] {
        guard case .conformance(let type, let name) = self else { return [] }
        return [type, name].map { String(Self.word($0).split(separator: ".").last ?? "") }
    }

    /// The way in which the author of a module gets around it.
    package var fix: String {
        switch self {
        case .symbol:
            "compile the module with '-fno-gnu-unique', or let it run in a process of its own: "
                + "\"isolation\": \"process\" in the manifest"
        case .conformance:
            "let a type of the module's own conform that wraps the other, or move the conformance to an interface module, "
                + "which a process loads once"
        case .typeNames:
            "read with 'Codable' what is stored, which looks up no type, or let the module run in a process of its own: "
                + "\"isolation\": \"process\" in the manifest"
        }
    }

    package var description: String {
        switch self {
        case .symbol(let name): "the unique symbol '\(SymbolName.demangled(name))'"
        case .conformance(let type, let name):
            "the conformance '\(Self.word(type)): \(Self.word(name))'"
        case .typeNames(let module): "types of '\(module)' that code looks up by their names"
        }
    }

    /// `Base.Person` of a demangled descriptor, `nominal type descriptor for Base.Person`.
    private static func word(_ symbol: String) -> String {
        String(SymbolName.demangled(symbol).split(separator: " ").last ?? "")
    }
}

extension ELFFile {
    /// Reads the definitions of which a process keeps the first.
    package func processWideDefinitions() throws(ELFError) -> [ProcessWideDefinition] {
        let dynamic = try dynamicSection()
        return try processWideDefinitions(
            among: symbols(of: dynamic),
            swiftConformances(of: dynamic, toProtocolsWith: []).retroactive)
    }

    package func processWideDefinitions(
        among symbols: [ELFSymbol], _ conformances: [ProcessWideDefinition]
    ) throws(ELFError) -> [ProcessWideDefinition] {
        let looksUp = symbols.contains { symbol in
            !symbol.isDefined
                && ProcessWideDefinition.lookUps.contains(where: symbol.name.hasPrefix)
        }
        let names = looksUp ? try swiftModules().keys.sorted() : []
        return symbols.compactMap(ProcessWideDefinition.init) + conformances
            + names.map(ProcessWideDefinition.typeNames)
    }
}

extension Diagnostic {
    /// The warning about definitions of a module that it cannot have to itself.
    ///
    /// - Parameters:
    ///   - definitions: Never empty.
    ///   - others: The modules that have the same ones.
    ///   - place: A function that returns the author's line, if it is known.
    package init(
        _ definitions: [ProcessWideDefinition], besides others: [String] = [],
        at place: (ProcessWideDefinition) -> String? = { _ in nil }
    ) {
        let words = definitions.map { "\($0)" + (place($0).map { " (\($0))" } ?? "") }
        let owners = others.map { "'\($0)'" }.abridged(by: ", ")
        self.init(
            "has \(words.abridged(by: ", "))"
                + (others.isEmpty ? "" : ", and so \(others.count == 1 ? "does" : "do") \(owners)")
                + ": a process keeps the first for good, so that "
                + (others.isEmpty
                    ? "a running host cannot exchange the module"
                    : "a host cannot load one after the other"),
            fix: definitions[0].fix, code: .incompatible)
    }
}
