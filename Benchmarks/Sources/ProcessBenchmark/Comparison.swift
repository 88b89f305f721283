// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Several programs, timed in turn, so that a machine that grows slower does so for all of them.
struct Comparison {
    let programs: [Program]
    let rounds: Int

    /// A Markdown table: the median of each and its ratio to every program before it.
    var table: String {
        var times = programs.map { _ in [Double]() }
        for round in -3..<rounds {
            for index in programs.indices {
                let time = programs[index].milliseconds()
                // The first rounds fill caches.
                if round >= 0 { times[index].append(time) }
            }
        }
        let medians = times.map { $0.sorted()[rounds / 2] }
        let heading = ["process", "median ms"] + programs.dropLast().map { "× " + $0.name }
        let rows = programs.indices.map { index in
            let ratios = programs.indices.dropLast().map { other in
                other < index ? Self.rounded(medians[index] / medians[other]) : ""
            }
            return [programs[index].name, Self.rounded(medians[index])] + ratios
        }
        let lines = [heading, heading.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private static func rounded(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
