// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
import EavesCode
import EavesDeclaration
import EavesDiagnostics
package import EavesSystem

/// A type that conforms to a protocol, with the least that compiles in each of its members.
package struct ConformanceSketch: Hashable, Sendable {
    package let service: String
    /// The protocol as sources name it.
    let name: String
    /// The Swift modules of the protocol, of those that it inherits, and of the types in its members.
    package let modules: [String]
    /// The import of the protocol alone, if another type of its name might be meant.
    let protocolImport: [String]
    /// The same for the protocol and the types in its members.
    let imports: [String]
    /// The keyword of a type that can conform: `struct`, or `final class`.
    let keyword: String
    /// The text of each member, not indented.
    let members: [String]
    /// The error that members throw which have nothing to return; empty if none does.
    let helper: String

    /// Reads the protocol in the symbol graph of its interface, which was built.
    ///
    /// - Parameters:
    ///   - service: The qualified name, such as `WeatherAPI.WeatherService`.
    ///   - folder: The folder that the symbol graphs are written to.
    /// - Throws: `BuildError`, or ``TemplateError/cannotSketch(_:because:)``.
    package init(
        of service: String, with interfaces: NamedInterfaces, in folder: WorkFolder
    ) throws {
        var reader = SymbolGraphs(tools: interfaces.tools, folder: folder)
        let names = interfaces.names
        let word = ServiceName.word(service)
        let found = try reader.requirements(of: service)
        self.service = word
        name = names.text(word, of: found.modules[0])
        keyword = found.needsClass ? "final class" : "struct"
        var types: [SymbolGraph.Fragment] = []
        let members = try found.requirements.map { requirement in
            try Member(requirement, of: word) { type in
                types.append(type)
                return type.module.flatMap { names.module(before: type.text, of: $0) }
            }
        }
        let others = Set(types.compactMap(\.module)).subtracting(
            found.modules + ["Swift", "_Concurrency"])
        modules = found.modules + others.sorted()
        // The names in modules that are no interfaces are not known.
        let isCrowded = modules.contains { names.hides($0) || !names.knows($0) }
        protocolImport = isCrowded ? ["import protocol \(found.modules[0]).\(word)"] : []
        let single = types.filter { type in
            type.module.map {
                names.knows($0) && names.module(before: type.text, of: $0) == nil
            } == true
        }
        imports =
            isCrowded ? Set(single.compactMap(\.singleImport) + protocolImport).sorted() : []
        // The module makes the type without arguments.
        let begins = members.contains(where: \.isInitializer)
        let isMade = members.contains { $0.text.hasPrefix("init()") }
        self.members = (begins && !isMade ? ["init() {}"] : []) + members.map(\.text)
        helper =
            members.contains { $0.body == .fails }
            ? """

            /// Says which member is still to be written.
            private struct NotWritten: \(names.text("Error", of: "Swift")) {
                let member: \(names.text("String", of: "Swift"))
            }

            """ : ""
    }
}

/// The body of a member that is still to be written.
private enum Body: Hashable {
    case returns(String)
    case fails
    /// A body that ends the process: it has nothing to return, and cannot throw.
    case traps

    init(_ type: [SymbolGraph.Fragment], throws canThrow: Bool) {
        if let value = Self.value(type) {
            self = .returns(value)
        } else {
            self = canThrow ? .fails : .traps
        }
    }

    /// Something of a type that says nothing; `nil` if only the author knows one.
    private static func value(_ fragments: [SymbolGraph.Fragment]) -> String? {
        let type = fragments.text
        if fragments.isVoid { return "" }
        let isStandard = fragments[0].module == "Swift"
        switch isStandard ? type : "" {
        case "Bool": return "false"
        case "String", "Substring": return "\"\""
        case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
            "UInt64", "Double", "Float":
            return "0"
        default: break
        }
        if type.hasSuffix("?"), !type.includes("->") { return "nil" }
        if type.hasPrefix("["), type.hasSuffix("]") {
            // A bracket that closes before the end makes it another type, such as `[Int].Index`.
            var depth = 0
            var hasColon = false
            for (index, character) in type.enumerated() {
                if "[(<".contains(character) { depth += 1 }
                if "])>".contains(character) { depth -= 1 }
                if character == ":", depth == 1 { hasColon = true }
                if depth == 0, index < type.count - 1 { return nil }
            }
            return hasColon ? "[:]" : "[]"
        }
        return isStandard && type.hasPrefix("Set<") && type.hasSuffix(">") ? "[]" : nil
    }

    func text(for member: String) -> String {
        switch self {
        case .returns(let value): value
        case .fails: "throw NotWritten(member: \(member.debugDescription))"
        case .traps: "fatalError(\("\(member) is still to be written".debugDescription))"
        }
    }
}

