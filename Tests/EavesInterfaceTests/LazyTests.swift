// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization
import Testing

@Suite("Lazy")
struct LazyTests {
    @Test("resolves once, and copies share the instance")
    func once() throws {
        let counter = Counter()
        let resolver = MinimalResolver { _ in counter.next() }
        let lazy = resolver.lazy(Int.self)
        let copy = lazy
        #expect(counter.count == 0)
        #expect(try lazy() == 1)
        #expect(try copy.get() == 1)
        #expect(try lazy() == 1)
        #expect(counter.count == 1)
    }

    @Test("tries again after a failure")
    func failure() throws {
        let counter = Counter()
        let resolver = MinimalResolver { (request) throws(ResolutionError) in
            let number = counter.next()
            if number == 1 { throw ResolutionError(.cancelled, wanted: request) }
            return number
        }
        let lazy = resolver.lazy(Int.self)
        #expect(throws: ResolutionError.self) { try lazy() }
        #expect(try lazy() == 2)
        #expect(try lazy() == 2)
    }

    @Test("gives the same instance to all that use it first at the same time")
    func concurrent() async throws {
        for _ in 0..<50 {
            let counter = Counter()
            let lazy = MinimalResolver { _ in counter.next() }.lazy(Int.self)
            let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try lazy() } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(numbers.count == 1)
        }
    }

    @Test("may be used while it resolves, on the same thread, and keeps the first instance")
    func nested() throws {
        let counter = Counter()
        let held = Mutex<Lazy<Int>?>(nil)
        let resolver = MinimalResolver { (_) throws(ResolutionError) in
            let number = counter.next()
            guard number == 1, let lazy = held.withLock({ $0 }) else { return number }
            #expect(throws: Never.self) { try lazy() }
            return number
        }
        let lazy = resolver.lazy(Int.self)
        held.withLock { $0 = lazy }
        #expect(try lazy() == 2)
        #expect(counter.count == 2)
    }
}
