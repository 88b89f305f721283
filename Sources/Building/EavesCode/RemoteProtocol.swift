// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesDiagnostics

/// A public protocol of an interface module, as calls of it would go to another process.
struct RemoteProtocol {
    /// A requirement whose calls can go.
    package struct Requirement {
        enum Form {
            case method(parameters: [Parameter])
            case property
        }

        enum Result {
            case nothing
            /// The type as another module's code can have it.
            case value(String)
            /// An `AsyncThrowingStream` of elements of this type.
            case stream(of: String)
        }

        struct Parameter {
            /// `_` for none.
            let label: String
            /// With `consuming` and its like.
            let type: String
            let bareType: String
        }

        let title: String
        /// With the backticks that it needs.
        let name: String
        let form: Form
        let result: Result
    }

    /// With the names of the types around it.
    let name: String
    /// Those of the protocols that it inherits from stand first.
    let requirements: [Requirement]
    /// The reasons why its calls cannot go; none if they can.
    let obstacles: [WallReport.Obstacle]
}

/// Finds out which protocols of an interface module have calls that can go to another process.
///
/// A call can go if the caller waits for it and expects that it fails, as a process may die, and if all that goes
/// there and comes back is data.
package struct RemoteProtocols {
    private(set) var all: [RemoteProtocol] = []
    /// The public types whose values can go.
    private(set) var types: Set<String> = []
    /// The error types of the interface that arrive as they were thrown.
    private(set) var errors: [SymbolGraph.Symbol] = []
    /// The structs whose `Codable` the compiler has derived, and their public properties that may be stored.
    private(set) var derived: [(type: SymbolGraph.Symbol, properties: [SymbolGraph.Symbol])] = []
    private let graph: SymbolGraph
    /// Those of other interface modules whose values can go.
    private let foreignTypes: Set<String>

    package init(_ graph: SymbolGraph, foreignTypes: Set<String>) {
        self.graph = graph
        self.foreignTypes = foreignTypes
        for symbol in graph.symbols where Self.typeKinds.contains(symbol.kind) && !symbol.isGeneric
        {
            let conformances = Set(graph.conformances(of: symbol.identifier))
            guard conformances.isSuperset(of: [Known.encodable, Known.decodable, Known.sendable])
            else { continue }
            types.insert(symbol.identifier)
            if conformances.contains(Known.error) { errors.append(symbol) }
            // A protocol of another kind could have an 'encode(to:)' for its types.
            if conformances.isSubset(of: Known.withoutCoding),
                let properties = graph.properties(ofDerivedCodable: symbol)
            {
                derived.append((symbol, properties))
            }
        }
        for symbol in graph.symbols where symbol.kind == "swift.protocol" {
            all.append(crossing(symbol))
        }
    }

    var callable: [RemoteProtocol] { all.filter(\.obstacles.isEmpty) }

    package var report: WallReport {
        WallReport(
            protocols: Dictionary(all.map { ($0.name, $0.obstacles) }) { first, _ in first },
            types: types)
    }

    private static let typeKinds: Set = ["swift.struct", "swift.enum", "swift.class"]

    /// The compiler's identifiers of what the standard library has.
    private enum Known {
        static let encodable = "s:SE"
        static let decodable = "s:Se"
        static let sendable = "s:s8SendableP"
        static let error = "s:s5ErrorP"
        static let stream = "s:Scs"
        /// Conformances of a protocol that make no difference to its calls.
        static let plain: Set = [
            sendable, "s:s16SendableMetatypeP", "s:s8CopyableP", "s:s9EscapableP",
        ]
        /// Conformances of a struct that make no difference to its `Codable`.
        static let withoutCoding = plain.union([
            encodable, decodable, error, "s:SQ", "s:SH", "s:SL", "s:s12IdentifiableP",
            "s:s23CustomStringConvertibleP", "s:s28CustomDebugStringConvertibleP",
            "s:s15BitwiseCopyableP",
        ])
        /// Types whose values can go, if those inside them can.
        static let types = Set([
            "s:Si", "s:SS", "s:Sb", "s:Sd", "s:Sf", "s:Su", "s:s4Int8V", "s:s5Int16V", "s:s5Int32V",
            "s:s5Int64V", "s:s5UInt8V", "s:s6UInt16V", "s:s6UInt32V", "s:s6UInt64V",
            "s:s8DurationV", "s:Sa", "s:SD", "s:Sh", "s:Sq", "s:Sn", "s:SN",
            "s:s15ContiguousArrayV",
        ]).union(
            // Foundation has two modules of that name.
            ["4DateV", "4DataV", "4UUIDV", "3URLV", "7DecimalV", "14DateComponentsV"].flatMap {
                ["s:10Foundation\($0)", "s:20FoundationEssentials\($0)"]
            })
    }

    // MARK: Protocols

    private func crossing(_ symbol: SymbolGraph.Symbol) -> RemoteProtocol {
        var requirements: [RemoteProtocol.Requirement] = []
        var obstacles: [WallReport.Obstacle] = []
        if !graph.conformances(of: symbol.identifier).contains(Known.sendable) {
            obstacles.append(.init(place: symbol.place, reason: "the protocol is not Sendable"))
        }
        for one in lineage(of: symbol) {
            for requirement in graph.requirements(of: one.identifier) {
                do throws(Reason) {
                    requirements.append(try self.requirement(requirement))
                } catch {
                    obstacles.append(
                        .init(
                            place: requirement.place, requirement: requirement.title,
                            reason: error.text))
                }
            }
            for parent in graph.conformances(of: one.identifier)
            where graph[parent] == nil && !Known.plain.contains(parent) {
                let reason = "inherits from '\(graph.name(ofProtocol: parent))' of another module"
                obstacles.append(.init(place: one.place, reason: reason))
            }
        }
        return RemoteProtocol(
            name: symbol.path.joined(separator: "."), requirements: requirements,
            obstacles: obstacles)
    }

    /// A protocol and those of the same module that it inherits from, each once, the protocol last.
    private func lineage(of symbol: SymbolGraph.Symbol) -> [SymbolGraph.Symbol] {
        var seen: Set<String> = []
        var found: [SymbolGraph.Symbol] = []
        func visit(_ symbol: SymbolGraph.Symbol) {
            guard seen.insert(symbol.identifier).inserted else { return }
            for parent in graph.conformances(of: symbol.identifier) {
                if let parent = graph[parent] { visit(parent) }
            }
            found.append(symbol)
        }
        visit(symbol)
        return found
    }

    private struct Reason: Error { let text: String }

    private func requirement(
        _ symbol: SymbolGraph.Symbol
    ) throws(Reason) -> RemoteProtocol.Requirement {
        let form: RemoteProtocol.Requirement.Form
        let type: [SymbolGraph.Fragment]
        switch symbol.kind {
        case "swift.method":
            form = .method(parameters: try parameters(of: symbol))
            type = symbol.result
        case "swift.property":
            form = .property
            let declaration = symbol.declaration
            if declaration.has("keyword", "set") { throw Reason(text: "it has a setter") }
            let get = declaration.firstIndex { $0.kind == "keyword" && $0.text == "get" }
            guard let get else { throw Reason(text: "it has no getter") }
            try checkEffects(Array(declaration[get...]))
            type = SymbolGraph.type(after: symbol.declaration.head)
        case "swift.associatedtype": throw Reason(text: "it is an associated type")
        case "swift.init": throw Reason(text: "it is an initialiser")
        case "swift.subscript": throw Reason(text: "it is a subscript")
        default: throw Reason(text: "it belongs to the type and not to an instance")
        }
        guard let name = symbol.declaration.first(where: { $0.kind == "identifier" })?.text else {
            throw Reason(text: "it has no name")
        }
        return RemoteProtocol.Requirement(
            title: symbol.title, name: name, form: form, result: try result(type))
    }

    private func parameters(
        of symbol: SymbolGraph.Symbol
    ) throws(Reason) -> [RemoteProtocol.Requirement.Parameter] {
        let declaration = symbol.declaration
        if symbol.isGeneric { throw Reason(text: "it is generic") }
        if declaration.has("keyword", "mutating") { throw Reason(text: "it is mutating") }
        // The effects stand behind the parameters, whose closures may have effects of their own.
        let last = declaration.lastIndex {
            $0.kind == "internalParam" || $0.kind == "externalParam"
        }
        try checkEffects(Array(declaration[(last ?? declaration.startIndex)...]))
        var parameters: [RemoteProtocol.Requirement.Parameter] = []
        let labels = symbol.title.drop { $0 != "(" }.dropFirst().split(separator: ":").map(
            String.init)
        for (index, parameter) in symbol.parameters.enumerated() {
            if let problem = problem(with: parameter.type, isParameter: true) {
                throw Reason(text: "parameter '\(parameter.name)': \(problem)")
            }
            parameters.append(
                .init(
                    label: labels.indices.contains(index) ? labels[index] : "_",
                    type: code(parameter.type), bareType: code(Self.bare(parameter.type))))
        }
        return parameters
    }

    private func checkEffects(_ fragments: [SymbolGraph.Fragment]) throws(Reason) {
        guard fragments.has("keyword", "async") else {
            throw Reason(text: "it is not 'async throws': it cannot wait for another process")
        }
        let place = fragments.firstIndex { $0.kind == "keyword" && $0.text.hasSuffix("throws") }
        guard let place else {
            throw Reason(text: "it is not 'async throws': another process may die during the call")
        }
        if place + 1 < fragments.count, fragments[place + 1].text.hasPrefix("(") {
            throw Reason(text: "it throws one type alone, which cannot say that a process has died")
        }
    }

    private func result(
        _ fragments: [SymbolGraph.Fragment]
    ) throws(Reason) -> RemoteProtocol.Requirement.Result {
        if fragments.isVoid { return .nothing }
        // `AsyncThrowingStream`, `<`, the elements, `, any `, `Error` and `>`.
        var element = Array(fragments.dropFirst().dropLast(2))
        if fragments.first?.type == Known.stream, element.count > 2,
            fragments.dropLast().last?.type == Known.error, fragments.last?.text == ">",
            element[element.count - 1].text.hasSuffix(", any ")
        {
            element[0].text.removeFirst()
            element[element.count - 1].text.removeLast(", any ".count)
            if let problem = problem(with: element, isParameter: false) {
                throw Reason(text: "element of the result: \(problem)")
            }
            return .stream(of: code(element))
        }
        if let problem = problem(with: fragments, isParameter: false) {
            throw Reason(text: "result: \(problem)")
        }
        return .value(code(fragments))
    }

    // MARK: Types

    /// The words of a type with the modules of its types, so that no type takes the place of another one.
    private func code(_ type: [SymbolGraph.Fragment]) -> String {
        type.text { $0.module.flatMap { isNamable($0) ? $0 : nil } }
    }

    /// The way in which code names the types of the interface module: the words before them; and imports of single
    /// types, which go before types of the same name in other modules, if no words can stand there.
    func naming(_ module: String) -> (prefix: String, imports: [String]) {
        if isNamable(module) { return (module + ".", []) }
        let imports = graph.symbols.filter { $0.path.count == 1 }.compactMap { symbol in
            SymbolGraph.Fragment(kind: "", text: symbol.path[0], type: symbol.identifier)
                .singleImport
        }
        return ("", imports)
    }

    /// Whether the name of a module means the module: a type in it may have the same name, and is meant then.
    private func isNamable(_ module: String) -> Bool {
        !["V", "O", "C", "P", "a"].contains { kind in
            let type = "s:\(module.utf8.count)\(module)AA\(kind)"
            return graph[type] != nil || foreignTypes.contains(type)
        }
    }

    private static let ownershipWords: Set = [
        "consuming", "borrowing", "sending", "__owned", "__shared",
    ]

    /// The type without the words that say who owns the value.
    private static func bare(_ type: [SymbolGraph.Fragment]) -> [SymbolGraph.Fragment] {
        var type = type[...]
        while let first = type.first, ownershipWords.contains(first.text) {
            type = type.dropFirst()
            if type.first?.text == " " { type = type.dropFirst() }
        }
        return Array(type)
    }

    /// The reason why values of a type cannot go to another process; `nil` if they can.
    private func problem(with type: [SymbolGraph.Fragment], isParameter: Bool) -> String? {
        let type = isParameter ? Self.bare(type) : type
        let text = type.text
        if type.has("keyword", "inout") { return "it is 'inout'" }
        if type.has("keyword", "isolated") { return "it is an isolation" }
        if text.hasSuffix("...") { return "it is variadic" }
        if text.includes("->") || type.contains(where: { $0.kind == "attribute" }) {
            return "'\(text)' is a closure"
        }
        if ["any", "Any"].contains(where: { type.has("keyword", $0) })
            || text.includes("any ")
        {
            return "'\(text)' is existential"
        }
        if type.has("keyword", "some") || text.includes("some ") { return "'\(text)' is generic" }
        if text.includes("(") { return "'\(text)' is a tuple" }
        for (index, fragment) in type.enumerated() where fragment.kind == "typeIdentifier" {
            // A type that the next one lies in goes nowhere itself.
            if index + 1 < type.count, type[index + 1].text.hasPrefix(".") { continue }
            if let problem = problem(with: fragment) { return problem }
        }
        return nil
    }

    private func problem(with fragment: SymbolGraph.Fragment) -> String? {
        guard let identifier = fragment.type else {
            return "'\(fragment.text)' is another type in each implementation"
        }
        let known = [Known.types, types, foreignTypes]
        if known.contains(where: { $0.contains(identifier) }) { return nil }
        guard let symbol = graph[identifier] else {
            // The graph leaves out aliases that the compiler adds, such as the `ID` of an `Identifiable` type. Whether
            // their types are Codable, the compiler says when it compiles the calls.
            if identifier.hasSuffix("a"), types.contains(where: identifier.hasPrefix) { return nil }
            return "'\(fragment.text)' is of another module, which does not say that it is Codable"
        }
        if symbol.kind == "swift.typealias" {
            guard let equals = symbol.declaration.firstIndex(where: { $0.text == " = " }) else {
                return "'\(fragment.text)' is generic"
            }
            return problem(with: Array(symbol.declaration[(equals + 1)...]), isParameter: false)
        }
        if symbol.kind == "swift.associatedtype" {
            return "'\(fragment.text)' is another type in each implementation"
        }
        if symbol.isGeneric { return "'\(fragment.text)' is generic" }
        let conformances = Set(graph.conformances(of: identifier))
        let missing = [
            (Known.encodable, "Encodable"), (Known.decodable, "Decodable"),
            (Known.sendable, "Sendable"),
        ].filter { !conformances.contains($0.0) }.map(\.1)
        let words =
            missing.starts(with: ["Encodable", "Decodable"])
            ? ["Codable"] + missing.dropFirst(2) : missing
        return "'\(fragment.text)' is not \(words.joined(separator: " and "))"
    }
}
