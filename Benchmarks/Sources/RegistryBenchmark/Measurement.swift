// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Times all cases in turn, so that a machine that gets slower gets slower for all of them.
struct Measurement {
    let cases: [Case]
    let rounds: Int
    /// How often a round runs each case.
    let iterations: Int

    /// The nanoseconds of each case in each round.
    private func times() throws -> [String: [Double]] {
        var times: [String: [Double]] = [:]
        for round in -1..<rounds {
            for item in cases {
                let time = try nanoseconds(of: item)
                // The first round fills caches.
                if round >= 0 { times[item.name, default: []].append(time) }
            }
        }
        return times
    }

    /// A Markdown table of the medians, each with its limit.
    ///
    /// The ratio is the median of the rounds' ratios.
    func table() throws -> String {
        let times = try times()
        let rows = cases.map { item in
            let own = times[item.name] ?? []
            let median = Self.text(Self.median(own))
            guard let target = item.target, let other = times[target.other] else {
                return [item.name, median, "", ""]
            }
            // Both times are of the same round, so that a disturbance affects both.
            let ratio = Self.median(zip(own, other).map { $0 / $1 })
            let letter = target.other.split(separator: ":").first.map(String.init) ?? target.other
            return [
                item.name, median, "\(Self.text(ratio)) × \(letter)",
                target.factor.map(Self.text) ?? "",
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

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

/// One line of the table: code that is timed.
struct Case {
    /// The limit, as a multiple of another case's median; `nil` if the two are only compared.
    struct Target {
        let factor: Double?
        let other: String
    }

    let name: String
    var target: Target?
    /// Runs the code as often as the parameter says, and returns a number that depends on every run.
    let run: @Sendable (Int) throws -> Int

    init(
        _ name: String, target: (Double?, String)? = nil,
        run: @escaping @Sendable (Int) throws -> Int
    ) {
        self.name = name
        self.target = target.map { Target(factor: $0.0, other: $0.1) }
        self.run = run
    }
}
