// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// The code of an interface module's calls to another process: for each protocol, a proxy that hands its calls on, and
/// a switch that calls an implementation.
///
/// It is a library of its own, which is loaded only where a module runs in another process.
package struct CrossingCode {
    private let module: String
    private let protocols: [RemoteProtocol]
    private let errors: [SymbolGraph.Symbol]
    private let derived: [(type: SymbolGraph.Symbol, properties: [SymbolGraph.Symbol])]
    /// The imports of the interface module, and of what its sources import.
    private let imports: [String]
    /// The module's name and a point, as they stand before its types.
    private let prefix: String

    package init(_ remote: RemoteProtocols, of module: String, importing imports: [String]) {
        self.module = module
        protocols = remote.callable
        errors = remote.errors
        let own: [String]
        (prefix, own) = remote.naming(module)
        derived = remote.derived
        let others = imports.filter { $0 != module && $0 != "EavesInterface" }
        self.imports = ([module] + others).map { "import \($0)" } + own
    }

    package var swiftModule: String { module + "_Crossing" }

    /// The number of this generator, which is part of the recipe of an interface module. It rises when the code uses something
    /// else of `EavesInterface`: that part stands in no textual interface.
    package static let version = "5"

    /// The C function that adds all services to a `WireTable`.
    static let entry = "eaves_wire_table"

    package var source: String {
        var lines = ["@_spi(Generated) import EavesInterface"] + imports
        for (index, one) in protocols.enumerated() { lines += proxy(of: one, index) }
        let calls = lines.joined()
        for (index, (type, properties)) in derived.enumerated() {
            let name = prefix + type.path.joined(separator: ".")
            if calls.includes("[\(name)]") { lines += list(of: name, properties, index) }
        }
        lines += [
            "@_cdecl(\"\(Self.entry)\") public func _eavesWireTable(_ address: Swift.UnsafeMutableRawPointer) {",
            "  let table = Swift.Unmanaged<EavesInterface.WireTable>.fromOpaque(address).takeUnretainedValue()",
        ]
        lines += errors.map {
            "  table.add(error: \(prefix)\($0.path.joined(separator: ".")).self)"
        }
        for (index, one) in protocols.enumerated() { lines += entry(of: one, index) }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// How lists of a struct are written and read. A call finds these functions before those for all types.
    private func list(
        of type: String, _ properties: [SymbolGraph.Symbol], _ index: Int
    ) -> [String] {
        let names = properties.compactMap(\.path.last)
        var lines = [
            "private let _eavesMembers\(index) = EavesInterface.WireWriter.members(of: \(type).self, \(names))",
            "extension EavesInterface.WireWriter {",
            "  fileprivate func write(_ values: [\(type)]) throws {",
            "    guard let rows = try self.rows(values, of: _eavesMembers\(index)) else { return }",
            "    defer { rows.close() }", "    for index in values.indices {", "      rows.begin()",
        ]
        lines += names.map { "      try rows.member(values[index].`\($0)`)" }
        lines += ["      rows.end()", "    }", "  }", "}"]
        guard properties.allSatisfy({ $0.declaration.first?.text == "var" }) else { return lines }
        lines += [
            "extension EavesInterface.WireReader {",
            "  fileprivate func read(_ type: [\(type)].Type) throws -> [\(type)] {",
            "    let rows = try EavesInterface.WireRowReader<\(type)>(self, _eavesMembers\(index))",
            "    var values: [\(type)] = []",
            "    guard try rows.next() else { return values }",
            // The other values begin as copies of it: no initialiser is called that might refuse what a process sends.
            "    var model = try rows.whole()", "    values.append(model)",
        ]
        // A copy of a text takes longer.
        lines += properties.filter { $0.declaration.last?.type == "s:SS" }
            .map { "    model.`\($0.title)` = \"\"" }
        lines += [
            "    while try rows.next() {", "      var value = model",
            "      do throws(EavesInterface.WireOtherForm) {", "        try rows.begin()",
        ]
        lines += properties.map {
            let isOptional = $0.declaration.last?.text.hasSuffix("?") == true
            return "        value.`\($0.title)` = try rows.\(isOptional ? "optional" : "member")()"
        }
        return lines + [
            "        try rows.end()", "      } catch { value = try rows.whole() }",
            "      values.append(consume value)", "    }", "    return values", "  }", "}",
        ]
    }

    private func proxy(of one: RemoteProtocol, _ index: Int) -> [String] {
        var lines = [
            "private final class _EavesProxy\(index): \(prefix)\(one.name) {",
            "  let _eavesRemote: any EavesInterface.RemoteInstance",
            "  init(_ remote: any EavesInterface.RemoteInstance) { _eavesRemote = remote }",
        ]
        for (place, requirement) in one.requirements.enumerated() {
            let given = "\(place), _eavesArguments"
            let call =
                switch requirement.result {
                case .nothing: "_ = try await _eavesRemote.call(\(given))"
                case .value(let type):
                    "return try await _eavesRemote.call(\(given)).read((\(type)).self)"
                case .stream(let type):
                    "return try await _eavesRemote.stream(\(given), of: (\(type)).self)"
                }
            let writer = "    let _eavesArguments = EavesInterface.WireWriter()"
            switch requirement.form {
            case .method(let parameters):
                let list = parameters.enumerated().map { "\($1.label) _eaves\($0): \($1.type)" }
                let result = requirement.result.type.map { " -> \($0)" } ?? ""
                lines += [
                    "  func \(requirement.name)(\(list.joined(separator: ", "))) async throws\(result) {",
                    writer,
                ]
                lines += parameters.indices.map { "    try _eavesArguments.write(_eaves\($0))" }
                lines += ["    \(call)", "  }"]
            case .property:
                let type = requirement.result.type ?? "()"
                lines += ["  var \(requirement.name): \(type) { get async throws {", writer]
                lines += ["    \(call)", "  } }"]
            }
        }
        return lines + ["}"]
    }

    private func entry(of one: RemoteProtocol, _ index: Int) -> [String] {
        let titles = one.requirements.map { "\"\($0.title)\"" }.joined(separator: ", ")
        var lines = [
            "  table.add((any \(prefix)\(one.name)).self, requirements: [\(titles)], proxy: { _EavesProxy\(index)($0) }) {",
            "    service, requirement, arguments in", "    switch requirement {",
        ]
        for (place, requirement) in one.requirements.enumerated() {
            lines.append("    case \(place):")
            var target = "service.\(requirement.name)"
            if case .method(let parameters) = requirement.form {
                lines += parameters.enumerated().map {
                    "      let _eaves\($0) = try arguments.read((\($1.bareType)).self)"
                }
                target += "(\(RemoteProtocol.arguments("_eaves", for: parameters)))"
            }
            lines.append("      try arguments.finish()")
            switch requirement.result {
            case .nothing: lines += ["      try await \(target)", "      return .nothing"]
            case .value:
                lines += [
                    "      let _eavesAnswer = EavesInterface.WireWriter()",
                    "      try _eavesAnswer.write(try await \(target))",
                    "      return .value(_eavesAnswer)",
                ]
            case .stream: lines.append("      return .stream(try await \(target))")
            }
        }
        // The peer asks for no other place.
        return lines + ["    default: return .nothing", "    }", "  }"]
    }
}

extension RemoteProtocol {
    /// The arguments of a call.
    ///
    /// - Parameter name: The beginning of their names, before their numbers.
    static func arguments(_ name: String, for parameters: [Requirement.Parameter]) -> String {
        parameters.enumerated()
            .map { ($1.label == "_" ? "" : "\($1.label): ") + "\(name)\($0)" }
            .joined(separator: ", ")
    }
}

extension RemoteProtocol.Requirement.Result {
    /// The type as it stands in a declaration; `nil` for none.
    var type: String? {
        switch self {
        case .nothing: nil
        case .value(let type): type
        case .stream(let element): "_Concurrency.AsyncThrowingStream<\(element), any Swift.Error>"
        }
    }
}
