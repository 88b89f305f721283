// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import Synchronization
import Testing

@Suite("Handle")
struct HandleTests {
    @Test("resolves once, and again after each change")
    func changes() throws {
        let counter = Counter()
        let resolver = CountingResolver(MinimalResolver { _ in counter.next() })
        var handle = try resolver.handle(Int.self)
        #expect(try handle.borrow { $0 } == 1)
        #expect(try handle.borrow { $0 } == 1)
        resolver.changes?.advance()
        #expect(try handle.borrow { $0 } == 2)
        resolver.changes?.advance()
        resolver.changes?.advance()
        #expect(try handle.borrow { $0 } == 3)
        #expect(try handle.borrow { $0 } == 3)
    }

    @Test("resolves at each call if nothing counts the changes")
    func uncounted() throws {
        let counter = Counter()
        var handle = try MinimalResolver { _ in counter.next() }.handle(Int.self)
        #expect(try handle.borrow { $0 } == 2)
        #expect(try handle.borrow { $0 } == 3)
    }

    @Test("a change while it resolves makes it resolve again")
    func changeMeanwhile() throws {
        let counter = Counter()
        let change = Mutex<ChangeCounter?>(nil)
        let resolver = CountingResolver(
            MinimalResolver { _ in
                let number = counter.next()
                if number == 2 { change.withLock { $0?.advance() } }
                return number
            })
        change.withLock { $0 = resolver.changes }
        var handle = try resolver.handle(Int.self)
        resolver.changes?.advance()
        #expect(try handle.borrow { $0 } == 2)
        #expect(try handle.borrow { $0 } == 3)
        #expect(try handle.borrow { $0 } == 3)
    }

    @Test("tries again at the next call after it could not resolve")
    func failure() throws {
        let counter = Counter()
        let resolver = CountingResolver(
            MinimalResolver { (request) throws(ResolutionError) in
                let number = counter.next()
                if number == 2 { throw ResolutionError(.notRegistered, wanted: request) }
                return number
            })
        var handle = try resolver.handle(Int.self)
        resolver.changes?.advance()
        do {
            _ = try handle.borrow { $0 }
            Issue.record("expected an error")
        } catch {
            #expect(error is ResolutionError)
        }
        #expect(try handle.borrow { $0 } == 3)
    }
}

@Suite("borrowing")
struct LoanTests {
    /// A service in memory of its own, and the number that ends its loan.
    private final class Lender: Sendable {
        // SAFETY: the constant pointer leads to memory that only `deinit` releases.
        nonisolated(unsafe) let service = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        // SAFETY: the constant pointer leads to an atomic that only `deinit` releases.
        nonisolated(unsafe) let section =
            UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 1)

        init(_ number: Int) {
            service.initialize(to: number)
            section.initialize(to: Atomic(5))
        }

        deinit {
            service.deallocate()
            section.deinitialize(count: 1)
            section.deallocate()
        }

        var current: UInt64 { section.pointee.load(ordering: .relaxed) }
    }

    private func resolver(_ lender: Lender, ends: Bool = true) -> CountingResolver {
        CountingResolver(MinimalResolver { _ in -1 }) {
            Loan(lender.service, until: ends ? UnsafePointer(lender.section) : nil)
        }
    }

    @Test("lends the service in its place, and returns the loan afterwards")
    func lends() throws {
        let lender = Lender(7)
        let found = try resolver(lender).borrow(Int.self) { service in
            #expect(lender.current == 5)
            return service
        }
        #expect(found == 7)
        #expect(lender.current == 0)
    }

    @Test("returns the loan, too, if the body throws")
    func throwing() throws {
        let lender = Lender(7)
        #expect(throws: Broken.self) {
            try resolver(lender).borrow(Int.self) { _ in throw Broken() }
        }
        #expect(lender.current == 0)
    }

    @Test("leaves alone a loan that something else keeps")
    func lasting() throws {
        let lender = Lender(7)
        #expect(try resolver(lender, ends: false).borrow(Int.self) { $0 } == 7)
        #expect(lender.current == 5)
    }

    @Test("resolves the service if nothing is lent")
    func nothingLent() throws {
        let resolver = CountingResolver(MinimalResolver { _ in -1 })
        #expect(try resolver.borrow(Int.self) { $0 } == -1)
    }
}
