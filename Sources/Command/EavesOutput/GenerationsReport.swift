// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesHost
package import EavesJSON

/// The generations that a live host knows, as the shell prints them.
package struct GenerationsReport {
    let generations: [HostGeneration]

    package init(_ generations: [HostGeneration]) {
        self.generations = generations
    }

    /// A table for a person. Below it, each generation that is kept has who keeps it, and each refused one has the
    /// reason.
    package var text: String {
        if generations.isEmpty { return "no module is loaded\n" }
        var table = Table(headings: ["GENERATION", "MODULE", "VERSION", "STATE", "INSTANCES"])
        table.rows = generations.map { generation in
            [
                "\(generation.id)", generation.module, generation.version ?? "-",
                generation.state.rawValue,
                generation.hasLeft ? "\(generation.instances.count)" : "-",
            ]
        }
        return ([table.text] + generations.compactMap(notes)).joined(separator: "\n")
    }

    private func notes(_ generation: HostGeneration) -> String? {
        let name = "generation \(generation.id) of \(generation.module)"
        if !generation.problems.isEmpty {
            return "\(name) was refused:\n"
                + generation.problems.map { problem in
                    "  \(problem.message)\n" + (problem.fix.map { "  fix: \($0)\n" } ?? "")
                }.joined()
        }
        if generation.instances.isEmpty { return nil }
        return "\(name) is kept by its instances:\n"
            + generation.instances.map { instance in
                "  \(instance.service), created at \(instance.place), for "
                    + "\(instance.askers.joined(separator: "; "))\n"
            }.joined()
    }

    package var json: JSON { ["schema": 1, "generations": .array(elements)] }

    /// An object for each generation.
    package var elements: [JSON] {
        generations.map { generation in
            [
                "number": .integer(generation.id),
                "module": .string(generation.module),
                "version": generation.version.map { .string($0) } ?? .null,
                "state": .string(generation.state.rawValue),
                "problems": .array(generation.problems.map { .string($0.message) }),
                "instances": generation.hasLeft
                    ? .array(generation.instances.map(Self.json)) : .null,
            ]
        }
    }

    private static func json(_ instance: HostGeneration.Instance) -> JSON {
        [
            "service": .string(instance.service), "place": .string(instance.place),
            "askers": .array(instance.askers.map { .string($0) }),
        ]
    }
}

extension HostGeneration {
    /// Whether it served once, and does not any more: only then are its instances counted.
    fileprivate var hasLeft: Bool { state == .draining || state == .retired }
}
