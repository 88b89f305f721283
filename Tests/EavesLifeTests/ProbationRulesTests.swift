// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest
import EavesProcess
import EavesQuarantine
import EavesTestSupport
import Testing

@testable import EavesLife
@testable import EavesRegistry

@Suite("The judge of a probation", .onOwnThreads)
struct ProbationRulesTests {
    private let start = ContinuousClock.now

    private func policy(_ change: (inout ProbationPolicy) -> Void = { _ in }) -> ProbationPolicy {
        var policy = ProbationPolicy()
        change(&policy)
        return policy
    }

    /// The calls of a window.
    private struct Window {
        let calls, errors: Int
        let nanoseconds: UInt64?
        let slow: (count: Int, nanoseconds: UInt64)

        /// The calls of some windows that are alike.
        func tally(_ windows: Int = 1) -> CallTally {
            var tally = CallTally()
            tally.add(nanoseconds: nanoseconds, count: (calls - errors - slow.count) * windows)
            tally.add(nanoseconds: nil, isError: true, count: errors * windows)
            if slow.count > 0 {
                tally.add(nanoseconds: slow.nanoseconds, count: slow.count * windows)
            }
            return tally
        }
    }

    private func tally(
        _ calls: Int, errors: Int = 0, nanoseconds: UInt64? = nil,
        slow: (count: Int, nanoseconds: UInt64) = (0, 0)
    ) -> Window {
        Window(calls: calls, errors: errors, nanoseconds: nanoseconds, slow: slow)
    }

    /// The judge's word after some windows with the same calls.
    private func verdict(
        _ window: Window, _ usual: Window? = nil, windows: Int = 3,
        _ change: (inout ProbationPolicy) -> Void = { _ in }
    ) -> Probation.Verdict {
        var probation = Probation(
            policy(change), at: start, window: .seconds(1), usual: usual?.tally())
        var verdict = Probation.Verdict.pending
        for second in 1...windows where verdict == .pending {
            verdict = probation.look(
                at: start + .seconds(second), new: window.tally(second), old: nil, illness: nil)
        }
        return verdict
    }

    @Test("decides nothing before a window is over, and never by one or two windows")
    func window() {
        var probation = Probation(policy(), at: start, window: .seconds(1))
        let bad = tally(10, errors: 10)
        let early = start + .seconds(1) - .nanoseconds(1)
        for _ in 0..<9 {
            #expect(probation.look(at: early, new: bad.tally(), old: nil, illness: nil) == .pending)
        }
        #expect(verdict(bad, windows: 2) == .pending)
        #expect(verdict(tally(10_000, errors: 10_000), windows: 2) == .pending)
        #expect(verdict(bad) == .failed(["30 of 30 calls failed"]))
    }

