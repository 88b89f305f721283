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

    /// A table for a person, and below it the reason for each refusal.
    package var text: String {
        if generations.isEmpty { return "no module is loaded\n" }
        var table = Table(headings: ["GENERATION", "MODULE", "VERSION", "STATE", "INSTANCES"])
        table.rows = generations.map { generation in
            [
                "\(generation.id)", generation.module, generation.version ?? "-",
                generation.state.rawValue,
                generation.hasLeft ? "\(generation.instances)" : "-",
            ]
        }
        return ([table.text] + generations.compactMap(notes)).joined(separator: "\n")
    }

    private func notes(_ generation: HostGeneration) -> String? {
        if generation.problems.isEmpty { return nil }
        return "generation \(generation.id) of \(generation.module) was refused:\n"
            + generation.problems.map { problem in
                "  \(problem.message)\n" + (problem.fix.map { "  fix: \($0)\n" } ?? "")
            }.joined()
    }

    package var json: JSON { ["schema": 1, "generations": .array(elements)] }

    package var elements: [JSON] {
        generations.map { generation in
            [
                "number": .integer(generation.id),
                "module": .string(generation.module),
                "version": .text(generation.version),
                "state": .string(generation.state.rawValue),
                "problems": .array(generation.problems.map { .string($0.message) }),
                "instances": generation.hasLeft ? .integer(generation.instances) : .null,
            ]
        }
    }
}

extension HostGeneration {
    /// Whether it served once, and does not any more: only then are its instances counted.
    fileprivate var hasLeft: Bool { state == .draining || state == .retired }
}
