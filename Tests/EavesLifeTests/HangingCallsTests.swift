// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesTestSupport
import Testing

@testable import EavesLife
@testable import EavesRegistry

/// Probations of calls at times that pass for the test alone.
@Suite("The judge of calls that hang")
struct HangingCallsTests {
    /// Calls of a module in each second.
    struct Traffic: Sendable {
        /// The calls that begin in each second, or no more than ``callers`` at a time.
        var calls = 20
        var callers = Int.max
        /// One of so many hangs; 0 for none.
        var hanging = 0
        var milliseconds: UInt64 = 1
        /// A call that begins in the first second and goes on for ever, as a subscription does.
        var hasEndlessCall = false
    }

    /// A module, its calls, and those of them that are under way.
    private struct Module {
        let account = CallAccount()
        let traffic: Traffic
        private var begun = 0
        private var endless = 0
        private var underWay: [(call: CallAccount.Call, end: UInt64)] = []

        init(_ traffic: Traffic) { self.traffic = traffic }

        /// Lets a second pass, and returns the tally at its end.
        mutating func tally(after second: Int, hangingAfter limit: Duration) -> CallTally {
            let start = UInt64(second - 1) * 1_000_000_000
            if second == 1, traffic.hasEndlessCall { _ = account.begin(at: start) }
            for number in 0..<traffic.calls {
                let now = start + UInt64(number * 1_000_000_000 / traffic.calls)
                end(before: now)
                guard underWay.count + endless < traffic.callers else { continue }
                begun += 1
                let call = account.begin(at: now)
                if traffic.hanging > 0, begun.isMultiple(of: traffic.hanging) {
                    endless += 1
                } else {
                    underWay.append((call, now + traffic.milliseconds * 1_000_000))
                }
            }
            let end = start + 1_000_000_000
            self.end(before: end)
            return account.tally(hangingAfter: limit, at: end)
        }

        private mutating func end(before now: UInt64) {
            for (call, end) in underWay where end < now {
                account.end(call, at: end, isError: false)
            }
            underWay.removeAll { $0.end < now }
        }
    }

    /// The tally of calls that a module has got for a while.
    private func usual(_ traffic: Traffic) -> CallTally {
        var module = Module(traffic)
        var tally = CallTally()
        for second in 1...50 { tally = module.tally(after: second, hangingAfter: tally.longest) }
        return tally
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let new: Traffic
        var before: Traffic? = Traffic()
        /// The calls of the stable module, for a canary.
        var stable: Traffic?
        /// Words of the reason, in the place of the verdict that the module is bad; "passed" or "pending" otherwise.
        let verdict: String
        /// The second until which there is a verdict.
        var seconds = 90
    }

    static let rows = [
        Row(
            testDescription: "all hang", new: Traffic(hanging: 1),
            verdict: "60 of 60 calls failed, and 0 of 1000 before", seconds: 5),
        Row(
            testDescription: "10 % hang", new: Traffic(hanging: 10),
            verdict: "calls failed, and 0 of 1000 before", seconds: 10),
        Row(
            testDescription: "all hang, of few callers", new: Traffic(callers: 1, hanging: 1),
            verdict:
                "1 call has not returned within 1000.0 ms, and no other one has succeeded since",
            seconds: 20),
        Row(
            testDescription: "10 % hang, of few callers", new: Traffic(callers: 3, hanging: 10),
            verdict: "3 calls have not returned", seconds: 30),
        Row(testDescription: "none hangs", new: Traffic(), verdict: "passed"),
        Row(
            testDescription: "none hangs, and all take time, as before",
            new: Traffic(milliseconds: 3_500), before: Traffic(milliseconds: 3_000),
            verdict: "passed", seconds: 130),
        Row(
            testDescription: "none hangs, and all are slow", new: Traffic(milliseconds: 900),
            verdict: "half of the calls took 872.4 ms or longer, and 1.0 ms before", seconds: 5),
        Row(
            testDescription: "all take half a minute as before, and some of them may hang yet",
            new: Traffic(calls: 10, milliseconds: 30_000),
            before: Traffic(calls: 10, milliseconds: 20_000), verdict: "pending"),
        Row(
            testDescription: "all hang, and none was called before", new: Traffic(hanging: 1),
            before: nil, verdict: "calls failed", seconds: 20),
        Row(
            testDescription: "none hangs, all are slow, and none was called before",
            new: Traffic(milliseconds: 5_000), before: nil, verdict: "passed"),
        Row(
            testDescription: "one goes on for ever, next to others",
            new: Traffic(hasEndlessCall: true), verdict: "passed"),
        Row(
            testDescription: "one goes on for ever, and is the only one, as before",
            new: Traffic(calls: 0, hasEndlessCall: true),
            before: Traffic(hasEndlessCall: true), verdict: "pending"),
        Row(
            testDescription: "a canary hangs, and the stable module does not",
            new: Traffic(calls: 4, hanging: 2), before: nil, stable: Traffic(calls: 36),
            verdict: "calls failed, and 0 of", seconds: 20),
        Row(
            testDescription: "a canary hangs as often as the stable module",
            new: Traffic(calls: 4, hanging: 4), before: nil,
            stable: Traffic(calls: 36, hanging: 4), verdict: "pending"),
    ]