    @Test("passes after the set time and the set number of calls, and only if the calls say so")
    func passing() {
        let good = tally(10)
        #expect(verdict(good, windows: 59) == .pending)
        #expect(verdict(good, windows: 60) == .passed)
        #expect(verdict(good, windows: 60) { $0.calls = 601 } == .pending)
        #expect(verdict(good, windows: 10) { $0.seconds = 10 } == .pending)
        #expect(verdict(good, windows: 20) { $0.seconds = 20 } == .passed)
        // Too few calls say nothing, however few are asked for.
        #expect(
            verdict(tally(1), windows: 30) { ($0.seconds, $0.calls) = (0, 0) } == .pending)
        // Some errors need more good calls to be outweighed.
        let mixed = tally(20, errors: 1)
        #expect(
            verdict(mixed, tally(10_000), windows: 4) { ($0.seconds, $0.calls) = (0, 0) }
                == .pending)
    }

    @Test("judges a module that is hardly called for a day")
    func day() {
        var probation = Probation(policy(), at: start, window: .seconds(1))
        let day = Duration.seconds(86_400)
        #expect(
            probation.look(
                at: start + day - .seconds(2), new: tally(1).tally(), old: nil, illness: nil)
                == .pending)
        #expect(
            probation.look(at: start + day, new: tally(1).tally(), old: nil, illness: nil)
                == .passed)
    }

    @Test("compares errors with those before, and takes a few as usual if there was nothing before")
    func errors() {
        #expect(verdict(tally(100, errors: 9)) == .pending)
        #expect(verdict(tally(100, errors: 40)) == .failed(["120 of 300 calls failed"]))
        #expect(verdict(tally(100, errors: 40)) { $0.errors = 80 } == .pending)
        #expect(verdict(tally(0)) == .pending)
        #expect(verdict(tally(100, errors: 30), tally(900, errors: 270)) == .pending)
        #expect(
            verdict(tally(100, errors: 80), tally(900, errors: 270))
                == .failed(["240 of 300 calls failed, and 270 of 900 before"]))
        // A difference that chance makes is none.
        #expect(verdict(tally(5, errors: 3), tally(10, errors: 4)) == .pending)
        #expect(verdict(tally(100, errors: 5), tally(1_000, errors: 1)) != .pending)
    }

    @Test("asks whose errors those are that two modules make in the same time")
    func shared() {
        func verdict(_ new: Window, _ old: Window, share: Double, windows: Int = 3)
            -> Probation.Verdict
        {
            var probation = Probation(
                policy(), at: start, window: .seconds(1), old: CallTally(), share: share)
            var verdict = Probation.Verdict.pending
            for second in 1...windows where verdict == .pending {
                verdict = probation.look(
                    at: start + .seconds(second), new: new.tally(second), old: old.tally(second),
                    illness: nil)
            }
            return verdict
        }
        #expect(
            verdict(tally(10, errors: 5), tally(90), share: 0.1)
                == .failed(["15 of 30 calls failed, and 0 of 270 before"]))
        // An outage of both says nothing about either.
        #expect(verdict(tally(10, errors: 10), tally(90, errors: 90), share: 0.1) == .pending)
        // It is the share of the calls that counts, also if only failures were seen.
        #expect(
            verdict(tally(5, errors: 5), tally(0), share: 0.45)
                == .failed(["15 of 15 calls failed"]))
        #expect(verdict(tally(10), tally(90), share: 0.1, windows: 1_000) == .pending)
    }

    @Test("begins anew with a further share of the calls: what was before counts no more")
    func restart() throws {
        let fiveOfAHundred = try CanaryShare("5%")
        let terms = policy {
            ($0.seconds, $0.calls) = (0, 1)
            $0.steps = [.share(fiveOfAHundred), .all]
        }
        var probation = Probation(
            terms, at: start, window: .seconds(1), old: CallTally(), share: 0.01)
        var new = CallTally()
        let old = tally(10_000)
        func look(_ second: Int, after calls: Int) -> Probation.Verdict {
            new.add(nanoseconds: nil, count: calls)
            return probation.look(
                at: start + .seconds(second), new: new, old: old.tally(second), illness: nil)
        }
        #expect(look(1, after: 250) == .passed)
        probation.restart(at: start + .seconds(1))
        #expect(probation.calls(new).calls == 0)
        #expect(probation.time(at: start + .seconds(2)) == .seconds(1))
        probation.share = 0.05
        // One call would do if those before counted.
        #expect(look(2, after: 1) == .pending)
        #expect(look(3, after: 250) == .passed)
    }

    @Test("goes on in another process where it was, in each window: no restart begins it anew")
    func evidence() throws {
        /// The verdict after each second, if each window is judged by a process of its own or all by one.
        func verdicts(_ window: Window, restarting: Bool, canary: Bool = false) throws
            -> [Probation.Verdict]
        {
            let terms = policy { $0.steps = [.all] }
            let usual = tally(1_000, errors: 10, nanoseconds: 2_000_000).tally()
            let old = canary ? CallTally() : nil
            var probation = Probation(
                terms, at: start, window: .seconds(1), old: old, share: canary ? 0.1 : 1,
                usual: canary ? nil : usual)
            return try (1...61).map { second in
                let first = restarting ? 1 : second
                let verdict = probation.look(
                    at: start + .seconds(second), new: window.tally(first),
                    old: canary ? tally(90).tally(first) : nil, illness: nil)
                guard restarting else { return verdict }
                #expect(probation.calls(window.tally()) == window.tally(second))
                // Frames go from process to process.
                let bytes = try Frame.bytes(of: probation.evidence).dropFirst(Frame.headSize)
                probation = Probation(
                    terms, at: start + .seconds(second), window: .seconds(1), old: old,
                    share: canary ? 0.1 : 1,
                    after: try Frame.value(Probation.Evidence.self, in: bytes))
                return verdict
            }
        }
        for window in [
            tally(10, nanoseconds: 1_500_000), tally(10, errors: 3),
            tally(10, nanoseconds: 9_000_000),
        ] {
            for canary in [false, true] {
                let together = try verdicts(window, restarting: false, canary: canary)
                #expect(try verdicts(window, restarting: true, canary: canary) == together)
                #expect(together.contains { $0 != .pending })
            }
        }
    }

    @Test("refuses evidence that no calls can give, and bounds its times")
    func badEvidence() throws {
        struct Tally: Encodable {
            let calls, errors: Int
            let times: [Int]
            let hanging = 0
        }
        func decoded(_ calls: Int, _ errors: Int, _ times: [Int]) -> CallTally? {
            guard
                let bytes = try? Frame.bytes(of: Tally(calls: calls, errors: errors, times: times))
            else { return nil }
            return try? Frame.value(CallTally.self, in: bytes.dropFirst(Frame.headSize))
        }
        #expect(decoded(2, 1, [])?.errors == 1)
        #expect(decoded(2, 3, []) == nil)
        #expect(decoded(-1, -1, []) == nil)
        #expect(decoded(.max, 0, []) == nil)
        #expect(decoded(2, 0, [1, 1]) == nil)
        #expect(decoded(2, 0, Array(repeating: -1, count: CallTally.buckets)) == nil)
        var evidence = Probation.Evidence()
        evidence.time = Duration(secondsComponent: .max, attosecondsComponent: 0)
        evidence.sickTime = Duration(secondsComponent: .min, attosecondsComponent: 0)
        let probation = Probation(policy(), at: start, window: .seconds(1), after: evidence)
        #expect(probation.time(at: start) == .seconds(86_400))
    }

    @Test("compares medians and slow calls with those before, if there were enough of them")
    func latency() {
        func words(
            _ window: Window, _ usual: Window?, _ change: (inout ProbationPolicy) -> Void = { _ in }
        ) -> String? {
            guard case .failed(let reasons) = verdict(window, usual, windows: 3, change) else {
                return nil
            }
            return reasons.first
        }
        let usual = tally(100, nanoseconds: 2_000_000)
        #expect(words(tally(100, nanoseconds: 3_500_000), usual) == nil)
        #expect(
            words(tally(100, nanoseconds: 10_000_000), usual)?.hasPrefix("half of the calls took")
                == true)
        #expect(words(tally(100, nanoseconds: 10_000_000), nil) == nil)
        #expect(words(tally(100, nanoseconds: 10_000_000), usual) { $0.latency = 10 } == nil)
        #expect(
            words(tally(100, nanoseconds: 10_000_000), tally(19, nanoseconds: 2_000_000)) == nil)
        // People do not notice some microseconds.
        #expect(words(tally(100, nanoseconds: 40_000), tally(100, nanoseconds: 10_000)) == nil)
        let many = tally(1_000, nanoseconds: 2_000_000)
        let tail = tally(1_000, nanoseconds: 2_000_000, slow: (50, 50_000_000))
        #expect(words(tail, many)?.hasPrefix("the slowest of 100 calls took") == true)
        #expect(words(many, tail) == nil)
        #expect(words(tail, tally(499, nanoseconds: 2_000_000)) == nil)
    }

    @Test("lets no module pass that is not healthy at the moment")
    func illAtTheEnd() {
        var probation = Probation(policy { $0.seconds = 2 }, at: start, window: .seconds(1))
        let calls = tally(1_000)
        func look(_ second: Int, _ illness: String?) -> Probation.Verdict {
            probation.look(
                at: start + .seconds(second), new: calls.tally(second), old: nil, illness: illness)
        }
        #expect(look(1, nil) == .pending)
        #expect(look(2, "no database") == .pending)
        #expect(look(3, nil) == .passed)
    }

    @Test("takes a module for bad that is not healthy at any look for a quarter of a minute")
    func health() {
        var probation = Probation(policy(), at: start, window: .seconds(1))
        func look(_ second: Int, _ illness: String?) -> Probation.Verdict {
            probation.look(
                at: start + .seconds(second), new: tally(0).tally(), old: nil, illness: illness)
        }
        for second in 1...15 { #expect(look(second, "no database") == .pending) }
        #expect(look(16, nil) == .pending)
        for second in 17...31 { #expect(look(second, "no database") == .pending) }
        #expect(look(32, "no database") == .failed(["no database"]))
    }
}

@Suite("What a fresh process knows of the probations of the one before")
struct InheritedTrialsTests {
    private let trial = Trial(
        SuspectModule(id: "users", path: "Plugins/users.so", file: "none"), sha256: "ab",
        generation: 7, service: "UserService", from: "other", process: 1)

    @Test("is recorded under its own number, until the probation would be over")
    func time() {
        var running = Running()
        let now = ContinuousClock.now
        running.inherit([trial], judging: [], ProbationPolicy(), by: LivePolicy(), at: now)
        #expect(running.judges)
        #expect(running.nextEnd == now + .seconds(60))
        #expect(running.judge(at: now + .seconds(59)) { _ in nil }.isEmpty)
        #expect(running.records(of: 2) == [trial.passed(to: 2)])
        #expect(running.judge(at: now + .seconds(60)) { _ in nil }.isEmpty)
        #expect(running.records(of: 2) == [])
        #expect(!running.judges)
        #expect(running.nextEnd == nil)
    }

    @Test("waits a day for a module that this process is to judge, without looking for it")
    func pending() {
        var running = Running()
        let now = ContinuousClock.now
        running.inherit([trial], judging: [trial], ProbationPolicy(), by: LivePolicy(), at: now)
        #expect(running.nextEnd == now + .seconds(86_460))
        _ = running.judge(at: now + .seconds(80_000)) { _ in nil }
        #expect(running.records(of: 2) == [trial.passed(to: 2)])
        _ = running.judge(at: now + .seconds(90_000)) { _ in nil }
        #expect(!running.judges)
    }

    @Test("is over where its module is loaded from another file")
    func otherFile() {
        var running = Running()
        running.inherit([trial], judging: [trial], ProbationPolicy(), by: LivePolicy())
        let entry = CatalogEntry(id: "users", path: "users.so", file: "users.so")
        running.take(ModuleLife.Loaded(entry: entry, code: LookWorld.code(of: entry)))
        running.enter { 8 }
        #expect(!running.awaitsModules && running.records(of: 2) == [])
    }

    @Test("is nothing if nothing was judged")
    func none() {
        var running = Running()
        running.inherit([], judging: [], ProbationPolicy(), by: LivePolicy())
        #expect(!running.judges)
    }
}
