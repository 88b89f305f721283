// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
package import EavesRegistry
import Glibc

/// Judges something new by its calls, window by window. It decides, and does nothing else: its caller passes the time
/// and what was noted so far.
package struct Probation: Sendable {
    package enum Verdict: Equatable {
        case pending
        /// It is as good as what was before, as far as its calls say.
        case passed
        /// It is worse, for these reasons.
        case failed([String])
    }

    /// A module may need some time until it is healthy.
    private static let patience = Duration.seconds(15)
    /// A module with few calls is not judged for ever.
    private static let longest = Duration.seconds(86_400)

    package let policy: ProbationPolicy
    let window: Duration
    private let usualYardstick: Yardstick
    /// Everything that the judge has seen up to the end of the last window.
    package private(set) var evidence: Evidence
    /// A canary's share of the calls of both, from 0 to 1.
    package var share: Double
    private var start: ContinuousClock.Instant
    private var windowStart: ContinuousClock.Instant
    /// The calls that were noted when the window began.
    private var new: CallTally
    /// Those of the module that has the other calls; `nil` unless it shares them.
    private var old: CallTally?
    /// Since when the module has not been healthy at any look.
    private var sickSince: ContinuousClock.Instant?

    /// - Parameters:
    ///   - new: The calls that were noted so far, which are not judged.
    ///   - old: Those of the module that has the other calls, for a canary.
    ///   - evidence: The evidence of another process for the same trial, with which this one goes on.
    package init(
        _ policy: ProbationPolicy, at now: ContinuousClock.Instant, window: Duration,
        new: CallTally = CallTally(), old: CallTally? = nil, share: Double = 1,
        usual: CallTally? = nil, after evidence: Evidence? = nil
    ) {
        let evidence = evidence ?? Evidence(old: old.map { _ in CallTally() }, usual: usual)
        self.evidence = evidence
        self.share = share
        self.policy = policy
        self.window = window
        usualYardstick = Yardstick(evidence.usual ?? CallTally(), policy)
        // Another process may say anything.
        func start(_ time: Duration) -> ContinuousClock.Instant {
            now - min(max(.zero, time), Self.longest)
        }
        self.start = start(evidence.time)
        sickSince = evidence.sickTime.map(start)
        windowStart = now
        (self.new, self.old) = (new, old)
    }

    /// Begins anew, for a canary that gets another share.
    mutating func restart(at now: ContinuousClock.Instant) {
        start = now
        evidence = Evidence(old: old.map { _ in CallTally() }, usual: evidence.usual)
    }

    func time(at now: ContinuousClock.Instant) -> Duration { now - start }

    /// The calls that were judged, of those that were noted so far.
    func calls(_ new: CallTally) -> CallTally { evidence.new + new.since(self.new) }

    /// The time after which a call that is under way counts as a late one that has failed.
    package var longestCall: Duration { (evidence.others ?? CallTally()).longest }

    var end: ContinuousClock.Instant { windowStart + window }

    /// Looks at what was noted so far, and decides if the window is over, or the last one. One crash decides at once.
    ///
    /// - Parameters:
    ///   - crash: How the new one's own process has ended; `nil` if it has not.
    ///   - illness: The reason why the new one is not healthy; `nil` if it is.
    mutating func look(
        at now: ContinuousClock.Instant, new: CallTally, old: CallTally?, crash: String? = nil,
        illness: String?, isLast: Bool = false
    ) -> Verdict {
        if let crash { return .failed([crash]) }
        guard now >= end || isLast else { return .pending }
        let calls = new.since(self.new)
        weigh(calls, old?.since(self.old ?? CallTally()))
        (windowStart, self.new, self.old) = (now, new, old)
        // A module that has stopped is not asked for its health.
        let sickness = isLast ? nil : sickness(illness ?? standstill(calls), at: now)
        (evidence.time, evidence.sickTime) = (now - start, sickSince.map { now - $0 })
        let reasons = [sickness, failures, delays].compactMap { $0 }
        if !reasons.isEmpty { return .failed(reasons) }
        // Calls that are under way may hang. If they began in the probation's shortest time, that is known soon after.
        let shortest = Duration.seconds(policy.seconds) + (new.open > 0 ? longestCall : .zero)
        return isOver(at: now, notBefore: start + shortest) ? .passed : .pending
    }

    /// - Parameter others: The calls of the stable module in the same window, for a canary.
    private mutating func weigh(_ calls: CallTally, _ others: CallTally?) {
        evidence.new = evidence.new + calls
        var yardstick = usualYardstick
        if let others {
            let old = (evidence.old ?? CallTally()) + others
            evidence.old = old
            evidence.ownErrors.add(
                SharedErrors.evidence(canary: calls.errors, stable: others.errors, share: share))
            yardstick = Yardstick(old, policy)
        }
        evidence.errors.add(yardstick.errors.evidence(calls.errors, of: calls.calls))
        if let half = yardstick.half { evidence.halves.add(half.evidence(calls)) }
        if let rare = yardstick.slowest { evidence.slowest.add(rare.evidence(calls)) }
    }

    /// Whether it has passed. A canary without a next step is judged as long as it has a share.
    private func isOver(
        at now: ContinuousClock.Instant, notBefore earliest: ContinuousClock.Instant
    ) -> Bool {
        let isCanary = evidence.old != nil
        guard !isCanary || policy.step(after: share) != nil, sickSince == nil, now >= earliest
        else { return false }
        return evidence.new.calls >= policy.calls && evidence.errors.accepts
            || !isCanary && now >= start + Self.longest
    }

    private mutating func sickness(_ illness: String?, at now: ContinuousClock.Instant) -> String? {
        guard let illness else {
            sickSince = nil
            return nil
        }
        let since = sickSince ?? now
        sickSince = since
        return now >= since + min(Self.patience, window * 15) ? illness : nil
    }

    /// The reason why a module is not healthy by its calls of a window: some hang, and none has succeeded. Callers that wait
    /// make no further calls, so that the few that they have made would never be enough to be judged. Where calls hang
    /// with the other module, too, that is usual.
    private func standstill(_ calls: CallTally) -> String? {
        guard calls.hanging > 0, calls.calls == calls.errors, evidence.others?.hanging ?? 0 == 0
        else { return nil }
        let count = calls.hanging == 1 ? "1 call has" : "\(calls.hanging) calls have"
        let limit = Self.words(UInt64(longestCall / .nanoseconds(1)))
        return "\(count) not returned within \(limit), and no other one has succeeded since"
    }

    private var failures: String? {
        let test = evidence.old == nil ? evidence.errors : evidence.ownErrors
        guard test.rejects else { return nil }
        let words = "\(evidence.new.errors) of \(evidence.new.calls) calls failed"
        guard let old = evidence.others, old.calls > 0 else { return words }
        return "\(words), and \(old.errors) of \(old.calls) before"
    }

    private var delays: String? {
        let (half, rare) = (evidence.halves.rejects, evidence.slowest.rejects)
        let (share, words) =
            half ? (0.5, "half of the calls") : (0.99, "the slowest of 100 calls")
        guard half || rare, let time = evidence.new.time(of: share),
            let usual = evidence.others?.time(of: share)
        else { return nil }
        return
            "\(words) took \(Self.words(time)) or \(share == 0.5 ? "longer" : "more"), and \(Self.words(usual)) before"
    }

    private static func words(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}

extension Probation {
    /// Everything that a probation has seen, as one value: a process that takes over goes on with it, so that a restart
    /// begins no probation anew. It is whole up to the end of the last window.
    ///
    /// It is coded as an object with a member for each property. A tally is coded as `calls`, `errors` and `times`, the
    /// numbers of measured calls by their time, and decoding refuses numbers that no calls can have. A test is coded as
    /// the `evidence` that it has added up.
    package struct Evidence: Hashable, Codable, Sendable {
        /// How long the calls were judged.
        var time = Duration.zero
        /// The calls that were judged.
        var new = CallTally()
        /// Those of the stable module in the same time; `nil` unless it shares the calls.
        var old: CallTally?
        /// The calls of the module before, if those are what the new ones are compared with.
        var usual: CallTally?
        /// How long the module has not been healthy at any look; `nil` if it is.
        var sickTime: Duration?
        /// Whether more calls fail than before, or than others do in the same time.
        var errors = SequentialTest()
        /// Whether the errors that a canary and the stable module make are those of the canary.
        var ownErrors = SequentialTest()
        var halves = SequentialTest()
        var slowest = SequentialTest()

        /// The calls that the new ones are compared with.
        var others: CallTally? { old ?? usual }
    }
}

/// The limits for the calls of a module, by those of another one.
private struct Yardstick {
    /// A median says something only of so many calls.
    private static let leastTimes = 20
    /// A rare time, such as that of one call in a hundred, says something only of so many calls.
    private static let leastRareTimes = 500

    let errors: RateHypotheses
    /// How many may be later than half of those before were, and than the slowest in a hundred; `nil` if there were too
    /// few.
    let half, slowest: Lateness?

    init(_ calls: CallTally, _ policy: ProbationPolicy) {
        errors = RateHypotheses(calls.errors, of: calls.calls, margin: policy.errors / 100)
        half = Lateness(calls, policy, slowerThan: 0.5, of: Self.leastTimes, atLeast: 0.5)
        slowest = Lateness(calls, policy, slowerThan: 0.99, of: Self.leastRareTimes, atLeast: 0)
    }
}

/// A time, and how many calls may take longer.
private struct Lateness {
    /// People notice no shorter delay. In nanoseconds.
    private static let shortDelay: UInt64 = 100_000

    private let limit: UInt64
    private let rates: RateHypotheses

    init?(
        _ calls: CallTally, _ policy: ProbationPolicy, slowerThan share: Double, of least: Int,
        atLeast bad: Double
    ) {
        guard calls.measured >= least, let time = calls.time(of: share) else { return nil }
        limit = UInt64(Double(time) * policy.latency) + Self.shortDelay
        rates = RateHypotheses(
            calls.slower(than: limit), of: calls.measured, margin: policy.errors / 100, atLeast: bad
        )
    }

    func evidence(_ calls: CallTally) -> Double {
        rates.evidence(calls.slower(than: limit), of: calls.measured)
    }
}

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
