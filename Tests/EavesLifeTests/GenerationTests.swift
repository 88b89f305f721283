// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesELF
import EavesInterface
import EavesLoader
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@testable import EavesLife
@testable import EavesRegistry

@Suite("The life of a generation", .onOwnThreads)
struct GenerationTests {
    @Test("begins with a file that was found, and ends retired or refused")
    func ends() {
        for state in GenerationState.allCases {
            let next = GenerationState.allCases.filter(state.mayPrecede)
            #expect(next.isEmpty == (state == .retired || state == .refused))
            #expect(!next.contains(state) && !next.contains(.found))
        }
    }

    @Test("serves only after every check")
    func way() {
        var state = GenerationState.found
        var way = [state]
        while let next = GenerationState.allCases.first(where: {
            $0 != .refused && state.mayPrecede($0)
        }) {
            state = next
            way.append(state)
        }
        #expect(
            way == [
                .found, .checked, .loaded, .registered, .selfChecked, .serving, .draining, .retired,
            ])
    }

    @Test("cannot be refused once it serves")
    func refusal() {
        let refusable = GenerationState.allCases.filter { $0.mayPrecede(.refused) }
        #expect(refusable == [.found, .checked, .loaded, .registered, .selfChecked])
    }
}

@Suite("The times of a live host")
struct LivePolicyTests {
    @Test("are those that Documentation/Live.md names")
    func usual() {
        let policy = LivePolicy.usual
        let times = [
            policy.drainDeadline, policy.lifecycleLimit, policy.gateLimit, policy.loadLimit,
            policy.window, policy.unfinishedLimit,
        ]
        #expect(times == [30, 10, 1, 10, 1, 1].map { .seconds($0) })
        #expect(policy.restartPauses == .milliseconds(250) ... .seconds(30))
    }

    @Test("grow between the attempts at an exchange that is put off, up to a minute")
    func attempts() {
        let now = ContinuousClock.now
        var again: ModuleLife.Again?
        let pauses = (0..<9).map { _ in
            again = ModuleLife.Again(after: again, at: now)
            return again?.next.map { $0 - now }
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }
}

@Suite("The book of generations", .onOwnThreads)
struct GenerationBookTests {
    @Test("forgets the oldest of those that nobody uses, and none that serves or is on its way")
    func memory() {
        var book = GenerationBook()
        book.enter(1, of: "users", version: "1.0.0", .serving)
        for number in 2..<202 {
            book.enter(number, of: "users", version: nil)
            book.refuse(number, because: [])
        }
        book.enter(202, of: "users", version: nil)
        book.forgetOldest()
        #expect(book.records.map(\.number) == [1] + Array(182...202))
        #expect(book.serving?.number == 1)
        book.advance(202, to: .checked)
        #expect(book.record(202)?.state == .checked)
    }

    @Test("forgets the oldest of those that have drained and of which nothing lives")
    func drained() {
        var book = GenerationBook()
        for number in 1...150 {
            book.enter(number, of: "users", version: nil, .serving)
            let left = RetiredInstances()
            left.end()
            book.drain(number, leaving: left)
        }
        #expect(book.retireDrained().count == 150)
        book.forgetOldest()
        #expect(book.records.map(\.number) == Array(131...150))
    }

    @Test("names a generation once that has not drained in time")
    func overdue() {
        var book = GenerationBook()
        book.enter(1, of: "users", version: nil, .serving)
        let before = ContinuousClock.now
        book.drain(1, leaving: RetiredInstances())
        let after = ContinuousClock.now
        let rows = [
            (before + .seconds(29), []), (after + .seconds(30), [1]), (after + .seconds(300), []),
        ]
        for (time, overdue) in rows {
            #expect(book.noteOverdue(after: .seconds(30), at: time).map(\.number) == overdue)
        }
        var running = Running()
        #expect(running.nextLook() == nil)
        running[module: "users"].book = book
        #expect(running.nextLook(at: after) == after + .milliseconds(50))
    }

    @Test("keeps a generation that has drained as long as one of its objects lives")
    func living() throws {
        final class Users: Sendable {}
        let container = Container()
        let registrar = StagedRegistrar(module: "users", settings: Settings())
        registrar.register(Users.self, scope: .shared) { _ in Users() }
        try registrar.commit(to: container)
        let users = try container.resolve(Users.self)
        let left = container.retire(module: "users")
        let drained = Awaited<Void>()
        left.onDrained { drained.set(()) }
        try #require(drained.wait(within: Patience.limit) != nil)
        var book = GenerationBook()
        book.enter(1, of: "users", version: nil, .serving)
        book.drain(1, leaving: left)
        for number in 2..<202 {
            book.enter(number, of: "users", version: nil)
            book.refuse(number, because: [])
        }
        #expect(book.retireDrained().count == 1)
        book.forgetOldest()
        #expect(book.records.first?.number == 1)
        withExtendedLifetime(users) {}
    }

