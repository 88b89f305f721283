// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesChild
import EavesDeclaration
import EavesDiagnostics
import EavesIsolation
import EavesManifest
import EavesProcess
import EavesRules
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesVerify

@Suite("The process of a probe", .onOwnThreads, .patiently)
struct ProbeProcessTests {
    private func run(_ script: String, limit: Duration = Patience.limit) throws -> ProbeOutcome {
        try ProbeProcess.run(nil, limit: limit, as: ChildCommand("/bin/sh", ["-c", script]))
    }

    @Test("collects what the probe prints, what it reports, and how it ends")
    func collects() throws {
        let outcome = try run("echo printed; echo error >&2; echo crash 11 >&4; kill -SEGV $$")
        #expect(String(decoding: outcome.output, as: UTF8.self) == "printed\nerror\n")
        #expect(outcome.crash.lines == ["crash 11"])
        #expect(outcome.end.ending == .signalled(SIGSEGV))
        #expect(!outcome.isOverdue)
    }

    /// The process that is left behind is the only one that holds the pipe open for writing: its
    /// reader sees the end as soon as that process is gone.
    @Test("leaves no process behind that the probe has started")
    func outliving() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = try OpenFile(reading: path)
        let outcome = try run("exec 5>\(path); (echo started >&5; exec sleep 600) & exit 3")
        #expect(outcome.end.ending == .exited(3))
        var isAtEnd = false
        while !isAtEnd, Pipe.isReadable(reader.descriptor, within: Patience.milliseconds) {
            isAtEnd = Pipe.read(reader.descriptor, count: 100) == []
        }
        #expect(isAtEnd)
    }

    @Test("ends a probe in time that hangs, or that has closed its pipe and goes on")
    func overdue() throws {
        for script in ["sleep 600", "exec 3>&-; sleep 600"] {
            let outcome = try run(script, limit: .milliseconds(50))
            #expect(outcome.isOverdue)
        }
    }
}

@Suite("the request to the probe", .onOwnThreads)
struct ProbeRequestTests {
    private func request(sha256: String?, feature: String?) -> ProbeRequest {
        var entry = CatalogEntry(id: "a", path: "Plugins/a \"b\".so", file: "/x/Plugins/a.so")
        entry.sha256 = sha256
        let host = HostProfile(
            abi: 1, interface: InterfaceVersion(major: 1, minor: 0), compiler: "6.3")
        let module = InspectedModule(entry, among: nil, in: nil, host: host)
        return ProbeRequest(module, checks: ["loads", "registers"], feature: feature)
    }

    @Test("is understood as it was sent")
    func roundTrip() throws {
        func copy(_ request: ProbeRequest) throws -> ProbeRequest {
            let content = try Frame.bytes(of: request).dropFirst(Frame.headSize)
            return try Frame.value(ProbeRequest.self, in: content)
        }
        for sent in [request(sha256: nil, feature: nil), request(sha256: "00", feature: "rain")] {
            #expect(try copy(sent) == sent)
        }
        #expect(request(sha256: "00", feature: nil).sha256 == "00")
        #expect(request(sha256: nil, feature: "rain").feature == "rain")
        var walled = request(sha256: nil, feature: nil)
        walled.permissions = Permissions()
        walled.permissions?.read = ["/data"]
        walled.permissions?.connect = [try #require(NetworkEndpoint("127.0.0.1:80"))]
        #expect(try copy(walled) == walled)
    }
}

@Suite("the dialogue with a probe", .onOwnThreads)
final class ProbeDialogueTests {
    private var dialogue = ProbeDialogue(checks: ["loads", "registers", "ends"])

    private func accept(_ report: ProbeReport) -> Bool {
        dialogue.accept(report, dialogue.token)
    }

    @Test("accepts each report when it is due, and makes a new token each time")
    func inOrder() {
        var tokens: Set = [dialogue.secret, dialogue.token]
        let reports: [ProbeReport] = [
            .started("loads"), .reached(.unloaded), .reached(.loaded), .finished("loads", .passed),
            .started("ends"), .reached(.registered), .finished("ends", .passed), .leaving,
        ]
        for report in reports {
            #expect(!dialogue.hasLeft)
            #expect(accept(report), "\(report)")
            tokens.insert(dialogue.token)
        }
        #expect(dialogue.hasLeft)
        #expect(tokens.count == reports.count + 2 && tokens.allSatisfy { $0.count == 16 })
    }

    @Test("accepts nothing with another token: an old one, the secret, or none")
    func token() {
        let old = dialogue.token
        #expect(accept(.started("loads")))
        for token in [old, dialogue.secret, ""] {
            let isAccepted = dialogue.accept(.finished("loads", .passed), token)
            #expect(!isAccepted)
        }
        #expect(accept(.finished("loads", .passed)))
    }

    @Test("accepts no report that is not due")
    func notDue() {
        func refuses(_ reports: [ProbeReport]) -> Bool {
            reports.allSatisfy { report in
                var copy = dialogue
                return !copy.accept(report, copy.token)
            }
        }
        #expect(refuses([.finished("loads", .passed), .started("other"), .reached(.unloaded)]))
        #expect(accept(.started("registers")))
        #expect(
            refuses([
                .started("ends"), .started("loads"), .finished("loads", .passed), .leaving,
                .reached(.registered),
            ]))
        #expect(accept(.finished("registers", .passed)))
        #expect(
            refuses([.started("loads"), .started("registers"), .finished("registers", .passed)]))
        #expect(accept(.leaving))
        #expect(refuses([.started("ends"), .leaving]))
    }
}

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
        outcome.checks = [ProbedCheck(id: "loads", start: 3)]
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
        outcome.checks = [ProbedCheck(id: "loads", start: 3, conclusion: .passed, end: 5)]
        outcome.end.ending = .exited(0)
        #expect(outcome.pending?.id == "loads" && outcome.pending?.start == 3)
        outcome.hasLeft = true
        #expect(outcome.pending == nil)
    }
}
