// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesDiagnostics
import EavesIsolation
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesVerify

@Suite("the reports of a probe", .onOwnThreads)
struct ProbeOutcomeTests {
    static let reports: [ProbeReport] = [
        .started("loads"), .reached(.unloaded), .leaving,
        .finished("loads", .passed),
        .finished("loads", .skipped("nothing \"is\" there\n")),
        .finished(
            "loads",
            .failed([
                Diagnostic("a\u{0}b", fix: "mend", code: .crashed),
                Diagnostic("ü", code: .badData),
            ])),
        .finished("loads", .warned([Diagnostic("slow", code: .untrusted)])),
    ]

    @Test(
        "arrive as they were sent, with their token, and none that is cut short", arguments: reports
    )
    func copied(_ report: ProbeReport) throws {
        let message = ProbeMessage(report: report, token: "word")
        let content = try Frame.bytes(of: message).dropFirst(Frame.headSize)
        #expect(try Frame.value(ProbeMessage.self, in: content) == message)
        for length in 0..<content.count {
            #expect(throws: (any Error).self) {
                try Frame.value(ProbeMessage.self, in: content.prefix(length))
            }
        }
    }

    @Test("is kept apart from what the crash handler writes, which breaks off what came before")
    func outcome() {
        var outcome = ProbeOutcome()
        outcome.events = [.started("loads", printed: 3)]
        let lines = [
            "", "crash 11", "blame weather",
            "frame 10 weather /nowhere/weather.so", "frame 2f . /bin/a name with spaces",
            "frame", "end", "frame 1 - /not/ours",
        ]
        for byte in lines.joined(separator: "\n").utf8 + [10] { outcome.crash.append([byte]) }
        outcome.end.ending = .signalled(11)
        #expect(outcome.pending?.id == "loads")
        #expect(outcome.crash.isWhole)
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

    @Test("after a time limit say so")
    func overdue() {
        var outcome = ProbeOutcome()
        outcome.isOverdue = true
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
        outcome.end.ending = .signalled(9)
        #expect(outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
        // A report that breaks off does not count.
        outcome.crash.append(Array("crash 11\n".utf8))
        #expect(outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
    }

    @Test("of a crash in the host's own code blames no module")
    func host() {
        var outcome = ProbeOutcome()
        for line in ["crash 6", "frame 10 . /bin/eaves", "frame 10 weather /w.so", "end"] {
            outcome.crash.append(Array("\(line)\n".utf8))
        }
        outcome.end.ending = .signalled(6)
        #expect(!outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
    }

    @Test("of a crash without the handler's secret word blame nobody else")
    func forgedCrash() {
        var outcome = ProbeOutcome(secret: "word")
        outcome.end.ending = .signalled(11)
        let forged = ["crash 11", "blame home", "frame 10 home /h.so", "end", "end wrong"]
        for line in forged { outcome.crash.append(Array("\(line)\n".utf8)) }
        #expect(!outcome.crash.isWhole)
        #expect(outcome.death(limit: .zero, originals: [:]).isFault(of: "weather"))
        #expect(outcome.death(limit: .zero, originals: [:]).frame == nil)
        // The handler's own report counts, and nothing before it.
        for line in ["crash 11", "blame weather", "frame 10 weather /w.so", "end word"] {
            outcome.crash.append(Array("\(line)\n".utf8))
        }
        let death = outcome.death(limit: .zero, originals: [:])
        #expect(death.isFault(of: "weather") && death.frame?.module == "weather")
    }

    @Test("end with a check that passed, if the process did not live on after it")
    func hasNotLeft() {
        var outcome = ProbeOutcome()
        outcome.events = [.started("loads", printed: 3), .finished("loads", .passed, printed: 5)]
        outcome.end.ending = .exited(0)
        #expect(outcome.pending?.id == "loads" && outcome.pending?.printed == 3)
        outcome.hasLeft = true
        #expect(outcome.pending == nil)
    }
}
