// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesRegistry

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
