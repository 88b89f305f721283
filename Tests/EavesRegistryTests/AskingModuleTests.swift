// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import Testing

/// Has the id of the module whose factory asked for it.
private struct Badge: Sendable {
    let module: String?
}

private struct BadgedCar: Car {
    @Injected var badge: Badge

    var engine: any Engine { CountedEngine() }
}

@Suite("The module whose factory asks")
struct AskingModuleTests {
    private let container = Container()

    init() throws {
        try container.register(Badge.self) { _ in Badge(module: Container.askingModule) }
    }

    private func load(_ module: String, _ register: (StagedRegistrar) -> Void) throws {
        let registrar = StagedRegistrar(module: module, settings: Settings())
        register(registrar)
        try registrar.commit(to: container)
    }

    private func car(_ name: String? = nil) async throws -> BadgedCar {
        try #require(try await container.resolveAsync((any Car).self, name: name) as? BadgedCar)
    }

    @Test("is that of the innermost factory, of every kind and in every scope")
    func innermost() async throws {
        let scopes: [Scope] = [.transient, .shared, .graph, .weak]
        for scope in scopes {
            try load("cars") {
                $0.register((any Car).self, name: scope.name, scope: scope) { _ in BadgedCar() }
                $0.registerAsync((any Car).self, name: "async " + scope.name, scope: scope) { _ in
                    await Task.yield()
                    return await Task { BadgedCar() }.value
                }
                $0.registerOnMainActor((any Car).self, name: "main " + scope.name, scope: scope) {
                    _ in BadgedCar()
                }
            }
        }
        try load("garage") {
            $0.registerAsync((any Wheels).self) { resolver in
                #expect(try resolver.resolve(Badge.self).module == "garage")
                for kind in ["", "async ", "main "] {
                    for scope in scopes {
                        let car = try await resolver.resolveAsync(
                            (any Car).self, name: kind + scope.name)
                        #expect((car as? BadgedCar)?.badge.module == "cars")
                    }
                }
                #expect(try resolver.resolve(Badge.self).module == "garage")
                return FixedWheels(count: 4)
            }
        }
        _ = try await container.resolveAsync((any Wheels).self)
    }

    @Test("is none where no factory runs, or one of the program itself")
    func none() async throws {
        #expect(try container.resolve(Badge.self).module == nil)
        #expect(try await container.resolveAsync(Badge.self).module == nil)
        try container.register((any Car).self) { _ in BadgedCar() }
        #expect(try await car().badge.module == nil)
    }

    @Test("is the same if the service that it asks for is decorated")
    func decorated() async throws {
        try load("cars") {
            $0.register((any Car).self) { _ in BadgedCar() }
            $0.decorate(Badge.self) { _, badge in badge }
        }
        #expect(try await car().badge.module == "cars")
    }

    @Test("is known on other threads that use the factory's resolver")
    func otherThread() async throws {
        try load("cars") {
            $0.register((any Car).self, scope: .shared) { resolver in
                let seen = Counter()
                Threads.run(2) { _ in
                    if (try? resolver.resolve(Badge.self))?.module == "cars" { seen.next() }
                }
                #expect(seen.count == 2)
                return BadgedCar()
            }
        }
        #expect(try await car().badge.module == "cars")
    }
}
