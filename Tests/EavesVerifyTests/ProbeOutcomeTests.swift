// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import Testing

@testable import EavesVerify

@Suite("the events of a probe")
struct ProbeOutcomeTests {
    static let events: [ProbeEvent] = [
        .started("loads", printed: 0),
        .finished("loads", .passed, printed: 17),
        .finished("loads", .skipped("nothing \"is\" there\n"), printed: 17),
        .finished(
            "loads",
            .failed([
                Diagnostic("a\u{0}b", fix: "mend", code: .crashed),
                Diagnostic("ü", code: .badData),
            ]), printed: .max),
        .finished("loads", .warned([Diagnostic("slow", code: .untrusted)]), printed: 1),
    ]

    @Test("is one line, and is understood", arguments: events)
    func line(_ event: ProbeEvent) {
        #expect(!event.json.contains("\n"))
        #expect(ProbeEvent(Array(event.json.utf8)) == event)
    }

    @Test("is nothing else, cut short or not", arguments: events)
    func cut(_ event: ProbeEvent) {
        let line = Array(event.json.utf8)
        for length in 0..<line.count { #expect(ProbeEvent(line.prefix(length)) == nil) }
        #expect(ProbeEvent(Array("crash 11".utf8)) == nil)
        #expect(ProbeEvent(Array(#"{"finished":"loads","result":"odd","printed":0}"#.utf8)) == nil)
    }

    @Test("is kept apart from what the crash handler writes, which breaks off what came before")
    func outcome() {
        var outcome = ProbeOutcome()
        let lines = [
            ProbeEvent.started("loads", printed: 3).json, "", "crash 11", "blame weather",
            "frame 10 weather /nowhere/weather.so", "frame 2f . /bin/a name with spaces",
            "frame", "end", "frame 1 - /not/ours",
        ]
        for line in lines { outcome.take(Array(line.utf8)[...]) }
        outcome.ending = .signalled(11)
        #expect(outcome.pending?.id == "loads")
        #expect(outcome.hasAnswered)
        let death = outcome.death(limit: .seconds(1), originals: [:])
        #expect(
            death.frames.map(\.place) == [
                "weather.so + 0x10", "a name with spaces + 0x2f",
            ])
        #expect(death.frame?.module == "weather")
        #expect(death.isFault(of: "weather"))
        #expect(!death.isFault(of: "home"))
        #expect(death.message(of: "weather") == "crashed with SIGSEGV in weather.so + 0x10")
        #expect(
            death.message(of: "home")
                == "crashed with SIGSEGV in weather.so + 0x10 of the module 'weather'")
    }

    @Test("come with the part of the output that belongs to a check, cut if it is long")
    func output() {
        var outcome = ProbeOutcome()
        outcome.output = Array("before, during, after".utf8)
        #expect(outcome.printed(from: 8, to: 14) == Array("during".utf8))
        #expect(outcome.printed(from: 16, to: .max) == Array("after".utf8))
        #expect(outcome.printed(from: 100, to: .max) == [])
        #expect(outcome.printed(from: 8, to: 3) == [])
        outcome.output = Array(repeating: 0, count: 20 << 10)
        #expect(outcome.printed(from: 0, to: .max).count == 16 << 10)
    }

    @Test("after a question do not count, because the answer may come too late")
    func overdue() {
        var outcome = ProbeOutcome()
        outcome.isOverdue = true
        outcome.take(Array(ProbeEvent.started("loads", printed: 0).json.utf8)[...])
        #expect(outcome.events == [])
        #expect(outcome.death(limit: .seconds(2), originals: [:]).cause == .overdue(.seconds(2)))
        #expect(
            outcome.death(limit: .seconds(2), originals: [:]).message(of: "a")
                == "did not finish within 2 s")
        #expect(
            outcome.death(limit: .milliseconds(1500), originals: [:]).message(of: "a")
                == "did not finish within 1.5 s")
    }

    @Test("of a process that could not report anything leave the module that it ran")
    func noReport() {
        var outcome = ProbeOutcome()
        outcome.ending = .signalled(9)
        #expect(outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
        // A report that breaks off does not count.
        outcome.take(Array("crash 11".utf8)[...])
        #expect(outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
    }

    @Test("of a crash in the host's own code blames no module")
    func host() {
        var outcome = ProbeOutcome()
        for line in ["crash 6", "frame 10 . /bin/eaves", "frame 10 weather /w.so", "end"] {
            outcome.take(Array(line.utf8)[...])
        }
        outcome.ending = .signalled(6)
        #expect(!outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
    }
}
