// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

private protocol Parent: AnyObject, Sendable {
    var child: (any Child)? { get }
    func adopt(_ child: any Child)
}

private protocol Child: AnyObject, Sendable {
    var parent: (any Parent)? { get }
    func join(_ parent: any Parent)
}

// SAFETY: written only while it is completed, before another thread sees it.
private final class Mother: Parent, @unchecked Sendable {
    private(set) var child: (any Child)?

    func adopt(_ child: any Child) {
        self.child = child
    }
}

// SAFETY: as for `Mother`.
private final class Daughter: Child, @unchecked Sendable {
    private(set) var parent: (any Parent)?

    func join(_ parent: any Parent) {
        self.parent = parent
    }
}

@Suite("Completing objects")
struct CompletionTests {
    private let container = Container()

    /// Each object gets the other one when it is completed.
    private func registerBoth(_ scope: Scope, in container: Container) throws {
        try container.register((any Parent).self, scope: scope, needs: []) { _ in
            Mother()
        } completed: { resolver, parent in
            parent.adopt(try resolver.resolve((any Child).self))
        }
        try container.register((any Child).self, scope: scope, needs: []) { _ in
            Daughter()
        } completed: { resolver, child in
            child.join(try resolver.resolve((any Parent).self))
        }
    }

    /// Parents get their child when they are completed.
    private func registerParent(_ scope: Scope) throws {
        try container.register((any Parent).self, scope: scope, needs: []) { _ in
            Mother()
        } completed: { resolver, parent in
            parent.adopt(try resolver.resolve((any Child).self))
        }
    }

    /// Children ask for their parent when they are created.
    private func registerChild(
        _ scope: Scope, overriding: Bool = false, counting children: Counter = Counter()
    ) throws {
        try container.register((any Child).self, scope: scope, overriding: overriding) { resolver in
            children.next()
            let daughter = Daughter()
            daughter.join(try resolver.resolve((any Parent).self))
            return daughter
        }
    }

    @Test(
        "objects that need each other are the same from either side",
        arguments: [Scope.graph, .shared, .weak, .named("session")])
    func bothSides(scope: Scope) throws {
        try registerBoth(scope, in: container)
        let parent = try container.resolve((any Parent).self)
        let child = try #require(parent.child)
        #expect(child.parent === parent)
        let other = try container.resolve((any Child).self)
        #expect(other.parent?.child === other)
        #expect((other === child) == (scope != .graph))
    }

    @Test("transient objects are completed too, and cannot need each other")
    func transient() throws {
        try registerParent(.transient)
        try container.register((any Child).self) { _ in Daughter() }
        #expect(try container.resolve((any Parent).self).child != nil)
        try registerChild(.transient, overriding: true)
        let error = try failure { try container.resolve((any Parent).self) }
        #expect(error.kind == "cycle")
        #expect(error.chain.map(\.service) == ["Parent", "Child"])
    }

    @Test(
        "that throws leaves nothing behind: neither the object nor what got hold of it",
        arguments: [Scope.graph, .shared, .weak])
    func failing(scope: Scope) throws {
        let parents = Counter()
        let children = Counter()
        try container.register((any Parent).self, scope: scope, needs: []) { _ in
            parents.next()
            return Mother()
        } completed: { resolver, parent in
            parent.adopt(try resolver.resolve((any Child).self))
            if parents.count == 1 { throw Broken(what: "home") }
        }
        try registerChild(scope, counting: children)
        // The parent's failure does not concern an instance that has not got hold of it.
        try container.register((any Car).self) { resolver in
            #expect(throws: ResolutionError.self) { try resolver.resolve((any Parent).self) }
            let parent = try resolver.resolve((any Parent).self)
            #expect(parent.child?.parent === parent)
            return SimpleCar(engine: CountedEngine())
        }
        _ = try container.resolve((any Car).self)
        #expect(parents.count == 2)
        #expect(children.count == 2)
        #expect(container.dump.entries.filter(\.isMade).count == (scope == .shared ? 2 : 0))
    }

    @Test("an instance that does not need the object is visible to others at once, and stays")
    func independent() throws {
        let engines = Counter()
        try container.registerEngine(.shared, counting: engines)
        let container = container
        try container.register((any Parent).self, scope: .shared, needs: []) { _ in
            Mother()
        } completed: { resolver, _ in
            _ = try resolver.resolve((any Engine).self)
            // Another thread would wait for ever if it could not get the engine.
            let got = Signal()
            Threads.start {
                _ = try? container.resolve((any Engine).self)
                got.signal()
            }
            got.wait()
            throw Broken(what: "home")
        }
        #expect(throws: ResolutionError.self) { try container.resolve((any Parent).self) }
        #expect(try container.resolve((any Engine).self).id == 1)
        #expect(engines.count == 1)
    }

