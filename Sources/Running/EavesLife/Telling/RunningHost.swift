// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON

/// A process that follows the modules of a manifest, as another process of the same user sees it.
///
/// ```swift
/// for host in try RunningHost.all(ofManifest: "manifest.json") {
///     print(host.process, host.generations?.count ?? 0)
/// }
/// ```
package struct RunningHost: Hashable, Sendable {
    /// The number of the process; 0 for one in another container, which this process cannot see.
    package let process: Int32
    /// The command line that it was started with; empty if it did not answer.
    package let program: String
    /// When it began to follow, in seconds since 1970; 0 if it did not answer.
    package let since: Int
    /// The generations that it has loaded or refused, in the order of their numbers; `nil` if it did not answer
    /// in time.
    package let generations: [HostGeneration]?
    /// How far it has taken on what the disk wants; `nil` if it did not answer in time, or is of a version that does not
    /// say.
    package let standing: Standing?

    /// A process that takes no connections, or sends nothing.
    package static func silent(_ process: Int32) -> RunningHost {
        RunningHost(process: process, program: "", since: 0, generations: nil, standing: nil)
    }
}

// The text that a host sends. Both ends are Eaves, but not always of the same version: members may be added, and
// a reader leaves out what it does not know.
extension RunningHost {
    /// The text about a host.
    package static func report(
        program: String, since: Int, _ generations: [HostGeneration], _ standing: Standing
    ) -> [UInt8] {
        let report: JSON = [
            "schema": 1, "program": .string(program), "since": .integer(since),
            "generations": .array(generations.map(json)), "standing": standing.json,
        ]
        return Array(report.text(pretty: false).utf8)
    }

    /// - Returns: `nil` if the text is none of ours.
    package init?(report: [UInt8], of process: Int32) {
        guard let node = try? JSONNode.parse(report), node["schema"]?.integer == 1,
            let program = node["program"]?.string, let since = node["since"]?.integer,
            let generations = node["generations"]?.elements
        else { return nil }
        self.init(
            process: process, program: program, since: since,
            generations: generations.compactMap(Self.generation),
            standing: Standing(node["standing"]))
    }

    private static func json(_ generation: HostGeneration) -> JSON {
        [
            "number": .integer(generation.id), "module": .string(generation.module),
            "version": generation.version.map { .string($0) } ?? .null,
            "state": .string(generation.state.rawValue),
            "problems": .array(
                generation.problems.map(json)),
            "instances": .integer(generation.instances),
        ]
    }

    private static func generation(_ node: JSONNode) -> HostGeneration? {
        guard let number = node["number"]?.integer, let module = node["module"]?.string,
            let state = node["state"]?.string.flatMap(HostGeneration.State.init)
        else { return nil }
        return HostGeneration(
            id: number, module: module, version: node["version"]?.string, state: state,
            problems: (node["problems"]?.elements ?? []).compactMap(problem),
            instances: node["instances"]?.integer ?? 0)
    }

    static func json(_ problem: Diagnostic) -> JSON {
        [
            "message": .string(problem.message),
            "fix": problem.fix.map { .string($0) } ?? .null,
            "code": .integer(Int(problem.code.rawValue)),
        ]
    }

    static func problem(_ node: JSONNode) -> Diagnostic? {
        guard let message = node["message"]?.string else { return nil }
        let code = node["code"]?.integer.flatMap { FailureCode(rawValue: Int32(clamping: $0)) }
        return Diagnostic(message, fix: node["fix"]?.string, code: code ?? .crashed)
    }
}
