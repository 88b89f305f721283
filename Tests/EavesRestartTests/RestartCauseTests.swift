// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesRestart

@Suite("The cause of a hot restart", .onOwnThreads)
struct RestartCauseTests {
    private typealias Facts = RestartDecision.Facts

    private func file(_ number: UInt64) -> FileIdentity {
        FileIdentity(device: 1, inode: number, size: 1, modified: 1, changed: 1)
    }

    private func decision(generations: Int? = 4, bytes: Int? = 1000) -> RestartDecision {
        RestartDecision(HotRestart.Policy(generations: generations, bytes: bytes))
    }

    @Test("is none without a reason, and names the reason that there is")
    func causes() {
        let decision = decision()
        #expect(decision.cause(Facts()) == nil)
        #expect(decision.cause(Facts(generations: 3, bytes: 999)) == nil)
        #expect(decision.cause(Facts(generations: 4)) == .generations(4))
        #expect(decision.cause(Facts(bytes: 1000)) == .bytes(1000))
        #expect(
            decision.cause(Facts(modules: ["b": file(1), "a": file(2)])) == .modules(["a", "b"]))
        #expect(decision.cause(Facts(program: file(1))) == .program)
        #expect(decision.cause(Facts(linkerHolder: "c")) == .hang("c"))
        #expect(decision.cause(Facts(isRequested: true)) == .request)
    }

    @Test("knows no bound where the policy has none")
    func unbounded() {
        let decision = decision(generations: nil, bytes: nil)
        #expect(decision.cause(Facts(generations: 1_000_000, bytes: 1 << 40)) == nil)
    }

    @Test("does not try the same again after a failure, and tries what is new")
    func failures() {
        var decision = decision()
        let facts = Facts(
            generations: 5, bytes: 10, modules: ["a": file(1)], linkerHolder: "c",
            program: file(2), isRequested: true)
        decision.fail(with: facts)
        var later = facts
        later.isRequested = false
        #expect(decision.cause(later) == nil)
        later.generations = 9
        #expect(decision.cause(later) == .generations(9))
        later.generations = 5
        later.bytes = 1009
        #expect(decision.cause(later) == nil)
        later.bytes = 1010
        #expect(decision.cause(later) == .bytes(1010))
        later.modules["a"] = file(3)
        #expect(decision.cause(later) == .modules(["a"]))
        later.linkerHolder = "d"
        #expect(decision.cause(later) == .hang("d"))
        later.program = file(4)
        #expect(decision.cause(later) == .program)
        later.isRequested = true
        #expect(decision.cause(later) == .request)
    }

    @Test("tries again what was put off, later each time, and at once when it is asked to")
    func postponed() {
        var decision = decision()
        let facts = Facts(modules: ["a": file(1)])
        var now = ContinuousClock.now
        #expect(decision.nextAttempt(after: now) == nil)
        for (index, seconds) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            let isFirst = decision.postpone(.modules(["a"]), at: now)
            #expect(isFirst == (index == 0))
            #expect(decision.nextAttempt(after: now) == now + .seconds(seconds))
            #expect(decision.cause(facts, at: now) == nil)
            #expect(decision.cause(Facts(isRequested: true), at: now) == .request)
            now += .seconds(seconds)
            #expect(decision.cause(facts, at: now) == .modules(["a"]))
            #expect(decision.cause(Facts(), at: now) == nil, "the reason is gone")
            #expect(decision.nextAttempt(after: now) == nil)
        }
        _ = decision.postpone(.request, at: now)
        #expect(decision.cause(Facts(), at: now) == nil)
        #expect(decision.cause(Facts(), at: now + .seconds(60)) == .request)
        decision.fail(with: Facts())
        #expect(decision.cause(Facts(), at: now + .seconds(60)) == nil)
    }

    @Test("counts the code that another file of its module has followed, and its bytes")
    func retired() throws {
        let news = try RestartNews()
        let folder = try TemporaryFolder()
        for (id, text) in [("a", "1234"), ("b", "123"), ("a", "12"), ("a", "1")] {
            var entry = CatalogEntry(id: id, path: id, file: id)
            entry.status = try FileStatus(path: folder.write(text, to: id))
            news.noteLoad(of: entry)
        }
        #expect(news.retired == (2, 6))
    }

    @Test("is asked for by a call, or by a signal without a handler, and each request is taken")
    func requests() throws {
        let (news, signal) = (try RestartNews(), __libc_current_sigrtmax() - 3)
        Glibc.signal(signal, SIG_IGN)
        #expect(!news.listen(to: signal), "it is ignored")
        Glibc.signal(signal, SIG_DFL)
        #expect(news.listen(to: signal))
        #expect(!news.listen(to: signal), "it has a handler")
        #expect(!news.takeRequest())
        for ask in [{ _ = kill(getpid(), signal) }, news.request] as [() -> Void] {
            let isAwake = Awaited<Bool>()
            try DetachedThread.start {
                news.wait(until: nil)
                isAwake.set(true)
            }
            ask()
            #expect(isAwake.wait(within: Patience.limit) == true)
            #expect(news.takeRequest() && !news.takeRequest())
        }
        handle(signal, from: 7)
        news.request()
        #expect(news.takeRequest() && !news.takeRequest(), "both are taken")
        _ = SignalPair.isSecond(signal, from: 8, isPassedOn: true)
        handle(signal, from: 8)
        #expect(!news.takeRequest(), "it has come already, by way of the process that waits")
    }

    /// Calls the handler of a signal as the system does for one that `kill` has sent.
    private func handle(_ signal: Int32, from process: Int32) {
        guard case .handled(let address) = SignalHandler.present(signal) else {
            Issue.record("it has no handler")
            return
        }
        var information = siginfo_t()
        information._sifields._kill.si_pid = process
        // SAFETY: it is the address of the function that `listen` has installed.
        unsafeBitCast(address, to: SignalHandler.Function.self)(signal, &information, nil)
    }

    @Test("is another file in the place of the program that is not being written")
    func program() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("first", to: "program")
        let program = try ProgramPlace(startedAs: path)
        #expect(program.path == path && program.folder == Path.current)
        func time() throws -> Int64 { try FileStatus(path: path).modified }
        let later = ProgramPlace.moment
        chmod(path, 0o700)
        #expect(try !program.isUnfinished(at: time()))
        #expect(try program.replacement(at: time() + later) == nil)
        try folder.write("another", to: "program")
        for early in [0, later - 1] {
            #expect(try program.isUnfinished(at: time() + early))
            #expect(try program.replacement(at: time() + early) == nil)
        }
        for late in [-1, later] {
            #expect(try program.replacement(at: time() + late)?.size == 7, "also by another clock")
        }
        try folder.write("", to: "program")
        #expect(try program.isUnfinished(at: time() + later))
        unlink(path)
        #expect(program.replacement() == nil && !program.isUnfinished())
    }

    @Test("looks for the program where it was started, and else for its file")
    func place() throws {
        #expect(try ProgramPlace(startedAs: ".").path == Path.absolute(".", from: Path.current))
        let own = try Files.target(ofLink: "/proc/self/exe")
        for started in ["", "/proc/self/fd/9", "/dev/fd/9"] {
            #expect(try ProgramPlace(startedAs: started).path == own)
        }
    }
}
