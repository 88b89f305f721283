// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesRegistry

/// Judges something new by its calls, window by window. It decides, and does nothing else: whoever looks passes the
/// time and what was noted so far.
struct Probation: Sendable {
    /// What has become of it.
    enum Verdict: Equatable {
        /// Nothing was decided.
        case pending
        /// Enough windows were good.
        case passed
        /// Too many windows were bad, for these reasons.
        case failed([String])
    }

    /// A rate or time says something only with so many calls.
    private static let leastTimes = 20
    /// A rare time, such as that of one call in a hundred, says something only with so many calls.
    private static let leastRareTimes = 500
    /// Nobody notices a shorter delay. In nanoseconds.
    private static let shortDelay: UInt64 = 100_000

    let policy: ProbationPolicy
    /// Whether it goes on for ever: a canary is judged as long as it has a share.
    private let isEndless: Bool
    private(set) var bad = 0
    private(set) var good = 0
    private var start: ContinuousClock.Instant
    /// What was noted when the window began.
    private var new: CallTally
    private var old: CallTally?
    /// The calls before the first window, if those are what the windows are compared with.
    private let usual: CallTally?
    /// The reasons of the last bad window.
    private var reasons: [String] = []

    /// - Parameters:
    ///   - new: What was noted so far of the calls to judge.
    ///   - old: What was noted of those to compare with, which go on; `nil` if there are none.
    ///   - usual: The calls to compare with, which are over; `nil` if there are none.
    init(
        _ policy: ProbationPolicy, at now: ContinuousClock.Instant, new: CallTally = CallTally(),
        old: CallTally? = nil, usual: CallTally? = nil, isEndless: Bool = false
    ) {
        self.usual = usual
        self.policy = policy
        self.isEndless = isEndless
        start = now
        self.new = new
        self.old = old
    }

    /// The end of the window, unless enough calls end it before.
    var end: ContinuousClock.Instant { start + .seconds(policy.window) }

    /// How many calls in all end the window.
    var limit: Int { new.calls + policy.calls }

    /// Looks at what was noted so far, and decides if the window is over.
    ///
    /// - Parameter illness: The reason why the new one is not healthy; `nil` if it is.
    mutating func look(
        at now: ContinuousClock.Instant, new: CallTally, old: CallTally?, illness: String?
    ) -> Verdict {
        guard now >= end || new.calls >= limit else { return .pending }
        let reasons = reasons(
            new.since(self.new), old.map { $0.since(self.old ?? CallTally()) } ?? usual, illness)
        (start, self.new, self.old) = (now, new, old)
        if reasons.isEmpty {
            good += 1
            guard good >= policy.goodWindows else { return .pending }
            (good, bad) = (0, 0)
            return isEndless ? .pending : .passed
        }
        bad += 1
        self.reasons = reasons
        return bad >= policy.badWindows ? .failed(reasons) : .pending
    }

    /// The reasons why a window is bad.
    private func reasons(
        _ new: CallTally, _ old: CallTally?, _ illness: String?
    ) -> [String] {
        [illness, errors(new, old), times(new, old)].compactMap { $0 }
    }

    private func errors(_ new: CallTally, _ old: CallTally?) -> String? {
        guard new.errors > 0 else { return nil }
        let (rate, usual) = (new.errorRate, old?.errorRate ?? 0)
        guard rate > usual + max(policy.errors / 100, 2 * Self.deviation(new, old)) else {
            return nil
        }
        let words = "\(new.errors) of \(new.calls) calls failed"
        guard let old, old.calls > 0 else { return words }
        return "\(words), and \(old.errors) of \(old.calls) before"
    }

    /// By how much two rates differ by chance.
    private static func deviation(_ new: CallTally, _ old: CallTally?) -> Double {
        guard let old, old.calls > 0 else { return 0 }
        let (count, other) = (Double(new.calls), Double(old.calls))
        let rate = Double(new.errors + old.errors) / (count + other)
        return (rate * (1 - rate) * (1 / count + 1 / other)).squareRoot()
    }

    private func times(_ new: CallTally, _ old: CallTally?) -> String? {
        guard let old else { return nil }
        for (share, words, least) in [
            (0.5, "half of the calls", Self.leastTimes),
            (0.99, "the slowest of 100 calls", Self.leastRareTimes),
        ] {
            guard min(new.measured, old.measured) >= least, let time = new.time(of: share),
                let usual = old.time(of: share),
                time > usual + Self.shortDelay,
                Double(time) > Double(usual) * policy.latency
            else { continue }
            return "\(words) took \(Self.words(time)) or \(share == 0.5 ? "longer" : "more"), and "
                + "\(Self.words(usual)) before"
        }
        return nil
    }

    private static func words(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
