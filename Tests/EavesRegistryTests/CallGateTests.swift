// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Foundation
import Synchronization
import Testing

@testable import EavesRegistry

@Suite("The gate of a module with a life cycle", .onOwnThreads, .patiently)
struct CallGateTests {
    /// A service that keeps state.
    private final class Counter: Lifecycle, StateHandover, Sendable {
        let generation: Int
        let isStopped = Flag()
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

    private func registrar(_ counter: Counter, module: String) -> StagedRegistrar {
        let registrar = StagedRegistrar(module: module, settings: Settings())
        registrar.lifecycle(counter)
        registrar.register(Counter.self, scope: .shared) { _ in counter }
        return registrar
    }

    /// Lets a counter take the place of the one before.
    ///
    /// - Returns: Its gate.
    @discardableResult
    private func register(_ counter: Counter, module: String = "counter") throws -> CallGate {
        let registrar = registrar(counter, module: module)
        _ = try registrar.replace(in: container)
        return try #require(registrar.gate)
    }

    @Test("is there for modules with a life cycle alone")
    func modules() throws {
        let registrar = StagedRegistrar(module: "plain", settings: Settings())
        registrar.register(Int.self, scope: .transient) { _ in 7 }
        try registrar.commit(to: container)
        #expect(registrar.gate == nil)
        #expect(!container.hasGates)
        #expect(try container.measured(Int.self, name: nil).meter == nil)
        let gate = try register(Counter(1))
        #expect(container.hasGates)
        #expect(try container.measured(Int.self, name: nil).meter == nil)
        #expect(try container.measured(Counter.self, name: nil).meter != nil)
        let child = Container(parent: container)
        #expect(try child.measured(Counter.self, name: nil).meter != nil)
        #expect(throws: ResolutionError.self) { try container.measured(String.self, name: nil) }
        // A service that cannot be given leaves the gate as it was.
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("waits for the calls that are under way, and holds those back that begin")
    func order() throws {
        let gate = try register(Counter(1))
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
        let closure = GateClosure([gate])
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
        let gate = try register(Counter(1))
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        let tasks = (0..<100).map { _ in
            Task { [container] in
                try await container.callAsync(Counter.self) { counter in
                    await Task.yield()
                    return counter.generation
                }
            }
        }
        let nextGate = try register(Counter(2))
        closure.open()
        for task in tasks { #expect(try await task.value == 2) }
        let next = GateClosure([nextGate])
        #expect(next.settles(within: .zero), "every call has left")
        next.open()
    }

    @Test("asks another module's gate when another module has the service meanwhile")
    func otherModule() async throws {
        let gate = try register(Counter(1))
        let closure = GateClosure([gate])
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
        let gate = try register(Counter(1))
        let container = container
        let shut = Locked<GateClosure?>(nil)
        let all = try await container.callAsync(Counter.self) { counter in
            shut.withLock { $0 = GateClosure([gate]) }
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

    @Test("waits for what is a part of a call that it waits for, and not for parts of other calls")
    func parts() async throws {
        let gate = try register(Counter(1))
        let other = StagedRegistrar(module: "other", settings: Settings())
        other.lifecycle(Counter(2))
        other.register(Int.self, scope: .transient) { _ in 7 }
        try other.commit(to: container)
        let closure = GateClosure([gate])
        defer { closure.open() }
        #expect(!closure.waits(for: GatedCall.current))
        try container.call(Int.self) { _ in #expect(!closure.waits(for: GatedCall.current)) }
        // The thread that has shut the gate passes.
        let (goOn, ended) = (Gate(), Kept<Task<Bool, Never>>())
        try container.call(Counter.self) { _ in
            #expect(closure.waits(for: GatedCall.current))
            try container.call(Int.self) { _ in #expect(closure.waits(for: GatedCall.current)) }
            ended.value = Task {
                await goOn.wait()
                return closure.waits(for: GatedCall.current)
            }
        }
        goOn.open()
        #expect(await ended.value?.value == false, "the call that started the task has ended")
    }

    @Test("opens again when calls do not end, and they are counted the next time")
    func late() throws {
        let gate = try register(Counter(1))
        let meter = try #require(try container.measured(Counter.self, name: nil).meter)
        let closure = GateClosure([gate])
        #expect(!closure.settles(within: .zero))
        closure.open()
        #expect(try container.call(Counter.self) { $0.generation } == 1)
        let next = GateClosure([gate])
        #expect(!next.settles(within: .zero))
        meter.note(nanoseconds: 1, isError: true)
        #expect(next.settles(within: Patience.limit))
        next.open()
    }

    @Test("a call that nobody notes has ended when nobody has its meter")
    func forgotten() throws {
        let gate = try register(Counter(1))
        _ = try container.measured(Counter.self, name: nil)
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("the thread that has shut it passes, so that it can go on to open it")
    func ownThread() throws {
        let gate = try register(Counter(1))
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        #expect(try container.call(Counter.self) { $0.generation } == 1)
        closure.open()
    }

    /// A way to call a service.
    enum Way: CaseIterable {
        case call, callAsync, handle, firstBorrow, child, name, canary
    }

    /// Calls the counter, and ends with the call.
    private func call(_ way: Way, _ body: @escaping @Sendable (Counter) -> Void) throws {
        switch way {
        case .call, .canary: try container.call(Counter.self, body)
        case .callAsync:
            let isOver = Signal("the end of the task")
            Task { [container] in
                try await container.callAsync(Counter.self, body)
                isOver.signal()
            }
            isOver.wait()
        case .handle:
            var handle = try container.handle(Counter.self)
            try handle.borrow(body)
        case .firstBorrow: try container.borrow(Counter.self, body)
        case .child: try Container(parent: container).call(Counter.self, body)
        case .name: try container.call(Counter.self, name: "other", body)
        }
    }

    @Test("a generation has drained when the last of its calls has ended", arguments: Way.allCases)
    func draining(way: Way) throws {
        try registrar(Counter(1), module: "counter").commit(
            to: container, alsoNamed: { _ in ["other"] })
        if way == .canary {
            try registrar(Counter(7), module: "stable").commit(to: container) { _ in false }
            container.rebind(
                where: { $0.module == "stable" },
                sharing: { _ in
                    CallShares(
                        stable: CallShares.Arm("stable", weight: 0),
                        canaries: [CallShares.Arm("counter", weight: 1)])
                })
        }
        let (inside, goOn) = (Signal("the call"), DispatchSemaphore(value: 0))
        let seen = Kept<Int>()
        Thread.detachNewThread {
            try? call(way) { counter in
                seen.value = counter.generation
                inside.signal()
                goOn.wait()
            }
        }
        inside.wait()
        #expect(seen.value == 1)
        let retired = try registrar(Counter(2), module: "counter").replace(
            in: container, where: { _ in way != .canary }, alsoNamed: { _ in ["other"] })
        let isDrained = Signal("the end of the call")
        retired.onDrained { isDrained.signal() }
        #expect(!retired.isDrained)
        try call(way) { seen.value = $0.generation }
        #expect(seen.value == 2)
        #expect(!retired.isDrained)
        goOn.signal()
        isDrained.wait()
        #expect(retired.isDrained)
    }

    @Test("a module that is taken back has drained when the last of its calls has ended")
    func unregistering() throws {
        try register(Counter(1))
        let call = try container.measured(Counter.self, name: nil)
        let retired = container.retire(module: "counter")
        #expect(!retired.isDrained)
        #expect(throws: ResolutionError.self) { try container.call(Counter.self) { _ in } }
        let isDrained = Signal("the end of the call")
        retired.onDrained { isDrained.signal() }
        call.meter?.note(nanoseconds: 1, isError: false)
        isDrained.wait()
        #expect(retired.isDrained)
    }

    @Test("no call is under way in a generation that has drained, however often it is exchanged")
    func drainingRace() async throws {
        var counter = Counter(0)
        try register(counter)
        let calling = Calling(container)
        try calling.begin()
        for round in 1...Soak.rounds(2_000) {
            let next = Counter(round)
            let retired = try registrar(next, module: "counter").replace(in: container)
            retired.onDrained { [counter] in counter.isStopped.set() }
            counter = next
            sched_yield()
        }
        #expect(try await calling.end() == nil)
    }

    @Test("no call is lost while one object takes the place of another, again and again")
    func race() async throws {
        let rounds = Soak.rounds(2_000)
        var counter = Counter(0)
        var gate = try register(counter)
        let writing = Writing(container)
        writing.begin()
        for round in 1...rounds {
            let closure = GateClosure([gate])
            #expect(closure.settles(within: Patience.limit))
            let next = Counter(round, count: counter.value)
            gate = try register(next)
            closure.open()
            counter = next
        }
        #expect(await writing.end() == counter.value)
    }

    /// Something that has happened or not.
    final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }

    /// Two threads and a task that call, each in another way, and look whether a counter is stopped under them.
    private final class Calling: Sendable {
        private let container: Container
        private let isOver = Flag()
        private let fault = Kept<String>()
        private let threads = DispatchGroup()
        private let task = Kept<Task<Void, any Error>>()

        init(_ container: Container) {
            self.container = container
        }

        func begin() throws {
            thread { [self] in try? container.call(Counter.self, look) }
            thread { [self] in
                var handle = try? container.handle(Counter.self)
                for _ in 0..<10 { try? handle?.borrow(look) }
            }
            task.value = Task { [self] in
                while !isOver.isSet { try await container.callAsync(Counter.self) { look($0) } }
            }
        }

        private func thread(_ body: @escaping @Sendable () -> Void) {
            threads.enter()
            Thread.detachNewThread { [self] in
                while !isOver.isSet { body() }
                threads.leave()
            }
        }

        private func look(_ counter: Counter) {
            if counter.isStopped.isSet { fault.value = "stopped before the call" }
            for _ in 0..<10 { sched_yield() }
            if counter.isStopped.isSet { fault.value = "stopped within the call" }
        }

        /// Returns what was seen that must not be.
        func end() async throws -> String? {
            isOver.set()
            try await task.value?.value
            await withCheckedContinuation { continuation in
                threads.notify(queue: .global()) { continuation.resume() }
            }
            return fault.value
        }
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
