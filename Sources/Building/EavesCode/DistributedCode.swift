// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration

/// The sources of distributed actors for an interface module's protocols: for each protocol, an actor around an
/// implementation, which an actor system can reach from elsewhere, and a struct that conforms to the protocol and calls
/// such an actor. The system is the one that the module with the sources calls `DefaultDistributedActorSystem`, as Swift
/// has it. Actors that are generic over their system work with few: many cannot bring the types of a call along.
///
/// The protocols stay as they are, and so do those who provide and use them.
package struct DistributedCode {
    /// The protocols of an interface module, as far as they can have actors.
    private let callable: [RemoteProtocol]
    /// The protocols that can have none, sorted by their names, and the first reason of each.
    package let refused: [(name: String, reason: WallReport.Obstacle)]
    private let module: String
    /// The module's name and a point, as they stand before its types.
    private let prefix: String
    private let imports: [String]

    /// - Parameters:
    ///   - foreignTypes: The types of other interface modules whose values can go to another process.
    ///   - report: The report of the module's file, which knows the places in its sources.
    package init(
        _ graph: SymbolGraph, of module: String, importing imports: [String],
        foreignTypes: Set<String>, _ report: WallReport
    ) {
        let remote = RemoteProtocols(graph, foreignTypes: foreignTypes)
        var refused: [(name: String, reason: WallReport.Obstacle)] = []
        var callable: [RemoteProtocol] = []
        for one in remote.all {
            if let reason = Self.obstacle(to: one, in: module, report) {
                refused.append((one.name, reason))
            } else {
                callable.append(one)
            }
        }
        self.callable = callable
        self.refused = refused.sorted { $0.name < $1.name }
        self.module = module
        let own: [String]
        (prefix, own) = remote.naming(module)
        let others = Set(imports).subtracting(["Distributed", "EavesInterface"])
        self.imports = others.union([module]).sorted().map { "import \($0)" } + own
    }

    /// The names of the protocols that can have actors, in the order of the sources.
    package var names: [String] { callable.map(\.name) }

    package func source(of names: [String]) -> String {
        var lines = [
            "// Made by 'eaves interface actors' from \(module). When the interface has grown, make it again.",
            "// The module says which actor system it uses: 'typealias DefaultDistributedActorSystem = …'.",
            "// swift-format-ignore-file", "", "import Distributed",
        ]
        lines += imports
        for one in callable where names.contains(one.name) {
            lines += actor(of: one) + caller(of: one)
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// Members that each distributed actor has already.
    private static let ownMembers: Set = ["id", "actorSystem"]

    private static func obstacle(
        to one: RemoteProtocol, in module: String, _ report: WallReport
    ) -> WallReport.Obstacle? {
        if let known = report.protocols[one.name]?.first ?? one.obstacles.first { return known }
        for requirement in one.requirements {
            var obstacle = WallReport.Obstacle(
                place: module, requirement: requirement.title, reason: "")
            if case .stream = requirement.result {
                obstacle.reason = "its result is a stream, and a distributed call has one answer"
                return obstacle
            }
            if ownMembers.contains(requirement.name) {
                obstacle.reason = "each distributed actor has a member of that name"
                return obstacle
            }
        }
        return nil
    }

    private func actor(of one: RemoteProtocol) -> [String] {
        let type = "any \(prefix)\(one.name)"
        var lines = [
            "", "/// Lets others call `\(one.name)`, through an actor system.",
            "distributed actor \(one.flatName)Actor {", "    private let service: \(type)", "",
            "    init(_ service: \(type), on actorSystem: ActorSystem) {",
            "        self.actorSystem = actorSystem", "        self.service = service", "    }",
        ]
        for requirement in one.requirements {
            lines.append("")
            lines += declaration("distributed ", of: requirement, calling: "service") {
                $0.bareType
            }
        }
        return lines + ["}"]
    }

    private func caller(of one: RemoteProtocol) -> [String] {
        let actor = "\(one.flatName)Actor"
        var lines = [
            "", "/// `\(one.name)`, whose calls go to an actor, which may be on another machine.",
            "struct Distributed\(one.flatName): \(prefix)\(one.name) {", "    let actor: \(actor)",
            "",
            "    init(_ actor: \(actor)) { self.actor = actor }",
        ]
        for requirement in one.requirements {
            lines.append("")
            lines += declaration("", of: requirement, calling: "actor") { $0.type }
        }
        return lines + ["}"]
    }

    /// A member that hands its calls on to another object's member of the same name.
    private func declaration(
        _ words: String, of requirement: RemoteProtocol.Requirement, calling object: String,
        type: (RemoteProtocol.Requirement.Parameter) -> String
    ) -> [String] {
        let result = requirement.result.type
        switch requirement.form {
        case .property:
            return [
                "    \(words)var \(requirement.name): \(result ?? "()") {",
                "        get async throws { try await \(object).\(requirement.name) }", "    }",
            ]
        case .method(let parameters):
            let list = parameters.enumerated().map { "\($1.label) _\($0): \(type($1))" }
            let arguments = RemoteProtocol.arguments("_", for: parameters)
            let arrow = result.map { " -> \($0)" } ?? ""
            return [
                "    \(words)func \(requirement.name)(\(list.joined(separator: ", "))) async throws\(arrow) {",
                "        try await \(object).\(requirement.name)(\(arguments))",
                "    }",
            ]
        }
    }
}

extension RemoteProtocol {
    fileprivate var flatName: String { name.filter { $0 != "." } }
}
