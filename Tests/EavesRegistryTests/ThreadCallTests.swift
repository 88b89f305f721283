// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesRegistry

@Suite("Calls that their threads note", .onOwnThreads, .patiently)
struct ThreadCallTests {
    private let container = Container()

    /// A module with a shared object, and a number that is made anew each time.
    private func engines(_ number: Int) -> StagedRegistrar {
        generation(of: "engines") { registrar in
            registrar.register((any Engine).self, scope: .shared) { _ in NumberedEngine(number) }
            registrar.register(Int.self) { _ in number }
        }
    }

    /// Whether the thread notes the call in which it is.
    private var isNotedByThread: Bool {
        MeasuredCall.current == nil
            && ThreadContext.current.call.pointee.load(ordering: .relaxed) != 0
    }

    private func expectNoCall(behind gate: CallGate) {
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("are of one generation, next to others that are of the present, and hold up its end")
    func generations() throws {
        container.expectExchanges()
        try engines(1).commit(to: container)
        let retired = try container.call((any Engine).self) { engine in
            #expect(isNotedByThread)
            let retired = try engines(2).replace(in: container)
            #expect(engine.id == 1)
            #expect(try container.resolve(Int.self) == 1)
            #expect(try container.call(Int.self) { $0 } == 1)
            Threads.run(1) { [container] _ in
                #expect((try? container.call(Int.self) { $0 }) == 2)
                #expect((try? container.resolve((any Engine).self).id) == 2)
            }
            _ = try engines(3).replace(in: container)
            #expect(try container.call(Int.self) { $0 } == 1)
            #expect(try container.resolve((any Engine).self).id == 1)
            #expect(!retired.isDrained)
            return retired
        }
        try container.waitForFront()
        try Patience.wait(for: "the end") { retired.isDrained }
        #expect(try container.call((any Engine).self) { $0.id } == 3)
        #expect(!isNotedByThread)
    }

    @Test(
        "that take too long keep their object, and let what they began with drain",
        arguments: [false, true])
    func tooLong(isWithinAnother: Bool) throws {
        container.expectExchanges()
        try engines(1).commit(to: container)
        func exchange() throws {
            let retired = try container.call((any Engine).self) { engine in
                #expect(isNotedByThread)
                let retired = try engines(2).replace(in: container)
                container.endCalls(before: .now)
                try Patience.wait(for: "the end") { retired.isDrained }
                #expect(retired.living == 1 && engine.id == 1)
                return retired
            }
            // On this thread, or on one that was about to look whether the call has ended.
            try Patience.wait(for: "the object to go") { retired.living == 0 }
        }
        _ = try container.resolve((any Engine).self)
        try isWithinAnother ? container.call(Int.self) { _ in try exchange() } : exchange()
    }

    @Test("begin within each other at the gate that waits for the outer one, on its thread alone")
    func nested() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        _ = try container.resolve(StatefulCounter.self)
        let shut = Locked<GateClosure?>(nil)
        try container.call(StatefulCounter.self) { _ in
            let passed = ThreadContext.current.gates
            #expect(isNotedByThread && passed.count == 1 && passed.first === gate)
            Threads.run(1) { _ in
                let closure = GateClosure([gate])
                #expect(!closure.settles(within: .zero))
                #expect(!closure.waitsForCallers)
                shut.withLock { $0 = closure }
            }
            let closure = try #require(shut.withLock { $0 })
            #expect(closure.waitsForCallers)
            #expect(try container.call(StatefulCounter.self) { $0.generation } == 1)
            #expect(!closure.settles(within: .zero))
        }
        let closure = try #require(shut.withLock { $0 })
        #expect(!closure.waitsForCallers && closure.settles(within: Patience.limit))
        closure.open()
    }

