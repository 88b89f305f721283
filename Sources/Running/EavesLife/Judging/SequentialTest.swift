// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Wald's sequential probability ratio test: it adds up how much more likely what was seen is under one hypothesis than
/// under another, and decides as soon as the sum says enough.
///
/// Source: A. Wald, *Sequential Analysis*, 1947. With these bounds, it takes something good for bad in fewer than 3 of
/// 10,000 cases, and something as bad as the hypothesis says for good in fewer than 1 of 100.
struct SequentialTest: Hashable, Codable, Sendable {
    /// ln(0.99 / 0.0003)
    private static let rejection = 8.1
    /// ln(0.01 / 0.9997)
    private static let acceptance = -4.6
    /// Failures come in clusters: one window never decides alone, and neither do two.
    private static let mostOfOneWindow = 3.5

    /// The logarithm of how much more likely it is that what is tested is bad than that it is good.
    private(set) var evidence = 0.0

    var rejects: Bool { evidence >= Self.rejection }
    /// Whether it is good, as far as is known now: later windows may still say otherwise.
    var accepts: Bool { evidence <= Self.acceptance }

    mutating func add(_ window: Double) {
        evidence = max(Self.acceptance, evidence + min(window, Self.mostOfOneWindow))
    }
}

/// Two rates at which calls do something, such as fail: that of the calls before, and a worse one.
struct RateHypotheses: Hashable, Sendable {
    /// The greatest rate that the calls before leave possible, from 0 to 1.
    let usual: Double
    let bad: Double

    private static let least = 0.002
    private static let most = 0.98
    /// Few calls leave any rate possible. As long as none of them failed, it is taken to be at most this.
    private static let mostUnseen = 0.1

    /// - Parameter margin: A rate that is greater by this is too bad, if it is at least twice as great.
    init(_ hits: Int, of count: Int, margin: Double, atLeast least: Double = 0) {
        var bound = BetaDistribution(Double(hits) + 0.5, Double(count - hits) + 0.5).quantile(0.999)
        if hits == 0 { bound = min(bound, Self.mostUnseen) }
        usual = min(max(bound, Self.least), Self.most)
        bad = max(min(max(2 * usual, usual + margin, least), 0.99), usual)
    }

    /// How much more likely the bad rate makes it that so many of some calls did it, as a logarithm.
    func evidence(_ hits: Int, of count: Int) -> Double {
        Double(hits) * log(bad / usual) + Double(count - hits) * log((1 - bad) / (1 - usual))
    }
}

/// The question whose errors those are that two modules make in the same time, which share the calls.
enum SharedErrors {
    /// A canary is bad if each of its calls fails so many times as often as one of the stable module's.
    private static let ratio = 5.0

    /// How much more likely it is that the canary is bad than that both are alike, as a logarithm. Errors that both make
    /// in like shares, such as in an outage, say nothing.
    ///
    /// - Parameter share: The canary's share of the calls, from 0 to 1.
    static func evidence(canary: Int, stable: Int, share: Double) -> Double {
        let whole = ratio * share + 1 - share
        return Double(canary) * log(ratio / whole) - Double(stable) * log(whole)
    }
}

/// How likely the rates are that some calls leave possible, before which any rate was as likely (by Jeffreys' prior).
struct BetaDistribution: Hashable, Sendable {
    private let a, b: Double

    init(_ a: Double, _ b: Double) { (self.a, self.b) = (a, b) }

    /// The rate below which a share of all possible rates lie.
    func quantile(_ share: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if cumulative(middle) < share { low = middle } else { high = middle }
        }
        return high
    }

    /// The share of rates below one: the regularised incomplete beta function.
    func cumulative(_ x: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        // The fraction converges fast on one side, and the other one follows by symmetry.
        if x <= (a + 1) / (a + b + 2) { return expanded(x) }
        return 1 - BetaDistribution(b, a).expanded(1 - x)
    }

    private func expanded(_ x: Double) -> Double {
        let scale = lgamma(a + b).0 - lgamma(a).0 - lgamma(b).0 + a * log(x) + b * log(1 - x)
        return exp(scale) / (a * fraction(x))
    }

    /// The continued fraction of the function, by Lentz's method.
    ///
    /// Source: NIST Digital Library of Mathematical Functions, 8.17.22.
    private func fraction(_ x: Double) -> Double {
        let tiny = 1e-300
        var (value, c, d) = (1.0, 1.0, 0.0)
        for index in 1..<10_000 {
            let m = Double(index / 2)
            let term =
                index.isMultiple(of: 2)
                ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 + term * d
            c = 1 + term / c
            if abs(d) < tiny { d = tiny }
            if abs(c) < tiny { c = tiny }
            d = 1 / d
            value *= c * d
            if abs(c * d - 1) < 1e-12 { break }
        }
        return value
    }
}