    @Test("finds calls that do not return, by a table", arguments: rows)
    func table(row: Row) {
        let start = ContinuousClock.now
        var (new, old) = (Module(row.new), row.stable.map(Module.init))
        var probation = Probation(
            ProbationPolicy(), at: start, window: .seconds(1),
            old: old.map { _ in CallTally() }, share: old == nil ? 1 : 0.1,
            usual: row.before.map(usual))
        var verdict = Probation.Verdict.pending
        for second in 1...row.seconds where verdict == .pending {
            let limit = probation.longestCall
            verdict = probation.look(
                at: start + .seconds(second), new: new.tally(after: second, hangingAfter: limit),
                old: old?.tally(after: second, hangingAfter: limit), illness: nil)
        }
        switch verdict {
        case .pending: #expect(row.verdict == "pending")
        case .passed: #expect(row.verdict == "passed")
        case .failed(let reasons): #expect(reasons.joined().contains(row.verdict), "\(reasons)")
        }
    }

    @Test("notes each call once, also if it ends after it was taken to hang")
    func once() {
        let account = CallAccount()
        let (slow, fast) = (account.begin(at: 0), account.begin(at: 0))
        account.end(fast, at: 5, isError: false)
        #expect(account.tally(hangingAfter: .nanoseconds(100), at: 10).open == 0)
        #expect(account.tally(hangingAfter: .nanoseconds(100), at: 110).open == 1)
        let late = account.tally(hangingAfter: .nanoseconds(100), at: 111)
        #expect((late.calls, late.errors, late.hanging, late.open) == (2, 1, 1, 0))
        account.end(slow, at: 112, isError: true)
        let end = account.tally(hangingAfter: .nanoseconds(100), at: 300)
        #expect((end.calls, end.errors, end.hanging, end.measured) == (2, 1, 0, 2))
        // Another call in the same slot is another one.
        let next = account.begin(at: 301)
        account.end(next, at: 302, isError: false)
        #expect(account.tally.calls == 3)
    }

    @Test("gives a call more time whose object is being created, and notes it once, too")
    func creation() {
        let (account, now) = (CallAccount(), CallClock.nanoseconds)
        var late = CallAccount.Creation(account)
        var inTime = CallAccount.Creation(account)
        _ = account.tally(hangingAfter: .seconds(1), at: now + 1_000_000_000)
        let isToNote = inTime.end() === account
        #expect(isToNote)
        let early = account.tally(hangingAfter: .seconds(1), at: now + 11_000_000_000)
        #expect((early.calls, early.open) == (0, 1))
        let end = account.tally(hangingAfter: .seconds(1), at: now + 11_000_000_001)
        #expect((end.calls, end.errors, end.hanging) == (1, 1, 1))
        let isToNoteLate = late.end() != nil
        #expect(!isToNoteLate)
        #expect(account.tally(hangingAfter: .seconds(1)).hanging == 0)
    }

    @Test("finds calls that hang in any number of windows, also where all slots were in use")
    func manyWindows() {
        let account = CallAccount()
        var found = 0
        for second in 1...1_000 {
            _ = account.begin(at: UInt64(second) * 1_000_000_000)
            found =
                account.tally(
                    hangingAfter: .seconds(100), at: UInt64(second) * 1_000_000_000 + 1
                ).errors
        }
        #expect(found > 700)
    }
}
