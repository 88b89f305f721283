// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesRegistry

/// A module's generation is exchanged while one of its factories runs, and asks for more of the module.
@Suite("What one resolution creates", .onOwnThreads, .patiently)
struct OneGenerationTests {
    /// A part that knows its generation and those of its parts.
    private final class Part: Sendable {
        let generation: Int
        let parts: [Part]

        init(_ generation: Int, _ parts: [Part] = []) {
            self.generation = generation
            self.parts = parts
        }

        /// The generations of the whole, the outermost first.
        var generations: [Int] { [generation] + parts.flatMap(\.generations) }
    }

    /// The parts of a module that one that is created asks for.
    enum Way: CaseIterable {
        case plain, named, argument, ifProvided, forwarded, provider, lazy, decorated, all, child
    }

    private let container = Container()
    /// Is called by each outermost factory before it asks for more.
    private let pause = Kept<@Sendable () -> Void>()

    private func generation(_ number: Int, asking way: Way = .plain) -> StagedRegistrar {
        EavesRegistryTests.generation(of: "parts") { registrar in
            registrar.register(Part.self) { [pause] resolver in
                pause.value?()
                return Part(number, [try Self.part(way, of: resolver)])
            }
            registrar.register(Part.self, name: "inner") { _ in Part(number) }
            registrar.register(Part.self, name: "decorated") { _ in Part(number) }
            registrar.decorate(Part.self, name: "decorated") { resolver, inner in
                Part(number, [inner, try resolver.resolve(Part.self, name: "inner")])
            }
            registrar.register(Part.self) { (_, _: Int) in Part(number) }
            registrar.forward(Part.self, name: "forwarded", to: Part.self, targetName: "inner") {
                Part(number, [$0])
            }
            registrar.register(Box.self) { resolver in
                Box(part: Part(number, [try resolver.resolve(Part.self, name: "inner")]))
            }
        }
    }

    private struct Box: Sendable { let part: Part }

    private static func part(_ way: Way, of resolver: any Resolver) throws -> Part {
        switch way {
        case .plain, .child: try resolver.resolve(Box.self).part
        case .named: try resolver.resolve(Part.self, name: "inner")
        case .argument: try resolver.resolve(Part.self, arguments: 1)
        case .ifProvided: try #require(try resolver.resolveIfProvided(Box.self)).part
        case .forwarded: try resolver.resolve(Part.self, name: "forwarded")
        case .provider: try resolver.provider(Box.self).get().part
        case .lazy: try resolver.lazy(Box.self).get().part
        case .decorated: try resolver.resolve(Part.self, name: "decorated")
        case .all: Part(0, try resolver.resolveAll(Box.self).map(\.part))
        }
    }

    @Test("is of one generation, whatever is exchanged meanwhile", arguments: Way.allCases)
    func exchanged(_ way: Way) throws {
        try generation(1, asking: way).commit(to: container)
        pause.value = { [container, generation] in
            _ = try? generation(2, way).replace(in: container)
        }
        let resolver = way == .child ? Container(parent: container) : container
        let whole = try resolver.resolve(Part.self)
        #expect(Set(whole.generations).subtracting([0]) == [1], "\(whole.generations)")
        pause.value = nil
        #expect(Set(try resolver.resolve(Part.self).generations).subtracting([0]) == [2])
    }

    /// The parts of a module that an awaited factory asks for.
    enum AwaitedWay: CaseIterable {
        case awaited, immediate, childTask, provider, ownFactory, mainActor
    }

    private func awaited(_ number: Int, asking way: AwaitedWay) -> StagedRegistrar {
        EavesRegistryTests.generation(of: "parts") { registrar in
            registrar.register(Box.self) { _ in Box(part: Part(number)) }
            registrar.registerAsync(Part.self, name: "inner") { _ in Part(number) }
            registrar.registerOnMainActor(Part.self, name: "main") { resolver in
                Part(number, [try resolver.resolve(Box.self).part])
            }
            registrar.registerAsync(Part.self) { [pause] resolver in
                // Wherever the task goes on, no section of this thread is open any more.
                await Task.detached { pause.value?() }.value
                return Part(number, [try await Self.part(way, of: resolver)])
            }
        }
    }

    private static func part(_ way: AwaitedWay, of resolver: any Resolver) async throws -> Part {
        switch way {
        case .awaited: return try await resolver.resolveAsync(Part.self, name: "inner")
        case .immediate: return try resolver.resolve(Box.self).part
        case .childTask:
            async let part = resolver.resolveAsync(Part.self, name: "inner")
            return try await Part(0, [part, resolver.resolveAsync(Part.self, name: "inner")])
        case .provider: return try resolver.provider(Box.self).get().part
        case .ownFactory: return try await resolver.resolveAsync(Box.self).part
        case .mainActor: return try await resolver.resolveAsync(Part.self, name: "main")
        }
    }

