// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

@Suite("Completing instances that are awaited")
struct AsyncCompletionTests {
    private let container = Container()

    private protocol Parent: AnyObject, Sendable { var child: (any Child)? { get } }
    private protocol Child: AnyObject, Sendable { var parent: any Parent { get } }

    private final class Family: Parent {
        private let kept = Locked<(any Child)?>(nil)
        var child: (any Child)? {
            get { kept.withLock { $0 } }
            set { kept.withLock { $0 = newValue } }
        }
    }

    private final class Kid: Child {
        let parent: any Parent

        init(_ parent: any Parent) {
            self.parent = parent
        }
    }

    private func register(in container: Container, scope: Scope, fails: Bool = false) throws {
        try container.register {
            $0.registerAsync(
                (any Parent).self, scope: scope, needs: [.later((any Child).self)]
            ) { _ in
                Family()
            } completed: { resolver, parent in
                (parent as? Family)?.child = try await resolver.resolveAsync((any Child).self)
                if fails { throw Broken(what: "completion") }
            }
            $0.registerAsync(
                (any Child).self, scope: scope, needs: [.service((any Parent).self)]
            ) { resolver in
                Kid(try await resolver.resolveAsync((any Parent).self))
            }
        }
    }

    @Test(
        "what an object asks for may ask for the object", arguments: [Scope.shared, .graph, .weak])
    func circle(scope: Scope) async throws {
        try register(in: container, scope: scope)
        let parent = try await container.resolveAsync((any Parent).self)
        #expect(parent.child?.parent === parent)
        #expect(container.validate().isEmpty)
    }

    @Test("a service of a task's own may ask for the object, too")
    func transientChild() async throws {
        try container.register {
            $0.registerAsync((any Parent).self, scope: .shared) { _ in
                Family()
            } completed: { resolver, parent in
                (parent as? Family)?.child = try await resolver.resolveAsync((any Child).self)
            }
            $0.registerAsync((any Child).self) { resolver in
                Kid(try await resolver.resolveAsync((any Parent).self))
            }
        }
        let parent = try await container.resolveAsync((any Parent).self)
        #expect(parent.child?.parent === parent)
    }

    @Test("in the transient scope, a circle stays an error")
    func transientCircle() async throws {
        try register(in: container, scope: .transient)
        let error = try await failureAsync { try await container.resolveAsync((any Parent).self) }
        #expect(error.kind == "cycle")
    }

    @Test("other tasks wait until the object is complete")
    func waits() async throws {
        let (isCreated, mayComplete) = (Gate(), Gate())
        try container.register {
            $0.registerAsync((any Parent).self, scope: .shared) { _ in
                Family()
            } completed: { resolver, parent in
                isCreated.open()
                await mayComplete.wait()
                (parent as? Family)?.child = Kid(parent)
            }
        }
        async let first = container.resolveAsync((any Parent).self)
        await isCreated.wait()
        async let second = container.resolveAsync((any Parent).self)
        mayComplete.open()
        #expect(try await first === second)
        #expect(try await second.child != nil)
    }

    @Test("an object that cannot be completed is not kept")
    func failure() async throws {
        try register(in: container, scope: .shared, fails: true)
        let error = try await failureAsync { try await container.resolveAsync((any Parent).self) }
        #expect(error.description.contains("completion") == true)
        #expect(!container.dump.entries.contains { $0.service.hasSuffix("Parent") && $0.isMade })
    }

    @Test("validation knows the needs of factories that are awaited")
    func needs() throws {
        try container.register {
            $0.registerAsync((any Child).self, needs: [.service((any Parent).self)]) { resolver in
                Kid(try await resolver.resolveAsync((any Parent).self))
            }
            $0.registerOnMainActor((any Engine).self, needs: [.service((any Wheels).self)]) { _ in
                CountedEngine()
            }
        }
        #expect(container.validate().count == 2)
    }

    @Test("an object of the main actor is completed there, and may be asked for meanwhile")
    @MainActor
    func mainActor() throws {
        try container.register {
            $0.registerOnMainActor((any Parent).self, scope: .shared) { _ in
                Family()
            } completed: { resolver, parent in
                MainActor.assertIsolated()
                (parent as? Family)?.child = try resolver.resolveOnMainActor((any Child).self)
            }
            $0.registerOnMainActor((any Child).self, scope: .shared) { resolver in
                Kid(try resolver.resolveOnMainActor((any Parent).self))
            }
        }
        let parent = try container.resolveOnMainActor((any Parent).self)
        #expect(parent.child?.parent === parent)
        #expect(try container.resolveOnMainActor((any Parent).self) === parent)
    }
}
