// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Foundation
import Testing

@testable import EavesRegistry

@Suite("The gate of a module with a life cycle", .onOwnThreads, .patiently)
struct CallGateTests {
    private let container = Container()

    @Test("is there for modules with a life cycle alone")
    func modules() throws {
        let registrar = generation(of: "plain") {
            $0.register(Int.self, scope: .transient) { _ in 7 }
        }
        try registrar.commit(to: container)
        #expect(registrar.gate == nil)
        #expect(container.callNotes.areEmpty)
        #expect(try container.measured(Int.self, name: nil).call.running == nil)
        let gate = try container.exchange(for: StatefulCounter(1))
        #expect(!container.callNotes.areEmpty)
        #expect(try container.measured(Int.self, name: nil).call.running?.isThrough([]) == true)
        let child = Container(parent: container)
        for container in [container, child] {
            let call = try container.measured(StatefulCounter.self, name: nil).call.running
            #expect(call?.isUnderWay { $0 === gate } == true)
        }
        #expect(throws: ResolutionError.self) { try container.measured(String.self, name: nil) }
        // A service that cannot be given leaves the gate as it was.
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("waits for the calls that are under way, and holds those back that begin")
    func order() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let (inside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        let seen = Locked<[Int]>([])
        Thread.detachNewThread { [container] in
            try? container.call(StatefulCounter.self) { counter in
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
            try? container.call(StatefulCounter.self) { counter in
                seen.withLock { $0.append(counter.generation) }
            }
            ended.signal()
        }
        goOn.signal()
        ended.wait()
        #expect(closure.settles(within: Patience.limit))
        #expect(seen.withLock { $0 } == [1])
        try container.exchange(for: StatefulCounter(2))
        closure.open()
        ended.wait()
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test("suspends a task, and lets its thread go on")
    func tasks() async throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        let tasks = (0..<100).map { _ in
            Task { [container] in
                try await container.callAsync(StatefulCounter.self) { counter in
                    await Task.yield()
                    return counter.generation
                }
            }
        }
        let nextGate = try container.exchange(for: StatefulCounter(2))
        closure.open()
        for task in tasks { #expect(try await task.value == 2) }
        let next = GateClosure([nextGate])
        #expect(next.settles(within: .zero), "every call has left")
        next.open()
    }

    @Test("asks another module's gate when another module has the service meanwhile")
    func otherModule() async throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let closure = GateClosure([gate])
        let tasks = (0..<20).map { _ in
            Task { [container] in
                try await container.callAsync(StatefulCounter.self) { $0.generation }
            }
        }
        await Task.yield()
        StatefulCounter(2).generation(of: "other").override(in: container)
        closure.open()
        for task in tasks { #expect(try await task.value == 2) }
    }

    @Test("lets those pass that a call needs which is waited for, wherever they run")
    func nested() async throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let container = container
        let shut = Locked<GateClosure?>(nil)
        let all = try await container.callAsync(StatefulCounter.self) { counter in
            shut.withLock { $0 = GateClosure([gate]) }
            let same = try container.call(StatefulCounter.self) { $0.generation }
            async let child = container.callAsync(StatefulCounter.self) { $0.generation }
            let other = Task {
                try await container.callAsync(StatefulCounter.self) { $0.generation }
            }
            return [counter.generation, same, try await child, try await other.value]
        }
        #expect(all == [1, 1, 1, 1])
        let closure = try #require(shut.withLock { $0 })
        #expect(closure.settles(within: Patience.limit))
        closure.open()
    }

    @Test("waits for what is a part of a call that it waits for, and not for parts of other calls")
    func parts() async throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        try generation(of: "other") { registrar in
            registrar.lifecycle(StatefulCounter(2))
            registrar.register(Int.self, scope: .transient) { _ in 7 }
        }.commit(to: container)
        let closure = GateClosure([gate])
        defer { closure.open() }
        #expect(!closure.waitsForCallers)
        try container.call(Int.self) { _ in #expect(!closure.waitsForCallers) }
        // The thread that has shut the gate passes.
        let (goOn, ended) = (Gate(), Kept<Task<Bool, Never>>())
        try container.call(StatefulCounter.self) { _ in
            #expect(closure.waitsForCallers)
            try container.call(Int.self) { _ in #expect(closure.waitsForCallers) }
            ended.value = Task {
                await goOn.wait()
                return closure.waitsForCallers
            }
        }
        goOn.open()
        #expect(await ended.value?.value == false, "the call that started the task has ended")
    }

    @Test("opens again when calls do not end, and they are counted the next time")
    func late() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let call = try #require(
            try container.measured(StatefulCounter.self, name: nil).call.running)
        let closure = GateClosure([gate])
        #expect(!closure.settles(within: .zero))
        closure.open()
        #expect(try container.call(StatefulCounter.self) { $0.generation } == 1)
        let next = GateClosure([gate])
        #expect(!next.settles(within: .zero))
        call.end()
        #expect(next.settles(within: Patience.limit))
        next.open()
    }

    @Test(
        "tells apart which calls go on since it was shut in vain, and leaves them out after a time")
    func lasting() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let (start, patience) = (ContinuousClock.now, Duration.seconds(30))
        let isInVain = { GateClosure.isInVain([gate], leavingOutAfter: patience, at: start + $0) }
        let late = try #require(
            try container.measured(StatefulCounter.self, name: nil).call.running)
        #expect(gate.lastingCalls() == nil && !isInVain(.zero), "nothing was shut")
        let first = GateClosure([gate], leavingOutAfter: patience)
        #expect(!first.settles(within: .zero))
        first.open(at: start)
        let later = try #require(
            try container.measured(StatefulCounter.self, name: nil).call.running)
        #expect(
            gate.lastingCalls(at: start + .seconds(3))
                == LastingCalls(services: ["StatefulCounter"], time: .seconds(3)))
        #expect(isInVain(.zero) && isInVain(.seconds(29)) && !isInVain(.seconds(30)))
        let second = GateClosure([gate], leavingOutAfter: patience)
        #expect(!second.settles(within: .zero))
        second.open(at: start + .seconds(20))
        #expect(gate.lastingCalls(at: start + .seconds(30))?.time == .seconds(30))
        let last = GateClosure([gate], leavingOutAfter: .zero)
        #expect(last.settles(within: .zero))
        #expect(last.leftOut.map(\.calls.services) == [["StatefulCounter"]])
        last.open()
        late.end()
        #expect(
            gate.lastingCalls() == nil && !isInVain(.zero), "the later call has put off nothing")
        // That call is waited for anew, and left out with another one's patience alone.
        let next = GateClosure([gate], leavingOutAfter: .zero)
        #expect(!next.settles(within: .zero))
        later.end()
        #expect(next.settles(within: Patience.limit) && next.leftOut.isEmpty)
        next.open()
    }

    @Test(
        "leaves out calls that have gone on for as long as they may",
        arguments: [(29, false), (30, true), (299, true)])
    func leavingOut(_ seconds: Int, _ isLeftOut: Bool) throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let call = try #require(
            try container.measured(StatefulCounter.self, name: nil).call.running)
        let first = GateClosure([gate])
        #expect(!first.settles(within: .zero))
        first.open(at: .now - .seconds(seconds))
        let second = GateClosure([gate], leavingOutAfter: .seconds(30))
        #expect(second.settles(within: .zero) == isLeftOut)
        second.open()
        call.end()
    }

    @Test("a call that nobody ends has ended when nobody has it")
    func forgotten() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        _ = try container.measured(StatefulCounter.self, name: nil)
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        closure.open()
    }

    @Test("tells of each call that waits, also of one that waits already")
    func waiting() async throws {
        let counter = StatefulCounter(1)
        let gate = try container.exchange(for: counter)
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        let (waiting, second) = (Signal("a call that waits"), Signal("a second call"))
        closure.onWaiting { waiting.signal() }
        let onThread = Signal()
        Threads.start { [container] in
            try? container.call(StatefulCounter.self) { $0.add() }
            onThread.signal()
        }
        await waiting.come()
        closure.onWaiting { second.signal() }
        await second.come()
        let inTask = Task { [container] in
            try await container.callAsync(StatefulCounter.self) { $0.add() }
        }
        await second.come()
        #expect(counter.value == 0)
        closure.open()
        await onThread.come()
        try await inTask.value
        #expect(counter.value == 2)
    }

    @Test("the thread that has shut it passes, so that it can go on to open it")
    func ownThread() throws {
        let gate = try container.exchange(for: StatefulCounter(1))
        let closure = GateClosure([gate])
        #expect(closure.settles(within: .zero))
        #expect(try container.call(StatefulCounter.self) { $0.generation } == 1)
        closure.open()
    }

    @Test("no call is lost while one object takes the place of another, again and again")
    func race() async throws {
        var counter = StatefulCounter(0)
        var gate = try container.exchange(for: counter)
        let written = Locked(0)
        let writers = writers(noting: written)
        for round in 1...Soak.rounds(2_000) {
            let closure = GateClosure([gate])
            #expect(closure.settles(within: Patience.limit))
            let next = StatefulCounter(round, count: counter.value)
            gate = try container.exchange(for: next)
            closure.open()
            counter = next
        }
        try await writers.end()
        #expect(written.withLock { $0 } == counter.value)
    }

    /// Adds to the counter by calls, on two threads and in two tasks.
    ///
    /// - Parameter written: Counts the calls that have ended.
    private func writers(noting written: Locked<Int>) -> Repeating {
        let lock = NSLock()
        let write = { @Sendable (counter: StatefulCounter) in lock.withLock { counter.add() } }
        let writers = Repeating()
        for _ in 0..<2 {
            writers.onThread { [container] in
                try container.call(StatefulCounter.self, write)
                written.withLock { $0 += 1 }
            }
            writers.inTask { [container] in
                try await container.callAsync(StatefulCounter.self) { counter in
                    await Task.yield()
                    write(counter)
                }
                written.withLock { $0 += 1 }
            }
        }
        return writers
    }
}
