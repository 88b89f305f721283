// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("The judge of a probation", .onOwnThreads)
struct ProbationRulesTests {
    private let start = ContinuousClock.now

    private func policy(_ change: (inout ProbationPolicy) -> Void = { _ in }) -> ProbationPolicy {
        var policy = ProbationPolicy()
        change(&policy)
        return policy
    }

    private func tally(
        _ calls: Int, errors: Int = 0, nanoseconds: UInt64? = nil, slow: (Int, UInt64) = (0, 0)
    ) -> CallTally {
        var tally = CallTally()
        tally.add(nanoseconds: nanoseconds, count: calls - errors - slow.0)
        tally.add(nanoseconds: nil, isError: true, count: errors)
        if slow.0 > 0 { tally.add(nanoseconds: slow.1, count: slow.0) }
        return tally
    }

    /// The reasons why one window is bad; none if it is good.
    private func reasons(
        _ new: CallTally, _ old: CallTally? = nil, illness: String? = nil,
        _ change: (inout ProbationPolicy) -> Void = { _ in }
    ) -> [String] {
        var probation = Probation(
            policy {
                $0.badWindows = 1
                change(&$0)
            }, at: start)
        let verdict = probation.look(
            at: start + .seconds(5), new: new, old: old, illness: illness)
        guard case .failed(let reasons) = verdict else { return [] }
        return reasons
    }

    @Test("decides nothing before a window is over, by time or by calls")
    func window() {
        var probation = Probation(policy { $0.badWindows = 1 }, at: start)
        let bad = tally(10, errors: 10)
        let early = start + .seconds(5) - .nanoseconds(1)
        #expect(probation.look(at: early, new: bad, old: nil, illness: nil) == .pending)
        #expect(probation.bad == 0)
        #expect(
            probation.look(at: start + .seconds(5), new: bad, old: nil, illness: nil)
                == .failed(["10 of 10 calls failed"]))
        var busy = Probation(policy { $0.badWindows = 1 }, at: start)
        #expect(busy.limit == 1_000)
        #expect(
            busy.look(at: start, new: tally(1_000, errors: 500), old: nil, illness: nil)
                == .failed(["500 of 1000 calls failed"]))
    }

    @Test("fails after the set number of bad windows, and passes after that of good ones")
    func counting() {
        var probation = Probation(policy { $0.calls = 10 }, at: start)
        var seen = CallTally()
        func look(errors: Int) -> Probation.Verdict {
            seen.add(nanoseconds: nil, count: 10 - errors)
            seen.add(nanoseconds: nil, isError: true, count: errors)
            return probation.look(at: start, new: seen, old: nil, illness: nil)
        }
        #expect(look(errors: 5) == .pending)
        #expect(look(errors: 0) == .pending)
        #expect(look(errors: 5) == .pending)
        #expect(probation.bad == 2)
        #expect(look(errors: 2) == .failed(["2 of 10 calls failed"]))
        probation = Probation(policy { $0.calls = 10 }, at: start, new: seen)
        for _ in 1..<12 { #expect(look(errors: 0) == .pending) }
        #expect(look(errors: 0) == .passed)
        probation = Probation(policy { $0.calls = 10 }, at: start, new: seen, isEndless: true)
        #expect(look(errors: 9) == .pending)
        for _ in 0..<12 { #expect(look(errors: 0) == .pending) }
        // An old fault of a canary does not count for ever.
        #expect(probation.bad == 0)
    }

    @Test("compares errors with those before, and with none if there was nothing before")
    func errors() {
        #expect(reasons(tally(100, errors: 5)) == [])
        #expect(reasons(tally(100, errors: 6)) == ["6 of 100 calls failed"])
        #expect(reasons(tally(100, errors: 6)) { $0.errors = 10 } == [])
        #expect(reasons(tally(1, errors: 1)) == ["1 of 1 calls failed"])
        #expect(reasons(tally(0)) == [])
        #expect(reasons(tally(100, errors: 30), tally(900, errors: 270)) == [])
        #expect(
            reasons(tally(100, errors: 60), tally(900, errors: 270))
                == ["60 of 100 calls failed, and 270 of 900 before"])
        // A difference that chance makes is none.
        #expect(reasons(tally(5, errors: 3), tally(10, errors: 4)) == [])
        #expect(
            reasons(tally(1, errors: 1), tally(9)) == ["1 of 1 calls failed, and 0 of 9 before"])
    }

    @Test("compares medians and slow calls with those before, if there are enough of them")
    func latency() {
        let usual = tally(100, nanoseconds: 2_000_000)
        #expect(reasons(tally(100, nanoseconds: 3_500_000), usual) == [])
        #expect(
            reasons(tally(100, nanoseconds: 10_000_000), usual).first?
                .hasPrefix("half of the calls took") == true)
        #expect(reasons(tally(100, nanoseconds: 10_000_000)) == [])
        #expect(reasons(tally(100, nanoseconds: 10_000_000), usual) { $0.latency = 10 } == [])
        #expect(reasons(tally(19, nanoseconds: 10_000_000), usual) == [])
        // Nobody notices some microseconds.
        #expect(reasons(tally(100, nanoseconds: 40_000), tally(100, nanoseconds: 10_000)) == [])
        let many = tally(1_000, nanoseconds: 2_000_000)
        let tail = tally(1_000, nanoseconds: 2_000_000, slow: (20, 50_000_000))
        #expect(reasons(tail, many).first?.hasPrefix("the slowest of 100 calls took") == true)
        #expect(reasons(many, tail) == [])
    }

    @Test("takes a module that is not healthy for bad, whatever its calls do")
    func health() {
        #expect(
            reasons(tally(10), illness: "no database") == ["no database"])
    }
}