private struct Member {
    let text: String
    let body: Body
    let isInitializer: Bool

    /// - Parameter module: A function that returns the module to write before a type; `nil` for none.
    init(
        _ requirement: SymbolGraph.Symbol, of service: String,
        naming module: (SymbolGraph.Fragment) -> String?
    ) throws(TemplateError) {
        let declaration = requirement.declaration.text(naming: module)
        let result = requirement.result
        let name = requirement.path.last ?? ""
        isInitializer = requirement.kind == "swift.init"
        switch requirement.kind {
        case "swift.method", "swift.type.method", "swift.init":
            body = Body(result, throws: Self.throwsAnything(declaration))
            text = Self.block(declaration, body.text(for: name))
        case "swift.property", "swift.type.property", "swift.subscript", "swift.type.subscript":
            guard let head = declaration.part(before: " {").map({ String($0) }),
                let accessors = declaration.part(after: " {").map({ String($0) })
            else {
                throw .cannotSketch(service, because: "'\(declaration)' is of an unknown form")
            }
            let type =
                result.isEmpty ? SymbolGraph.type(after: requirement.declaration.head) : result
            body = Body(type, throws: Self.throwsAnything(accessors))
            let value = body.text(for: name)
            if accessors.includes(" set") {
                let get = Self.block("get", value)
                let set = Self.block("set", "")
                text = Self.block(head, "\(get)\n\(set)")
            } else {
                let effects = accessors.split(separator: " ").filter {
                    $0 == "async" || $0.hasPrefix("throws")
                }
                text =
                    effects.isEmpty
                    ? Self.block(head, value)
                    : Self.block(head, Self.block("get \(effects.joined(separator: " "))", value))
            }
        default:
            throw .cannotSketch(
                service, because: "it has '\(declaration)', which only its author can choose")
        }
    }

    /// Whether a member can throw an error of any type.
    private static func throwsAnything(_ text: String) -> Bool {
        text.includes(" throws") && !text.includes(" throws(")
    }

    private static func block(_ head: String, _ body: String) -> String {
        guard !body.isEmpty else { return "\(head) {}" }
        let lines = body.split(separator: "\n").map { "    \($0)\n" }.joined()
        return "\(head) {\n\(lines)}"
    }
}

/// The symbol graphs of interfaces, each read when it is first asked for.
struct SymbolGraphs {
    /// Everything that a type needs to conform to a protocol.
    struct Requirements {
        /// The Swift modules of the protocol, and of those that it inherits.
        var modules: [String] = []
        /// Those for which there is no default.
        var requirements: [SymbolGraph.Symbol] = []
        var needsClass = false
    }

    let tools: InterfaceTools
    let folder: WorkFolder
    fileprivate(set) var graphs: [String: SymbolGraph] = [:]

    /// The requirements of a protocol, and of those that it inherits.
    ///
    /// - Parameter name: The qualified name.
    mutating func requirements(of name: String) throws -> Requirements {
        var found = Requirements()
        var rest = [name]
        var seen: Set<String> = []
        while let next = rest.popLast() {
            guard seen.insert(next).inserted else { continue }
            let parts = next.split(separator: ".", maxSplits: 1).map(String.init)
            // A protocol of the standard library, such as Sendable: nearly all of them need nothing.
            guard parts.count == 2, parts[0] != "Swift", !parts[0].hasPrefix("_") else { continue }
            let graph = try graph(of: parts[0])
            let symbol = graph.symbols.first {
                $0.kind == "swift.protocol" && $0.path.joined(separator: ".") == parts[1]
            }
            guard let symbol else {
                throw TemplateError.cannotSketch(name, because: "\(next) is not a public protocol")
            }
            if !found.modules.contains(parts[0]) { found.modules.append(parts[0]) }
            let declaration = symbol.declaration.text
            if ["@MainActor", ": Actor"].contains(where: declaration.includes) {
                throw TemplateError.cannotSketch(name, because: "\(next) belongs to an actor")
            }
            found.needsClass = found.needsClass || declaration.includes("AnyObject")
            found.requirements += graph.requirements(of: symbol.identifier)
                .filter { !graph.hasDefault($0) }
            rest += graph.conformances(of: symbol.identifier).map { inherited in
                let name = graph.name(ofProtocol: inherited)
                return graph[inherited] == nil ? name : "\(parts[0]).\(name)"
            }
        }
        return found
    }

    private mutating func graph(of module: String) throws -> SymbolGraph {
        if let known = graphs[module] { return known }
        let graph = try tools.symbolGraph(of: module, in: folder)
        graphs[module] = graph
        return graph
    }
}