    @Test("other threads only see the complete object, and the same goes for what got hold of it")
    func unseen() throws {
        let container = container
        let early = Signal()
        let goOn = Signal()
        try container.register((any Parent).self, scope: .shared, needs: []) { _ in
            Mother()
        } completed: { resolver, parent in
            let child = try resolver.resolve((any Child).self)
            early.signal()
            goOn.wait()
            parent.adopt(child)
        }
        try registerChild(.shared)
        let wrong = Counter()
        let done = DispatchGroup()
        for number in 0..<20 {
            done.enter()
            Threads.start {
                defer { done.leave() }
                // The first begins with the parent.
                if number > 0 {
                    early.wait()
                    early.signal()
                }
                let child =
                    number % 2 == 0
                    ? (try? container.resolve((any Parent).self))?.child
                    : try? container.resolve((any Child).self)
                if child?.parent?.child !== child || child == nil { wrong.next() }
            }
        }
        early.wait()
        #expect(container.dump.entries.filter(\.isMade).isEmpty)
        early.signal()
        goOn.signal()
        #expect(done.wait(timeout: .now() + Patience.seconds) == .success)
        #expect(wrong.count == 0)
    }

    @Test("100 threads that come from either side get the same two objects, and no error")
    func threads() throws {
        for _ in 0..<Soak.rounds(50) {
            let container = Container()
            try registerBoth(.shared, in: container)
            let wrong = Counter()
            Threads.run(100) { number in
                let parent =
                    number % 2 == 0
                    ? try? container.resolve((any Parent).self)
                    : (try? container.resolve((any Child).self))?.parent
                let known = try? container.resolve((any Parent).self)
                if parent == nil || parent !== known || parent?.child?.parent !== known {
                    wrong.next()
                }
            }
            #expect(wrong.count == 0)
        }
    }

    @Test("in a graph of many objects, of mixed scopes, each is complete when the outermost is")
    func mixed() throws {
        let container = container
        try registerBoth(.graph, in: container)
        try container.register((any Wheels).self, scope: .shared, needs: []) { _ in
            FixedWheels(count: 4)
        } completed: { resolver, wheels in
            let parent = try resolver.resolve((any Parent).self)
            #expect(parent.child?.parent === parent)
            #expect(try resolver.resolve((any Wheels).self).count == 4)
        }
        try container.register((any Engine).self, scope: .shared, needs: []) { _ in
            CountedEngine()
        } completed: { resolver, _ in
            _ = try resolver.resolve((any Wheels).self)
            _ = try resolver.resolve((any Car).self)
        }
        try container.registerCar(.shared)
        let failures = Counter()
        Threads.run(50) { number in
            do {
                switch number % 3 {
                case 0: _ = try container.resolve((any Engine).self)
                case 1:
                    _ = try container.resolve((any Car).self)
                default: _ = try container.resolve((any Wheels).self)
                }
            } catch {
                failures.next()
            }
        }
        #expect(failures.count == 0)
        let engine = try container.resolve((any Engine).self) as? CountedEngine
        let car = try container.resolve((any Car).self)
        #expect(engine != nil && car.engine as? CountedEngine === engine)
    }

    @Test("may inject, and fails if a property cannot be injected")
    func injected() throws {
        struct Needy {
            @Injected var engine: any Engine
        }
        try container.register((any Parent).self, scope: .shared, needs: []) { _ in
            Mother()
        } completed: { _, _ in
            _ = Needy()
        }
        let error = try failure { try container.resolve((any Parent).self) }
        #expect(error.wanted.service == "Engine")
        try container.register((any Engine).self) { _ in CountedEngine() }
        _ = try container.resolve((any Parent).self)
    }

    @Test("is over before the object is decorated")
    func decorated() throws {
        let complete = Counter()
        try registerParent(.shared)
        try container.register((any Child).self) { _ in Daughter() }
        container.decorate((any Parent).self) { _, parent in
            if parent.child != nil { complete.next() }
            return parent
        }
        _ = try container.resolve((any Parent).self)
        #expect(complete.count == 1)
    }
}
