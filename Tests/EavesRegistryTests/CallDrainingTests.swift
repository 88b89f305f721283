// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesRegistry

@Suite("Draining of a module with a life cycle", .onOwnThreads, .patiently)
struct CallDrainingTests {
    private let container = Container()

    /// A way to call a service.
    enum Way: CaseIterable {
        case call, callAsync, handle, firstBorrow, child, name, canary
    }

    /// Calls the counter, and ends with the call.
    private func call(_ way: Way, _ body: @escaping @Sendable (StatefulCounter) -> Void) throws {
        switch way {
        case .call, .canary: try container.call(StatefulCounter.self, body)
        case .callAsync:
            let isOver = Signal("the end of the task")
            Task { [container] in
                try await container.callAsync(StatefulCounter.self, body)
                isOver.signal()
            }
            isOver.wait()
        case .handle:
            var handle = try container.handle(StatefulCounter.self)
            try handle.borrow(body)
        case .firstBorrow: try container.borrow(StatefulCounter.self, body)
        case .child: try Container(parent: container).call(StatefulCounter.self, body)
        case .name: try container.call(StatefulCounter.self, name: "other", body)
        }
    }

    @Test("a generation has drained when the last of its calls has ended", arguments: Way.allCases)
    func draining(way: Way) throws {
        try StatefulCounter(1).generation().commit(
            to: container, alsoNamed: { _ in ["other"] })
        if way == .canary {
            try StatefulCounter(7).generation(of: "stable").commit(to: container) { _ in false }
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
        Threads.start {
            try? call(way) { counter in
                seen.value = counter.generation
                inside.signal()
                goOn.wait()
            }
        }
        inside.wait()
        #expect(seen.value == 1)
        let retired = try StatefulCounter(2).generation().replace(
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
        try container.exchange(for: StatefulCounter(1))
        let call = try container.measured(StatefulCounter.self, name: nil).call
        let retired = container.retire(module: "counter")
        #expect(!retired.isDrained)
        #expect(throws: ResolutionError.self) { try container.call(StatefulCounter.self) { _ in } }
        let isDrained = Signal("the end of the call")
        retired.onDrained { isDrained.signal() }
        call.running?.end()
        isDrained.wait()
        #expect(retired.isDrained)
    }

    @Test("no call is under way in a generation that has drained, however often it is exchanged")
    func race() async throws {
        var counter = StatefulCounter(0)
        try container.exchange(for: counter)
        let fault = Kept<String>()
        let look = { @Sendable (counter: StatefulCounter) in
            let isStopped = { counter.isStopped.load(ordering: .acquiring) }
            if isStopped() { fault.value = "stopped before the call" }
            for _ in 0..<10 { sched_yield() }
            if isStopped() { fault.value = "stopped within the call" }
        }
        let callers = Repeating()
        callers.onThread { [container] in try container.call(StatefulCounter.self, look) }
        callers.onThread { [container] in
            var handle = try container.handle(StatefulCounter.self)
            for _ in 0..<10 { try handle.borrow(look) }
        }
        callers.inTask { [container] in
            try await container.callAsync(StatefulCounter.self) { look($0) }
        }
        for round in 1...Soak.rounds(2_000) {
            let next = StatefulCounter(round)
            let retired = try next.generation().replace(in: container)
            retired.onDrained { [counter] in counter.isStopped.store(true, ordering: .releasing) }
            counter = next
            sched_yield()
        }
        try await callers.end()
        #expect(fault.value == nil)
    }
}
