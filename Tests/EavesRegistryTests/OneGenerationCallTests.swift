// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesRegistry

@Suite("What a call creates, while modules are exchanged", .promptly, .patiently)
struct OneGenerationCallTests {
    private let container: Container

    init() throws {
        container = Container()
        container.expectExchanges()
        try engines(1).commit(to: container)
    }

    /// A module with two services that are numbers, and a shared one.
    private func engines(_ number: Int) -> StagedRegistrar {
        generation(of: "engines") { registrar in
            registrar.register(Int.self) { _ in number }
            registrar.register(Int.self, name: "other") { _ in number }
            registrar.registerAsync(Int.self, name: "awaited") { resolver in
                try await resolver.resolveAsync(Int.self, name: "other")
            }
            registrar.register((any Engine).self, scope: .shared) { _ in NumberedEngine(number) }
        }
    }

    /// Exchanges the module.
    @discardableResult
    private func exchange(_ number: Int) throws -> RetiredInstances {
        try engines(number).replace(in: container)
    }

    @Test("comes from the generation with which it began, by every way of asking")
    func everyWay() async throws {
        let container = container
        let all = try await container.callAsync(Int.self) { first in
            try exchange(2)
            #expect(container.isOnDetour)
            async let child = container.resolve(Int.self)
            let task = Task { try await container.resolveAsync(Int.self, name: "awaited") }
            let provider = Provider<Int>(asking: container)
            let others = [
                try container.resolve(Int.self, name: "other"),
                try #require(try container.resolveIfProvided(Int.self)),
                try await container.resolveAsync(Int.self, name: "awaited"),
                try await container.resolveOnMainActor(Int.self, name: "other"),
                try provider.get(), try container.borrow(Int.self) { $0 },
                try container.call(Int.self) { $0 },
                try await container.callAsync(Int.self, name: "awaited") { $0 },
                try container.resolve((any Engine).self).id,
            ]
            let engines = try container.resolveAll((any Engine).self).map(\.id)
            return [first] + others + engines + [try await child, try await task.value]
        }
        #expect(all == Array(repeating: 1, count: all.count), "\(all)")
        #expect(try container.resolve(Int.self) == 2)
        try container.waitForFront()
        #expect(try container.call(Int.self) { $0 } == 2)
    }

    @Test("is found at once again when no call is under way that began before")
    func detour() throws {
        let retired = try container.call(Int.self) { _ in
            let retired = try exchange(2)
            #expect(!retired.isDrained)
            #expect(container.isOnDetour)
            // The end of a later call changes nothing.
            Threads.run(1) { [container] _ in
                #expect((try? container.call(Int.self) { $0 }) == 2)
                #expect((try? container.resolve(Int.self)) == 2)
            }
            #expect(container.isOnDetour)
            #expect(try container.resolve(Int.self) == 1)
            return retired
        }
        try container.waitForFront()
        try Patience.wait(for: "the end") { retired.isDrained }
    }

    @Test("follows from one exchange to the next only once it has ended")
    func several() throws {
        try container.call(Int.self) { _ in
            for number in 2..<10 { try exchange(number) }
            #expect(try container.resolve(Int.self) == 1)
            try container.register(String.self, needs: []) { "\(try $0.resolve(Int.self))" }
            #expect(try container.resolve(String.self) == "9", "it came later")
            #expect(try container.resolve(Int.self, name: "other") == 1)
        }
        #expect(try container.resolve(Int.self) == 9)
    }

    @Test("goes to those that it starts, until it has ended")
    func after() async throws {
        let (isExchanged, hasEnded, hasAsked) = (Gate(), Gate(), Gate())
        let container = container
        let task = try await container.callAsync(Int.self) { _ in
            let task = Task {
                await isExchanged.wait()
                let before = try container.resolve(Int.self)
                hasAsked.open()
                await hasEnded.wait()
                return [before, try container.resolve(Int.self)]
            }
            try exchange(2)
            isExchanged.open()
            await hasAsked.wait()
            return task
        }
        hasEnded.open()
        #expect(try await task.value == [1, 2])
    }

