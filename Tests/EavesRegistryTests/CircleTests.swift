// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesRegistry

@Suite("Circles of objects", .patiently)
struct CircleTests {
    private let container = Container()

    /// The ways in which code would treat an error, if it saw one.
    enum Manner: CaseIterable {
        case passesOn, ignores, replaces

        func half(_ name: String, from resolver: any Resolver) throws -> Half? {
            switch self {
            case .passesOn: return try resolver.resolve(Half.self, name: name)
            case .ignores: return try? resolver.resolve(Half.self, name: name)
            case .replaces:
                do {
                    return try resolver.resolve(Half.self, name: name)
                } catch {
                    throw Broken(what: name)
                }
            }
        }
    }

    private static func register(
        in container: Container, _ scope: Scope, _ manner: Manner,
        meeting: @escaping @Sendable () -> Void = {}
    ) throws {
        try container.register(Half.self, name: "left", scope: scope) { resolver in
            meeting()
            return Half(try manner.half("right", from: resolver))
        }
        try container.register(Half.self, name: "right", scope: scope, needs: []) { _ in
            Half()
        } completed: { resolver, right in
            meeting()
            right.other = try manner.half("left", from: resolver)
        }
    }

    @Test(
        "two threads that meet half way get whole objects, whatever their factories do with the error",
        arguments: [Scope.shared, .named("session")], Manner.allCases)
    func meeting(scope: Scope, manner: Manner) throws {
        for _ in 0..<Soak.rounds(100) {
            let container = Container()
            let meeting = Meeting()
            try Self.register(in: container, scope, manner) { meeting.wait() }
            let wrong = Counter()
            let unrelated = Counter()
            try container.register((any Wheels).self) { _ in
                unrelated.next()
                throw Broken(what: "wheels")
            }
            Threads.run(2) { number in
                let name = number == 0 ? "left" : "right"
                let half = try? container.resolve(Half.self, name: name)
                if half == nil || half?.other?.other !== half { wrong.next() }
                // Nothing is left behind that another factory on the thread could stumble over.
                _ = try? container.resolve((any Wheels).self)
            }
            #expect(wrong.count == 0)
            #expect(unrelated.count == 2)
            let left = try container.resolve(Half.self, name: "left")
            #expect(try container.resolve(Half.self, name: "right") === left.other)
        }
    }

    @Test("what a factory resolves after it has ignored the error is kept, and made once")
    func afterwards() throws {
        for _ in 0..<Soak.rounds(100) {
            let container = Container()
            let meeting = Meeting()
            let engines = Counter()
            try container.registerEngine(.shared, counting: engines)
            try container.register(Half.self, name: "left", scope: .shared) { resolver in
                meeting.wait()
                let right = try? resolver.resolve(Half.self, name: "right")
                _ = try resolver.resolve((any Engine).self)
                return Half(right)
            }
            try container.register(Half.self, name: "right", scope: .shared, needs: []) { _ in
                Half()
            } completed: { resolver, right in
                meeting.wait()
                right.other = try? resolver.resolve(Half.self, name: "left")
                _ = try resolver.resolve((any Engine).self)
            }
            Threads.run(2) { number in
                _ = try? container.resolve(Half.self, name: number == 0 ? "left" : "right")
            }
            #expect(engines.count == 1)
            #expect(try container.resolve(Half.self, name: "left").other?.other != nil)
        }
    }

    @Test("a thread that asked for another thread's factory leaves nothing behind on itself")
    func helpers() throws {
        for _ in 0..<Soak.rounds(100) {
            let container = Container()
            let meeting = Meeting()
            let (asked, unrelated) = (Counter(), Counter())
            try container.register((any Wheels).self) { _ in
                unrelated.next()
                throw Broken(what: "wheels")
            }
            try container.register((any Car).self, scope: .shared) { [weak container] resolver in
                let (engine, done) = (Kept<any Engine>(), Signal("the helper's end"))
                Threads.start { [container] in
                    meeting.wait()
                    engine.value = try? resolver.resolve((any Engine).self)
                    asked.next()
                    _ = try? container?.resolve((any Wheels).self)
                    done.signal()
                }
                done.wait()
                guard let found = engine.value else { throw Broken(what: "engine") }
                return SimpleCar(engine: found)
            }
            // It is a real cycle, so both fail.
            #expect(try container.failures(ofCrossing: meeting) == 2)
            #expect(asked.count > 0)
            #expect(unrelated.count == asked.count)
        }
    }

