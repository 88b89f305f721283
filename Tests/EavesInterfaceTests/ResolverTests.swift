// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
@_spi(Containers) import EavesInterface
import Testing

@Suite("a resolver that implements no more than it has to")
struct ResolverTests {
    private static let users = ServiceRequest((any UserService).self)

    /// Answers each request with the number of the request.
    private func numbers() -> MinimalResolver {
        let counter = Counter()
        return MinimalResolver { _ in counter.next() }
    }

    private func failing(_ error: ResolutionError) -> MinimalResolver {
        MinimalResolver { (_) throws(ResolutionError) in throw error }
    }

    @Test("the short forms ask for the unnamed implementation")
    func shortForms() async throws {
        let resolver = numbers()
        #expect(try resolver.resolve(Int.self) == 1)
        #expect(try resolver.resolve(Int.self, arguments: "a", 2.0) == 2)
        #expect(try await resolver.resolveAsync(Int.self) == 3)
        #expect(try await resolver.resolveAsync(Int.self, arguments: "a") == 4)
        #expect(try await MainActor.run { try resolver.resolveOnMainActor(Int.self) } == 5)
        let sixth = try await MainActor.run {
            try resolver.resolveOnMainActor(Int.self, arguments: 1)
        }
        #expect(sixth == 6)
        #expect(try resolver.resolveAll(Int.self) == [7])
        #expect(
            resolver.requests.map(\.description) == [
                "Int", "Int(String, Double)", "Int", "Int(String)", "Int", "Int(Int)", "Int",
            ])
    }

    @Test("hands on names")
    func names() async throws {
        let resolver = numbers()
        _ = try resolver.resolve(Int.self, name: "a")
        _ = try await resolver.resolveAsync(Int.self, name: "b")
        _ = try resolver.resolveIfProvided(Int.self, name: "c")
        _ = try resolver.provider(Int.self, name: "d")()
        _ = try resolver.lazy(Int.self, name: "e")()
        _ = try resolver.borrow(Int.self, name: "f") { $0 }
        _ = try resolver.handle(Int.self, name: "g")
        #expect(resolver.requests.map(\.name) == ["a", "b", "c", "d", "e", "f", "g"])
    }

    @Test("an error is one reference, and says what it was made of")
    func error() throws {
        let resolver = failing(
            ResolutionError(
                .cycle, wanted: Self.users, chain: [Self.users], candidates: ["a candidate"]))
        #expect(MemoryLayout<ResolutionError>.size == MemoryLayout<UnsafeRawPointer>.size)
        let error = #expect(throws: ResolutionError.self) { try resolver.resolve(Int.self) }
        #expect(error?.wanted == Self.users)
        #expect(error?.chain == [Self.users])
        #expect(error?.candidates == ["a candidate"])
        #expect(error.map { "\($0.reason)" } == "cycle")
    }

    @Test("a provider asks at each call")
    func provider() throws {
        let resolver = numbers()
        let provider = resolver.provider(Int.self)
        #expect(resolver.requests.isEmpty)
        #expect(try provider() == 1)
        #expect(try provider.get() == 2)
        #expect(try resolver.borrow(Int.self) { $0 } == 3)
        #expect(resolver.weaklyHeld === resolver)
    }

    @Test("a provider and a lazy value hold the container weakly")
    func weakly() throws {
        let inner = numbers()
        weak var container: CountingResolver?
        let (provider, lazy) = {
            let resolver = CountingResolver(inner)
            container = resolver
            return (resolver.provider(Int.self), resolver.lazy(Int.self))
        }()
        #expect(container == nil)
        #expect(try provider() == 1)
        #expect(try lazy() == 2)
    }
}
