// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesLife

/// How often the judge is right, by simulations of calls. The random numbers are the same in each run. `Live.md` has the
/// rates as a table.
@Suite("How often the judge of a probation is right")
struct ProbationRatesTests {
    /// Calls of a module, a hundred a second.
    private struct Calls {
        var random: SeededNumbers
        let rate: Double

        /// The number of those that fail, of some calls.
        mutating func failures(of count: Int) -> Int {
            // Inversion of the binomial distribution.
            var (left, probability, failures) = (Double.random(in: 0..<1, using: &random), 1.0, 0)
            for _ in 0..<count { probability *= 1 - rate }
            while left > probability, failures < count {
                left -= probability
                failures += 1
                probability *= Double(count - failures + 1) / Double(failures) * rate / (1 - rate)
            }
            return failures
        }
    }

    /// The second in which the module is taken back; `nil` if it passes, or if the time is over.
    ///
    /// - Parameter outage: The second in which all calls fail.
    private func secondOfRetreat(
        _ seed: UInt64, rate: Double, usual: Double, before: Int, seconds: Int, outage: Int? = nil
    ) -> Int? {
        var earlier = Calls(random: SeededNumbers(seed: seed), rate: usual)
        var old = CallTally()
        old.add(nanoseconds: nil, count: before)
        old.add(nanoseconds: nil, isError: true, count: earlier.failures(of: before))
        var calls = Calls(random: SeededNumbers(seed: ~seed), rate: rate)
        let start = ContinuousClock.now
        var probation = Probation(ProbationPolicy(), at: start, window: .seconds(1), usual: old)
        var seen = CallTally()
        for second in 1...seconds {
            var failures = calls.failures(of: 100)
            // The outage begins in the middle of a window.
            if second == outage { failures = max(failures, 50) }
            if let outage, second == outage + 1 { failures = max(failures, 50) }
            seen.add(nanoseconds: nil, count: 100 - failures)
            seen.add(nanoseconds: nil, isError: true, count: failures)
            switch probation.look(at: start + .seconds(second), new: seen, old: nil, illness: nil) {
            case .failed: return second
            case .passed: return nil
            case .pending: continue
            }
        }
        return nil
    }

    private static let runs = 1_000

    /// The share of runs in which the module is taken back.
    private func rate(
        _ rate: Double, usual: Double, before: Int, seconds: Int, outage: Bool = false
    ) -> Double {
        let back = (0..<Self.runs).count { run in
            secondOfRetreat(
                UInt64(run), rate: rate, usual: usual, before: before, seconds: seconds,
                outage: outage ? 1 + run % (seconds - 1) : nil) != nil
        }
        return Double(back) / Double(Self.runs)
    }

    @Test("takes fewer than one good module in 1,000 back, and no more if errors cluster")
    func falseAlarms() {
        for usual in [0.001, 0.01, 0.1] {
            for before in [0, 10, 100, 1_000] {
                #expect(
                    rate(usual, usual: usual, before: before, seconds: 60) <= 0.001,
                    "\(usual), \(before)")
            }
        }
        #expect(rate(0.001, usual: 0.001, before: 1_000, seconds: 60, outage: true) <= 0.001)
    }

    @Test("finds 5 % errors against 0.1 % within 500 calls, in 95 of 100 runs")
    func detection() {
        #expect(rate(0.05, usual: 0.001, before: 1_000, seconds: 5) >= 0.95)
        // With fewer calls to compare with, later.
        #expect(rate(0.05, usual: 0.001, before: 300, seconds: 30) >= 0.95)
        #expect(rate(0.2, usual: 0.001, before: 100, seconds: 5) >= 0.95)
    }

    @Test("knows how likely rates are")
    func distribution() {
        // The uniform distribution is known, and so are two that can be written down.
        #expect(abs(BetaDistribution(1, 1).cumulative(0.3) - 0.3) < 1e-12)
        #expect(abs(BetaDistribution(2, 1).cumulative(0.3) - 0.09) < 1e-12)
        #expect(abs(BetaDistribution(1, 4).cumulative(0.3) - (1 - 0.7 * 0.7 * 0.7 * 0.7)) < 1e-12)
        #expect(abs(BetaDistribution(0.5, 0.5).cumulative(0.5) - 0.5) < 1e-12)
        #expect(abs(BetaDistribution(3, 2).quantile(0.5) - 0.614_272) < 1e-5)
        #expect(BetaDistribution(0.5, 1_000.5).quantile(0.999) < 0.006)
    }
}
