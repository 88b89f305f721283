// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
package import EavesJSON

/// Says which protocols of an interface module have calls that can go to another process, and why others have not.
///
/// `eaves build` makes it from what the compiler knows of the sources, and keeps it in a section of the module's file.
package struct WallReport: Hashable, Sendable {
    package static let section = ".eaves_wall_report"
    /// The section that has the code of the calls, which is a shared library; without it, no protocol has such calls.
    package static let codeSection = ".eaves_wall_code"
    /// The largest size of either section. In bytes.
    package static let sizeLimit = 16 << 20

    /// A reason why calls of a protocol cannot go to another process.
    package struct Obstacle: Hashable, Sendable {
        /// The place in the sources, such as `UserAPI.swift:27`.
        package var place: String
        /// The requirement, such as `opaque(_:)`; `nil` if the protocol itself is the reason.
        package var requirement: String?
        package var reason: String

        package init(place: String, requirement: String? = nil, reason: String) {
            self.place = place
            self.requirement = requirement
            self.reason = reason
        }

        /// Such as `'opaque(_:)': parameter 'o': 'Opaque' is not Codable`.
        package var words: String { (requirement.map { "'\($0)': " } ?? "") + reason }

        package var json: JSON {
            .object(present: [
                "place": .string(place), "requirement": requirement.map(JSON.string),
                "reason": .string(reason),
            ])
        }
    }

    /// The obstacles of each public protocol, by its name without the Swift module; none if its calls can go.
    package var protocols: [String: [Obstacle]]
    /// The public types whose values can go to another process, as the compiler identifies them (USR).
    package var types: Set<String>

    package init(protocols: [String: [Obstacle]] = [:], types: Set<String> = []) {
        self.protocols = protocols
        self.types = types
    }

    /// Whether calls of any protocol can go to another process.
    package var hasCalls: Bool { protocols.values.contains(where: \.isEmpty) }

    /// The report of an interface module's file; `nil` if it has none that can be read. Then the rules about files say what is
    /// wrong with it.
    package init?(ofFile path: String) {
        guard let file = try? ELFFile(path),
            let section = try? file.section(named: Self.section, limit: Self.sizeLimit)
        else { return nil }
        self.init(section)
    }

    /// The types of interface modules' files whose values can go to another process. One that says nothing of its types has
    /// none.
    package static func types(ofFiles paths: [String]) -> Set<String> {
        paths.reduce(into: []) { $0.formUnion(WallReport(ofFile: $1)?.types ?? []) }
    }

    package init?(_ bytes: [UInt8]) {
        guard let root = try? JSONNode.parse(bytes), let members = root["protocols"]?.members,
            let types = root["types"]?.elements
        else { return nil }
        self.types = Set(types.compactMap(\.string))
        protocols = [:]
        for member in members {
            protocols[member.name] = (member.value.elements ?? []).compactMap { node in
                guard let place = node["place"]?.string, let reason = node["reason"]?.string else {
                    return nil
                }
                return Obstacle(
                    place: place, requirement: node["requirement"]?.string, reason: reason)
            }
        }
    }

    package var json: JSON {
        [
            "protocols": .object(
                protocols.sorted { $0.key < $1.key }.map { name, obstacles in
                    JSON.Member(name: name, value: .array(obstacles.map(\.json)))
                }),
            "types": .texts(types.sorted()),
        ]
    }
}