    @Test("has an obstacle for a module of which too many generations are in use")
    func limit() {
        var book = GenerationBook()
        for number in 1...GenerationBook.limit {
            #expect(book.obstacle(to: "users") == nil)
            book.enter(number, of: "users", version: nil, .serving)
        }
        #expect(
            book.obstacle(to: "users")
                == .tooMany(
                    "users", alive: GenerationBook.limit, limit: GenerationBook.limit))
    }
}

@Suite("The numbers of generations", .onOwnThreads)
struct GenerationNumbersTests {
    private let folder: TemporaryFolder
    private var store: Store { Store(of: folder.path, .own) }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("are never given twice, whoever asks")
    func unique() {
        var seen: Set<Int> = []
        for _ in 0..<3 {
            let numbers = GenerationNumbers(store)
            for _ in 0..<1500 { #expect(seen.insert(numbers.next()).inserted) }
        }
    }

    @Test("are never given twice to those who ask at once")
    func concurrent() async {
        let stores = (0..<4).map { _ in GenerationNumbers(store) }
        let all = await withTaskGroup(of: [Int].self) { group in
            for numbers in stores {
                for _ in 0..<4 { group.addTask { (0..<500).map { _ in numbers.next() } } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(all).count == all.count)
    }

    @Test(
        "do not go back if the file is damaged",
        arguments: ["", "17", "-3\n", "seven\n", "99999999999999999999\n", "12\n13\n"])
    func damaged(text: String) throws {
        let before = GenerationNumbers(store).next()
        try folder.write(text, to: ".eaves/generation", mode: 0o600)
        #expect(GenerationNumbers(store).next() > before + 999)
    }
}

@Suite("The definitions that a process keeps for good")
struct ProcessWideDefinitionTests {
    @Test(
        "keep out later files with one of them, and a fresh process helps against the module's own",
        arguments: [("users", true), ("others", false)])
    func defined(id: String, freshProcessHelps: Bool) throws {
        var running = Running()
        try running.define([.symbol("a"), .symbol("b")], by: "users")
        let obstacle = #expect(throws: SwapObstacle.self) {
            try running.define([.symbol("c"), .symbol("b")], by: id)
        }
        #expect(obstacle == .processWide(id, of: "users", [.symbol("b")]))
        var entry = CatalogEntry(id: id, path: "x.so", file: "/x.so")
        entry.status = try FileStatus(path: "/")
        running.fail(id, because: ModuleError(entry, try #require(obstacle)))
        #expect(running.awaitingFreshProcess.keys.contains(id) == freshProcessHelps)
        // The process has nothing of a file that was refused, nor of one that could not be loaded.
        running.undefine([.symbol("b")])
        try running.define([.symbol("b"), .symbol("c")], by: id)
    }
}

@Suite("The things that exchanges use up")
struct WornProcessTests {
    @Test(
        "let a fresh process take over for a file that takes the place of another one, and try it again if need be",
        arguments: [
            (.noStaticTLS, false, true),
            (.exhausted(ProcessRoom(.descriptors, used: 80, of: 96)), true, true),
            (.exhausted(ProcessRoom(.mappings, used: 9, of: 10)), true, true),
            (.noEntryPoint, false, false),
        ] as [(LoadError, Bool, Bool)])
    func refused(error: LoadError, isTriedAgain: Bool, freshProcessHelps: Bool) throws {
        var entry = CatalogEntry(id: "users", path: "x.so", file: "/x.so")
        entry.status = try FileStatus(path: "/")
        var running = Running()
        // A fresh process lacks the same for a first file, and would be followed by another one.
        running.fail("users", because: ModuleError(entry, error))
        #expect(running.awaitingFreshProcess.isEmpty)
        let folder = try TemporaryFolder()
        for content in ["a", "b"] {
            try folder.write(content, to: "x.so")
            let copy = try ShadowCopy(in: nil).make(of: folder.file("x.so"), id: "users", .own)
            running.keep(LoadedCode(nil, of: entry, from: copy, signedBy: nil), of: "users")
        }
        #expect(running.awaitingFreshProcess.isEmpty != freshProcessHelps)
        running.take(ModuleLife.Loaded(entry: entry))
        running.take(
            .file("users", .refused(.init(error: ModuleError(entry, error)))))
        #expect(running.awaitingFreshProcess.isEmpty != freshProcessHelps)
        let now = ContinuousClock.now
        #expect(running.nextLook(at: now) == (isTriedAgain ? now + .seconds(1) : nil))
        #expect(!running.retry { false })
        #expect(running.retry { true } == isTriedAgain)
        #expect((running[module: "users"].refusal == nil) == isTriedAgain)
    }
}