    @Test("go through as many gates within each other as they like")
    func depth() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        func call(_ depth: Int) throws -> Int {
            try container.call(StatefulCounter.self) { counter in
                depth == 0 ? counter.generation : try call(depth - 1)
            }
        }
        #expect(try call(20) == 1)
        #expect(ThreadContext.current.gates.isEmpty)
        expectNoCall(behind: gate)
    }

    @Test("leave the gate when nothing can be created, or the service throws")
    func failures() throws {
        let registrar = generation(of: "broken") { registrar in
            registrar.lifecycle(StatefulCounter(1))
            registrar.register(Int.self) { _ in throw Broken(what: "factory") }
            registrar.register(String.self, scope: .shared) { _ in "" }
        }
        try registrar.commit(to: container)
        let gate = try #require(registrar.gate)
        container.accounts.set([:], sharing: false, keepingUsual: true)
        #expect(throws: ResolutionError.self) { try container.call(Int.self) { _ in } }
        for error: any Error in [Broken(what: "call"), CancellationError()] {
            #expect(throws: (any Error).self) {
                try container.call(String.self) { _ in throw error }
            }
        }
        #expect(!isNotedByThread && ThreadContext.current.gates.isEmpty)
        let calls = try #require(container.accounts.usualCalls(of: "broken"))
        #expect((calls.calls, calls.errors, calls.open) == (2, 1, 0))
        expectNoCall(behind: gate)
    }

    @Test("that do not return are noted as calls that hang, once each")
    func hanging() throws {
        try engines(1).commit(to: container)
        _ = try container.resolve((any Engine).self)
        let account = CallAccount()
        container.accounts.set(["engines": account], sharing: false, keepingUsual: false)
        let (goOn, ended) = (DispatchSemaphore(value: 0), Counter())
        for _ in 0..<3 {
            Threads.start { [container] in
                try? container.call((any Engine).self) { _ in goOn.wait() }
                ended.next()
            }
        }
        try Patience.wait(for: "the calls to begin") {
            account.tally(hangingAfter: .seconds(60)).open == 3
        }
        let late = account.tally(
            hangingAfter: .seconds(60), at: CallClock.nanoseconds + 61_000_000_000)
        #expect((late.calls, late.errors, late.hanging) == (3, 3, 3))
        for _ in 0..<3 { goOn.signal() }
        try Patience.wait(for: "the calls to end") { ended.count == 3 }
        let end = account.tally(hangingAfter: .seconds(60))
        #expect((end.calls, end.errors, end.hanging, end.open) == (3, 3, 0, 0))
    }

    @Test("are each noted where they began, and mix nothing, while accounts and modules change")
    func race() async throws {
        container.expectExchanges()
        try engines(0).commit(to: container)
        let accounts = Locked([CallAccount()])
        let judge = { @Sendable [container] in
            let account = CallAccount()
            accounts.withLock { $0.append(account) }
            container.accounts.set(["engines": account], sharing: false, keepingUsual: false)
        }
        judge()
        let (begun, mixed) = (Counter(), Counter())
        let callers = Repeating()
        for _ in 0..<3 {
            callers.onThread { [container] in
                for _ in 0..<100 {
                    try container.call((any Engine).self) { engine in
                        let same = [
                            try container.resolve(Int.self), try container.call(Int.self) { $0 },
                        ]
                        if same != [engine.id, engine.id] { mixed.next() }
                    }
                    begun.next()
                    begun.next()
                }
            }
        }
        // Tasks note theirs, which end on any thread.
        callers.inTask { [container] in
            try await container.callAsync((any Engine).self) { engine in
                await Task.yield()
                if try container.resolve(Int.self) != engine.id { mixed.next() }
            }
            begun.next()
        }
        for number in 1...Soak.rounds(2_000) {
            _ = try engines(number).replace(in: container)
            judge()
        }
        try await callers.end()
        #expect(mixed.count == 0)
        try container.waitForFront()
        let tallies = accounts.withLock { $0.map { $0.tally(hangingAfter: .seconds(60)) } }
        #expect(tallies.map(\.calls).reduce(0, +) == begun.count)
        #expect(tallies.allSatisfy { $0.errors == 0 && $0.open == 0 })
    }
}