    @Test("a lazy value that is a part of a real cycle is an error on both threads")
    func lazy() throws {
        for _ in 0..<Soak.rounds(100) {
            let container = Container()
            let meeting = Meeting()
            let lazy = container.lazy((any Car).self, name: nil)
            try container.register((any Car).self, scope: .shared) { resolver in
                meeting.wait()
                return SimpleCar(engine: try resolver.resolve((any Engine).self))
            }
            try container.register((any Engine).self, scope: .shared) { _ in
                meeting.wait()
                return try lazy.get().engine
            }
            let failures = Threads.failures {
                _ = try lazy.get()
            } and: {
                _ = try container.resolve((any Engine).self)
            }
            #expect(failures == 2)
        }
    }

    // MARK: The order of creation

    @Test(
        "an object whose factory needs one that is completed with it can be asked for first",
        arguments: [Scope.shared, .graph, .weak, .named("session")], Manner.allCases)
    func eitherSide(scope: Scope, manner: Manner) throws {
        for first in ["left", "right"] {
            let container = Container()
            try Self.register(in: container, scope, manner)
            let half = try container.resolve(Half.self, name: first)
            #expect(half.other?.other === half)
            if scope != .graph {
                let second = first == "left" ? "right" : "left"
                #expect(try container.resolve(Half.self, name: second) === half.other)
            }
        }
    }

    @Test("also if it is transient, or others stand between, or it is decorated")
    func between() throws {
        try container.register(Half.self, name: "left") { resolver in
            Half(try resolver.resolve(Half.self, name: "between"))
        }
        try container.register(Half.self, name: "between") { resolver in
            Half(try resolver.resolve(Half.self, name: "right"))
        }
        try container.register(Half.self, name: "right", scope: .shared, needs: []) { _ in
            Half()
        } completed: { resolver, right in
            right.other = try resolver.resolve(Half.self, name: "left")
        }
        let left = try container.resolve(Half.self, name: "left")
        let right = try container.resolve(Half.self, name: "right")
        #expect(left.other?.other === right)
        #expect(right.other?.other?.other === right)

        let other = Container()
        try Self.register(in: other, .shared, .passesOn)
        other.decorate(Half.self, name: "left") { _, left in Half(left) }
        let decorated = try other.resolve(Half.self, name: "left")
        #expect(decorated.other?.other?.other === decorated)
    }

    @Test("also inside another factory, which runs once")
    func inside() throws {
        try Self.register(in: container, .shared, .ignores)
        let runs = Counter()
        try container.register((any Wheels).self, scope: .shared) { resolver in
            let left = try resolver.resolve(Half.self, name: "left")
            #expect(left.other?.other === left)
            return FixedWheels(count: runs.next())
        }
        #expect(try container.resolve((any Wheels).self).count == 1)
    }

    @Test("what cannot be created in any order is an error from either side")
    func neither() throws {
        for first in ["left", "right"] {
            let container = Container()
            try Self.register(in: container, .shared, .passesOn)
            // Its own decorator would have to come before the object is complete.
            container.decorate(Half.self, name: "right") { _, right in right }
            let error = try failure { try container.resolve(Half.self, name: first) }
            #expect(error.kind == "cycle")
            #expect(error.chain.first?.name == first)
            #expect(container.dump.entries.allSatisfy { !$0.isMade })
        }
    }

    @Test("an error of the object that is created first is the error")
    func failing() throws {
        try container.register(Half.self, name: "left", scope: .shared) { resolver in
            Half(try resolver.resolve(Half.self, name: "right"))
        }
        try container.register(Half.self, name: "right", scope: .shared, needs: []) { _ in
            Half()
        } completed: { resolver, right in
            right.other = try resolver.resolve(Half.self, name: "left")
            throw Broken(what: "right")
        }
        let error = try failure { try container.resolve(Half.self, name: "left") }
        #expect(error.kind == "factoryFailed")
        #expect(error.broken?.what == "right")
        #expect(container.dump.entries.allSatisfy { !$0.isMade })
    }
}

