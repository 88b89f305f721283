// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The code of an interface module's calls to another process: for each protocol, a proxy that hands its calls on, and
/// a switch that calls an implementation.
///
/// It is a library of its own, which is loaded only where a module runs in another process.
package struct CrossingCode {
    private let module: String
    private let protocols: [RemoteProtocol]
    private let errors: [SymbolGraph.Symbol]
    /// The imports of the interface module, and of what its sources import.
    private let imports: [String]
    /// The module's name and a point, as they stand before its types.
    private let prefix: String

    package init(
        _ remote: RemoteProtocols, of module: String, importing imports: [String]
    ) {
        self.module = module
        protocols = remote.callable
        errors = remote.errors
        let own: [String]
        (prefix, own) = remote.naming(module)
        let others = imports.filter { $0 != module && $0 != "EavesInterface" }
        self.imports = ([module] + others).map { "import \($0)" } + own
    }

    package var swiftModule: String { module + "_Crossing" }

    /// The number of this generator, which is part of the recipe of an interface module. It rises when the code uses something
    /// else of `EavesInterface`: that part stands in no textual interface.
    package static let version = "3"

    /// The C function that adds all services to a `WireTable`.
    static let entry = "eaves_wire_table"

    package var source: String {
        var lines = ["@_spi(Generated) import EavesInterface"] + imports
        for (index, one) in protocols.enumerated() { lines += proxy(of: one, index) }
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

    private func proxy(of one: RemoteProtocol, _ index: Int) -> [String] {
        var lines = [
            "private final class _EavesProxy\(index): \(prefix)\(one.name) {",
            "  let _eavesRemote: any EavesInterface.RemoteInstance",
            "  init(_ remote: any EavesInterface.RemoteInstance) { _eavesRemote = remote }",
        ]
        for (place, requirement) in one.requirements.enumerated() {
            let call: String
            switch requirement.result {
            case .nothing: call = "_ = try await _eavesRemote.call(\(place), _eavesArguments)"
            case .value(let type):
                call =
                    "return try await _eavesRemote.call(\(place), _eavesArguments, returning: (\(type)).self)"
            case .stream(let type):
                call =
                    "return try await _eavesRemote.stream(\(place), _eavesArguments, of: (\(type)).self)"
            }
            let writer = "    let _eavesArguments = EavesInterface.WireWriter()"
            switch requirement.form {
            case .method(let parameters):
                let list = parameters.enumerated().map { "\($1.label) _eaves\($0): \($1.type)" }
                let result = requirement.result.type.map { " -> \($0)" } ?? ""
                lines.append(
                    "  func \(requirement.name)(\(list.joined(separator: ", "))) async throws\(result) {"
                )
                lines.append(writer)
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
            case .value: lines.append("      return try .value(try await \(target))")
            case .stream: lines.append("      return .stream(try await \(target))")
            }
        }
        // The peer asks for no other place.
        lines += ["    default: return .nothing", "    }", "  }"]
        return lines
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