    @Test("is of one generation where factories are awaited, too", arguments: AwaitedWay.allCases)
    func exchangedAwaited(_ way: AwaitedWay) async throws {
        try awaited(1, asking: way).commit(to: container)
        pause.value = { [container, awaited] in
            _ = try? awaited(2, way).replace(in: container)
        }
        let whole = try await container.resolveAsync(Part.self)
        #expect(Set(whole.generations).subtracting([0]) == [1], "\(whole.generations)")
        pause.value = nil
        let next = try await container.resolveAsync(Part.self)
        #expect(Set(next.generations).subtracting([0]) == [2])
    }

    @Test("a generation has drained when its awaited factories have ended")
    func draining() async throws {
        let (retired, wasDrained) = (Kept<RetiredInstances>(), Kept<Bool>())
        try awaited(1, asking: .awaited).commit(to: container)
        pause.value = { [container, awaited] in
            retired.value = try? awaited(2, .awaited).replace(in: container)
            wasDrained.value = retired.value?.isDrained
        }
        _ = try await container.resolveAsync(Part.self)
        #expect(wasDrained.value == false)
        // Resolutions of other tests may have begun before, too.
        let last = try #require(retired.value)
        try Patience.wait(for: "the end of all that began before") { last.isDrained }
    }

    @Test("is kept for nobody else: who asks later gets the new generation's")
    func kept() throws {
        let register = { @Sendable (number: Int) in
            EavesRegistryTests.generation(of: "parts") { [pause] registrar in
                registrar.register(Part.self) { resolver in
                    pause.value?()
                    return Part(number, [try resolver.resolve(Part.self, name: "kept")])
                }
                registrar.register(Part.self, name: "kept", scope: .shared) { _ in Part(number) }
            }
        }
        try register(1).commit(to: container)
        pause.value = { [container] in _ = try? register(2).replace(in: container) }
        #expect(try container.resolve(Part.self).generations == [1, 1])
        pause.value = nil
        #expect(try container.resolve(Part.self).generations == [2, 2])
        #expect(try container.resolve(Part.self, name: "kept").generation == 2)
    }

    @Test("of what a module brings that was not there before, all is of that module's generation")
    func later() throws {
        let register = { @Sendable (number: Int) in
            EavesRegistryTests.generation(of: "parts") { registrar in
                registrar.register(Part.self, name: "old") { _ in Part(number) }
                guard number > 1 else { return }
                registrar.register(Part.self, name: "new", scope: .shared) { resolver in
                    Part(number, [try resolver.resolve(Part.self, name: "old")])
                }
            }
        }
        try register(1).commit(to: container)
        try container.register(Part.self, needs: []) { [container] resolver in
            let first = try resolver.resolve(Part.self, name: "old")
            _ = try register(2).replace(in: container)
            let new = try resolver.resolve(Part.self, name: "new")
            return Part(0, [first, new, try resolver.resolve(Part.self, name: "old")])
        }
        // The object that is kept for others is whole, and the resolution goes on as it began.
        #expect(try container.resolve(Part.self).generations == [0, 1, 2, 2, 1])
        #expect(try container.resolve(Part.self, name: "new").generations == [2, 2])
    }

    @Test("the same where factories are awaited")
    func laterAwaited() async throws {
        let register = { @Sendable (number: Int) in
            EavesRegistryTests.generation(of: "parts") { registrar in
                registrar.registerAsync(Part.self, name: "old") { _ in Part(number) }
                guard number > 1 else { return }
                registrar.registerAsync(Part.self, name: "new", scope: .shared) { resolver in
                    Part(number, [try await resolver.resolveAsync(Part.self, name: "old")])
                }
            }
        }
        try register(1).commit(to: container)
        try container.registerAsync(Part.self) { [container] resolver in
            let first = try await resolver.resolveAsync(Part.self, name: "old")
            _ = try register(2).replace(in: container)
            let new = try await resolver.resolveAsync(Part.self, name: "new")
            let last = try await resolver.resolveAsync(Part.self, name: "old")
            return Part(0, [first, new, last])
        }
        #expect(try await container.resolveAsync(Part.self).generations == [0, 1, 2, 2, 1])
        #expect(
            try await container.resolveAsync(Part.self, name: "new").generations == [2, 2])
    }

    @Test("a call of a factory goes to the module that serves now, and so does a handle")
    func calls() throws {
        try generation(1).commit(to: container)
        try container.register(Part.self, name: "caller", needs: []) {
            [container, generation] resolver in
            let first = try resolver.resolve(Box.self).part
            _ = try generation(2, .plain).replace(in: container)
            let called = try resolver.call(Box.self) { $0.part }
            var handle = try resolver.handle(Box.self)
            let handled = try handle.borrow { $0.part }
            let last = try resolver.resolve(Box.self).part
            return Part(0, [first, called, handled, last].map { Part($0.generation) })
        }
        #expect(try container.resolve(Part.self, name: "caller").generations == [0, 1, 2, 2, 1])
    }
}