    @Test("stays for a resolution that has found it through a call, also when the call has ended")
    func sectionOutlivesCall() async {
        // In a process of its own, no other test resolves anything.
        await #expect(processExitsWith: .success) {
            let tests = try OneGenerationCallTests()
            let container = tests.container
            let (inside, goOn) = (Signal("the factory"), Signal("leave to go on"))
            try generation(of: "slow") { registrar in
                registrar.register(String.self) { resolver in
                    inside.signal()
                    goOn.wait()
                    return "\(try resolver.resolve(Int.self))"
                }
            }.commit(to: container)
            let (retired, task) = try await container.callAsync(Int.self) { _ in
                let retired = try tests.exchange(2)
                let task = Task { try container.resolve(String.self) }
                await inside.come()
                return (retired, task)
            }
            container.reclaim()
            #expect(!retired.isDrained)
            goOn.signal()
            #expect(try await task.value == "1")
            #expect(retired.isDrained)
        }
    }

    @Test("is of the present where others get it, too")
    func forOthers() async throws {
        let container = container
        try generation(of: "cars") { registrar in
            registrar.register((any Car).self, scope: .shared) { resolver in
                KeepingCar(NumberedEngine(try resolver.resolve(Int.self)))
            }
            registrar.registerAsync(String.self, scope: .shared) { resolver in
                "\(try await resolver.resolveAsync(Int.self, name: "awaited"))"
            }
            registrar.registerAsync(Float.self) { resolver in
                let own = try await resolver.resolveAsync(Int.self, name: "awaited")
                let car = try resolver.resolve((any Car).self) as? KeepingCar
                return Float(own * 10 + ((car?.engine as? NumberedEngine)?.id ?? 0))
            }
            registrar.registerOnMainActor(Double.self, scope: .shared) { resolver in
                Double(try resolver.resolve(Int.self))
            }
        }.commit(to: container)
        try await container.callAsync(Int.self) { _ in
            try exchange(2)
            #expect(try container.resolve(Int.self) == 1)
            #expect(try await container.resolveAsync(Float.self) == 12, "its own is of the call")
            let car = try #require(try container.resolve((any Car).self) as? KeepingCar)
            #expect((car.engine as? NumberedEngine)?.id == 2)
            #expect(try await container.resolveAsync(String.self) == "2")
            #expect(try await container.resolveOnMainActor(Double.self) == 2)
            #expect(try container.resolve(Int.self) == 1)
        }
        // An object that a generation has kept for others is not given to them any more.
        #expect(try container.resolve((any Engine).self).id == 2)
    }

    @Test(
        "is of the present where the state is, also while calls are judged",
        arguments: [false, true])
    func state(isJudged: Bool) async throws {
        let container = container
        container.accounts.set([:], sharing: false, keepingUsual: isJudged)
        try container.exchange(for: StatefulCounter(1))
        try await container.callAsync(Int.self) { _ in
            #expect(try container.resolve(StatefulCounter.self).generation == 1)
            try container.exchange(for: StatefulCounter(2))
            #expect(container.isOnDetour)
            #expect(try container.resolve(StatefulCounter.self).generation == 2)
            #expect(try container.call(StatefulCounter.self) { $0.generation } == 2)
            #expect(try container.resolveAll(StatefulCounter.self).map(\.generation) == [2])
            #expect(try container.borrow(StatefulCounter.self) { $0.generation } == 2)
            let awaited = try await container.callAsync(StatefulCounter.self) { $0.generation }
            #expect(awaited == 2)
        }
    }

    /// A module that begins and ends, and keeps no state.
    private final class Plain: Lifecycle, Sendable {}

    @Test("keeps a module with a life cycle from being stopped, and calls it")
    func lifecycle() throws {
        func pumps(_ number: Int) -> StagedRegistrar {
            generation(of: "pumps") { registrar in
                registrar.lifecycle(Plain())
                registrar.register(String.self) { _ in "\(number)" }
            }
        }
        try pumps(1).commit(to: container)
        let retired = try container.call(Int.self) { _ in
            let retired = try pumps(2).replace(in: container)
            #expect(try container.call(String.self) { $0 } == "1")
            #expect(try container.resolve(String.self) == "1")
            #expect(!retired.isDrained)
            return retired
        }
        try Patience.wait(for: "the end") { retired.isDrained }
        #expect(try container.call(String.self) { $0 } == "2")
    }

    @Test("is of the present when the call takes too long, and lets what was exchanged drain")
    func tooLong() throws {
        try container.call(Int.self) { _ in
            let begin = ContinuousClock.now
            let retired = try exchange(2)
            container.endCalls(before: begin)
            #expect(try container.resolve(Int.self) == 1)
            #expect(!retired.isDrained)
            container.endCalls(before: .now)
            #expect(try container.resolve(Int.self) == 2)
            try Patience.wait(for: "the end") { retired.isDrained }
            try container.waitForFront()
            // Calls that have begun since are calls like others.
            Threads.run(1) { [self] _ in
                try? container.call(Int.self) { number in
                    #expect(number == 2)
                    try exchange(3)
                    #expect(try container.resolve(Int.self) == 2)
                }
            }
            #expect(try container.resolve(Int.self) == 3)
        }
        #expect(try container.call(Int.self) { $0 } == 3)
    }

    @Test("does not stay in a handle that others use later")
    func handles() throws {
        var handle = try container.handle(Int.self)
        try container.call(Int.self) { _ in
            try exchange(2)
            #expect(try handle.borrow { $0 } == 1)
        }
        #expect(try handle.borrow { $0 } == 2)
        var other: Handle<Int>? = nil
        try container.call(Int.self) { _ in
            try exchange(3)
            other = try container.handle(Int.self)
        }
        #expect(try other?.borrow { $0 } == 3)
    }

    @Test("comes from that generation in child containers, too")
    func children() throws {
        let child = Container(parent: container)
        try child.register(String.self, needs: []) { "\(try $0.resolve(Int.self))" }
        try child.call(String.self) { first in
            try exchange(2)
            #expect(first == "1")
            #expect(try child.resolve(Int.self) == 1)
            #expect(try container.call(Int.self) { $0 } == 1)
            #expect(try child.call(Int.self) { $0 } == 1)
        }
        #expect(try child.resolve(Int.self) == 2)
        // A call that began at the parent goes on at the child.
        try container.call(Int.self) { _ in
            try exchange(3)
            #expect(try child.resolve(Int.self) == 2)
            #expect(try child.call(Int.self) { $0 } == 2)
        }
    }

    @Test("keeps no call that has ended, also where each call begins within the one before")
    func chain() throws {
        let first = WeakBox()
        var last = try #require(
            try container.measured(Int.self, name: nil).call.running)
        first.remember(last)
        for _ in 0..<10_000 {
            let next = try MeasuredCall.$current.withValue(last) {
                try container.measured(Int.self, name: nil).call.running
            }
            last.end()
            last = try #require(next)
        }
        #expect(first.isEmpty)
        #expect(last.outer == nil)
    }

    @Test("is of the present where nobody expects exchanges")
    func unexpected() throws {
        let container = Container()
        try engines(1).commit(to: container)
        try container.call(Int.self) { _ in
            _ = try engines(2).replace(in: container)
            #expect(try container.resolve(Int.self) == 2)
        }
        #expect(try container.measured(Int.self, name: nil).call.running == nil)
    }
}

extension Container {
    /// Whether calls may be under way that began with another table than the present one.
    var isOnDetour: Bool { !isAtFront(currentTable) }

    /// Waits until no call is under way that began with another table, also of another container.
    func waitForFront() throws {
        try Patience.wait(for: "the end of earlier calls") { !isOnDetour }
    }
}