/// One of two objects that need each other, for the main actor.
@MainActor
private final class MainHalf {
    var other: MainHalf?

    init(_ other: MainHalf? = nil) {
        self.other = other
    }
}

@Suite("Circles of objects, when they are over", .patiently)
struct CircleKeepingTests {
    @Test(
        "on the main actor, too, an object is kept once, whichever is asked for first",
        arguments: [Scope.shared, .graph, .weak, .named("session")])
    @MainActor
    func mainActor(scope: Scope) throws {
        for (first, second) in [("left", "right"), ("right", "left")] {
            let container = Container()
            try container.register {
                $0.registerOnMainActor(MainHalf.self, name: "left", scope: scope) { resolver in
                    MainHalf(try resolver.resolveOnMainActor(MainHalf.self, name: "right"))
                }
                $0.registerOnMainActor(MainHalf.self, name: "right", scope: scope) { _ in
                    MainHalf()
                } completed: { resolver, right in
                    right.other = try resolver.resolveOnMainActor(MainHalf.self, name: "left")
                }
            }
            let half = try container.resolveOnMainActor(MainHalf.self, name: first)
            #expect(half.other?.other === half)
            if scope != .graph {
                let other = try container.resolveOnMainActor(MainHalf.self, name: second)
                #expect(other === half.other)
            }
        }
    }

    @Test("a thread that helps another one's factory gives a turn back that it took itself")
    func turn() throws {
        let (isCompleting, isAwaited) = (Signal("the completion"), Signal("the helper's wait"))
        let container = Container(patience: .milliseconds(1)) { wait in
            if wait.request == ServiceRequest((any Engine).self) { isAwaited.signal() }
        }
        let completions = Counter()
        try container.register((any Car).self, scope: .shared) { resolver in
            let (engine, done) = (Kept<any Engine>(), Signal("the helper's end"))
            Threads.start {
                engine.value = try? resolver.resolve((any Engine).self)
                done.signal()
            }
            done.wait()
            guard let found = engine.value else { throw Broken(what: "engine") }
            return SimpleCar(engine: found)
        }
        try container.register((any Engine).self, scope: .shared, needs: []) { _ in
            CountedEngine()
        } completed: { resolver, _ in
            if completions.next() == 1 {
                isCompleting.signal()
                isAwaited.wait()
            }
            // The first time, this takes over the turn of the car; the second time, the turn is free.
            _ = try resolver.resolve((any Car).self)
        }
        let failures = Threads.failures {
            _ = try container.resolve((any Engine).self)
        } and: {
            isCompleting.wait()
            _ = try container.resolve((any Car).self)
        }
        #expect(failures == 2)
        #expect(completions.count == 2)
        let request = ServiceRequest((any Car).self)
        let car = try #require(container.allRegistrations.first { $0.request == request })
        #expect(try #require((car as? Factory<any Car>)?.turn).isTaken == false)
    }

    @Test("a lazy value that needs an incomplete object asks once, and again if that is dropped")
    func lazy() throws {
        let container = Container()
        let lazy = container.lazy(Half.self, name: "user")
        let (owners, users) = (Counter(), Counter())
        try container.register(Half.self, name: "user") { resolver in
            users.next()
            return Half(try resolver.resolve(Half.self, name: "owner"))
        }
        try container.register(Half.self, name: "owner", scope: .shared, needs: []) { _ in
            Half()
        } completed: { _, owner in
            owner.other = try lazy.get()
            #expect(try lazy.get() === owner.other)
            if owners.next() == 1 { throw Broken(what: "owner") }
        }
        _ = try failure { try container.resolve(Half.self, name: "owner") }
        #expect(users.count == 1)
        let owner = try container.resolve(Half.self, name: "owner")
        #expect(owner.other?.other === owner)
        for _ in 0..<2 { #expect(try lazy.get() === owner.other) }
        #expect(users.count == 2)
    }
}
