// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
import EavesRegistry

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
    private let window: Duration
    /// The calls of the module before, if those are what the new ones are compared with.
    private let usual: CallTally?
    private let usualYardstick: Yardstick
    /// The calls that were noted when the probation began.
    private var newAtStart: CallTally
    /// Those of the module that has the other calls; `nil` unless it shares them.
    private var oldAtStart: CallTally?
    /// A canary's share of the calls of both, from 0 to 1.
    package var share: Double
    private var start: ContinuousClock.Instant
    private var windowStart: ContinuousClock.Instant
    /// The calls that were noted when the window began.
    private var new: CallTally
    private var old: CallTally?
    /// Since when the module has not been healthy at any look.
    private var sickSince: ContinuousClock.Instant?
    /// Whether more calls fail than before, or than others do in the same time.
    private var errors = SequentialTest()
    /// Whether the errors that a canary and the stable module make are those of the canary.
    private var ownErrors = SequentialTest()
    private var halves = SequentialTest()
    private var slowest = SequentialTest()

    init(
        _ policy: ProbationPolicy, at now: ContinuousClock.Instant, window: Duration,
        new: CallTally = CallTally(), old: CallTally? = nil, share: Double = 1,
        usual: CallTally? = nil
    ) {
        self.share = share
        self.policy = policy
        self.window = window
        self.usual = usual
        usualYardstick = Yardstick(usual ?? CallTally(), policy)
        (start, windowStart) = (now, now)
        (newAtStart, oldAtStart) = (new, old)
        (self.new, self.old) = (new, old)
    }

    /// Begins anew, for a canary that gets another share.
    mutating func restart(at now: ContinuousClock.Instant) {
        (start, newAtStart, oldAtStart) = (now, new, old)
        (errors, ownErrors, halves, slowest) = (.init(), .init(), .init(), .init())
    }

    func time(at now: ContinuousClock.Instant) -> Duration { now - start }

    /// The calls that were judged, of those that were noted so far.
    func calls(_ new: CallTally) -> CallTally { new.since(newAtStart) }

    var end: ContinuousClock.Instant { windowStart + window }

    /// Looks at what was noted so far, and decides if the window is over. One crash decides at once.
    ///
    /// - Parameters:
    ///   - crash: How the new one's own process has ended; `nil` if it has not.
    ///   - illness: The reason why the new one is not healthy; `nil` if it is.
    mutating func look(
        at now: ContinuousClock.Instant, new: CallTally, old: CallTally?, crash: String? = nil,
        illness: String?
    ) -> Verdict {
        if let crash { return .failed([crash]) }
        guard now >= end else { return .pending }
        weigh(new, old)
        (windowStart, self.new, self.old) = (now, new, old)
        let all = new.since(newAtStart)
        let before = old.map { $0.since(oldAtStart ?? CallTally()) } ?? usual
        let reasons = [sickness(illness, at: now), failures(all, before), delays(all, before)]
            .compactMap { $0 }
        if !reasons.isEmpty { return .failed(reasons) }
        return isOver(at: now, all) ? .passed : .pending
    }

    private mutating func weigh(_ new: CallTally, _ old: CallTally?) {
        let calls = new.since(self.new)
        let yardstick: Yardstick
        if let old {
            let others = old.since(self.old ?? CallTally())
            ownErrors.add(
                SharedErrors.evidence(canary: calls.errors, stable: others.errors, share: share))
            yardstick = Yardstick(old.since(oldAtStart ?? CallTally()), policy)
        } else {
            yardstick = usualYardstick
        }
        errors.add(yardstick.errors.evidence(calls.errors, of: calls.calls))
        if let half = yardstick.half { halves.add(half.evidence(calls)) }
        if let rare = yardstick.slowest { slowest.add(rare.evidence(calls)) }
    }

    /// Whether it has passed. A canary without a next step is judged as long as it has a share.
    private func isOver(at now: ContinuousClock.Instant, _ all: CallTally) -> Bool {
        guard oldAtStart == nil || policy.step(after: share) != nil, sickSince == nil,
            now >= start + .seconds(policy.seconds)
        else {
            return false
        }
        return all.calls >= policy.calls && errors.accepts
            || oldAtStart == nil && now >= start + Self.longest
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

    private func failures(_ new: CallTally, _ old: CallTally?) -> String? {
        guard (oldAtStart == nil ? errors : ownErrors).rejects else { return nil }
        let words = "\(new.errors) of \(new.calls) calls failed"
        guard let old, old.calls > 0 else { return words }
        return "\(words), and \(old.errors) of \(old.calls) before"
    }

    private func delays(_ new: CallTally, _ old: CallTally?) -> String? {
        let (share, words) =
            halves.rejects ? (0.5, "half of the calls") : (0.99, "the slowest of 100 calls")
        guard halves.rejects || slowest.rejects, let time = new.time(of: share),
            let usual = old?.time(of: share)
        else { return nil }
        return
            "\(words) took \(Self.words(time)) or \(share == 0.5 ? "longer" : "more"), and \(Self.words(usual)) before"
    }

    private static func words(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
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
