// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Foundation
import Synchronization
import Testing

@testable import EavesRegistry

@Suite("The gate of a module that keeps state", .onOwnThreads, .patiently)
struct CallGateTests {
    /// A service that keeps state.
    private final class Counter: Lifecycle, StateHandover, Sendable {
        let generation: Int
        private let count: Atomic<Int>

        init(_ generation: Int, count: Int = 0) {
            self.generation = generation
            self.count = Atomic(count)
        }

        var value: Int { count.load(ordering: .sequentiallyConsistent) }

        /// Loses what another thread adds at the same time.
        func add() {
            let value = value
            count.store(value + 1, ordering: .sequentiallyConsistent)
        }

        func snapshot() throws -> [UInt8] { [] }
        func restore(_ snapshot: [UInt8]) throws {}
    }

    private let container = Container()

    private func register(_ counter: Counter, module: String = "counter") throws {
        let registrar = StagedRegistrar(module: module, settings: Settings())
        registrar.lifecycle(counter)
        registrar.register(Counter.self, scope: .shared) { _ in counter }
        _ = try registrar.replace(in: container)
    }

    @Test("is there for modules that keep state alone")
    func modules() throws {
        let registrar = StagedRegistrar(module: "plain", settings: Settings())
        registrar.register(Int.self, scope: .transient) { _ in 7 }
        try registrar.commit(to: container)
        #expect(!container.gates.isOn)
        #expect(try container.measured(Int.self, name: nil).meter == nil)
        try register(Counter(1))
        #expect(container.gates.isOn)
        #expect(try container.measured(Int.self, name: nil).meter == nil)
        #expect(try container.measured(Counter.self, name: nil).meter != nil)
        let child = Container(parent: container)
        #expect(try child.measured(Counter.self, name: nil).meter != nil)
        #expect(throws: ResolutionError.self) { try container.measured(String.self, name: nil) }
        // A service that cannot be given leaves the gate as it was.
        let closure = container.gates.shut(["counter", "plain", "unknown"])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("waits for the calls that are under way, and holds those back that begin")
    func order() throws {
        try register(Counter(1))
        let (inside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        let seen = Locked<[Int]>([])
        Thread.detachNewThread { [container] in
            try? container.call(Counter.self) { counter in
                inside.signal()
                goOn.wait()
                seen.withLock { $0.append(counter.generation) }
            }
            ended.signal()
        }
        inside.wait()
        let closure = container.gates.shut(["counter"])
        #expect(!closure.settles(within: .milliseconds(5)))
        Thread.detachNewThread { [container] in
            try? container.call(Counter.self) { counter in
                seen.withLock { $0.append(counter.generation) }
            }
            ended.signal()
        }
        goOn.signal()
        ended.wait()
        #expect(closure.settles(within: Patience.limit))
        #expect(seen.withLock { $0 } == [1])
        try register(Counter(2))
        closure.open()
        ended.wait()
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test("suspends a task, and lets its thread go on")
    func tasks() async throws {
        try register(Counter(1))
        let closure = container.gates.shut(["counter"])
        #expect(closure.settles(within: .zero))
        let tasks = (0..<100).map { _ in
            Task { [container] in
                try await container.callAsync(Counter.self) { counter in
                    await Task.yield()
                    return counter.generation
                }
            }
        }
        try register(Counter(2))
        closure.open()
        for task in tasks { #expect(try await task.value == 2) }
        let next = container.gates.shut(["counter"])
        #expect(next.settles(within: .zero), "every call has left")
        next.open()
    }

    @Test("asks another module's gate when another module has the service meanwhile")
    func otherModule() async throws {
        try register(Counter(1))
        let closure = container.gates.shut(["counter"])
        let tasks = (0..<20).map { _ in
            Task { [container] in
                try await container.callAsync(Counter.self) { $0.generation }
            }
        }
        await Task.yield()
        let registrar = StagedRegistrar(module: "other", settings: Settings())
        let counter = Counter(2)
        registrar.lifecycle(counter)
        registrar.register(Counter.self, scope: .shared) { _ in counter }
        registrar.override(in: container)
        closure.open()
        for task in tasks { #expect(try await task.value == 2) }
    }

    @Test("lets those pass that a call needs which is waited for, wherever they run")
    func nested() async throws {
        try register(Counter(1))
        let container = container
        let shut = Locked<GateClosure?>(nil)
        let all = try await container.callAsync(Counter.self) { counter in
            shut.withLock { $0 = container.gates.shut(["counter"]) }
            let same = try container.call(Counter.self) { $0.generation }
            async let child = container.callAsync(Counter.self) { $0.generation }
            let other = Task { try await container.callAsync(Counter.self) { $0.generation } }
            return [counter.generation, same, try await child, try await other.value]
        }
        #expect(all == [1, 1, 1, 1])
        let closure = try #require(shut.withLock { $0 })
        #expect(closure.settles(within: Patience.limit))
        closure.open()
    }

    @Test("opens again when calls do not end, and they are counted the next time")
    func late() throws {
        try register(Counter(1))
        let meter = try #require(try container.measured(Counter.self, name: nil).meter)
        let closure = container.gates.shut(["counter"])
        #expect(!closure.settles(within: .zero))
        closure.open()
        #expect(try container.call(Counter.self) { $0.generation } == 1)
        let next = container.gates.shut(["counter"])
        #expect(!next.settles(within: .zero))
        meter.note(nanoseconds: 1, isError: true)
        #expect(next.settles(within: Patience.limit))
        next.open()
    }

    @Test("a call that nobody notes has ended when nobody has its meter")
    func forgotten() throws {
        try register(Counter(1))
        _ = try container.measured(Counter.self, name: nil)
        let closure = container.gates.shut(["counter"])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("the thread that has shut it passes, so that it can go on to open it")
    func ownThread() throws {
        try register(Counter(1))
        let closure = container.gates.shut(["counter"])
        #expect(closure.settles(within: .zero))
        #expect(try container.call(Counter.self) { $0.generation } == 1)
        closure.open()
    }

    @Test("no call is lost while one object takes the place of another, again and again")
    func race() async throws {
        let rounds = Soak.rounds(2_000)
        var counter = Counter(0)
        try register(counter)
        let writing = Writing(container)
        writing.begin()
        for round in 1...rounds {
            let closure = container.gates.shut(["counter"])
            #expect(closure.settles(within: Patience.limit))
            let next = Counter(round, count: counter.value)
            try register(next)
            closure.open()
            counter = next
        }
        #expect(await writing.end() == counter.value)
    }

    /// Two threads and two tasks that write.
    private final class Writing: Sendable {
        private let container: Container
        private let isOver = Atomic(false)
        private let count = Atomic(0)
        private let lock = NSLock()
        private let threads = DispatchGroup()
        private let tasks = Locked<[Task<Void, any Error>]>([])

        init(_ container: Container) {
            self.container = container
        }

        func begin() {
            for _ in 0..<2 {
                threads.enter()
                Thread.detachNewThread { [self] in
                    defer { threads.leave() }
                    while !isOver.load(ordering: .relaxed) {
                        let hasWritten: Void? = try? container.call(Counter.self, write)
                        if hasWritten != nil { count.add(1, ordering: .relaxed) }
                    }
                }
            }
            tasks.withLock { tasks in
                tasks = (0..<2).map { _ in
                    Task { [self] in
                        while !isOver.load(ordering: .relaxed) {
                            try await container.callAsync(Counter.self) { counter in
                                await Task.yield()
                                write(counter)
                            }
                            count.add(1, ordering: .relaxed)
                        }
                    }
                }
            }
        }

        private func write(_ counter: Counter) { lock.withLock { counter.add() } }

        /// Returns the number of calls that have written.
        func end() async -> Int {
            isOver.store(true, ordering: .relaxed)
            for task in tasks.withLock({ $0 }) { _ = await task.result }
            await withCheckedContinuation { continuation in
                threads.notify(queue: .global()) { continuation.resume() }
            }
            return count.load(ordering: .acquiring)
        }
    }
}
