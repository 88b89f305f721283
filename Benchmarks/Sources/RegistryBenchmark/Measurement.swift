// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Times cases in turn, so that a machine that grows slower does so for all of them.
struct Measurement {
    let cases: [Case]
    let rounds: Int
    /// How often a case is done in a round.
    let iterations: Int

    /// Nanoseconds of each case: the median of all rounds.
    func medians() throws -> [String: Double] {
        var times: [String: [Double]] = [:]
        for round in -1..<rounds {
            for item in cases {
                let time = try nanoseconds(of: item)
                // The first round fills caches.
                if round >= 0 { times[item.name, default: []].append(time) }
            }
        }
        return times.mapValues { $0.sorted()[$0.count / 2] }
    }

    /// A Markdown table of the medians, each against what it is to stay below.
    func table() throws -> String {
        let medians = try medians()
        let rows = cases.map { item in
            let own = medians[item.name] ?? .nan
            guard let target = item.target, let other = medians[target.other] else {
                return [item.name, Self.text(own), "", ""]
            }
            let letter = target.other.split(separator: ":").first.map(String.init) ?? target.other
            return [
                item.name, Self.text(own), "\(Self.text(own / other)) × \(letter)",
                "\(Self.text(target.factor))",
            ]
        }
        return ([["case", "median ns", "ratio", "at most"], ["---", "--:", "--:", "--:"]] + rows)
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private func nanoseconds(of item: Case) throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try item.run(iterations)
        let time = clock.now - start
        precondition(result == iterations, "\(item.name): a wrong result, \(result)")
        return (Double(time.components.attoseconds) / 1e9 + Double(time.components.seconds) * 1e9)
            / Double(iterations)
    }

    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
