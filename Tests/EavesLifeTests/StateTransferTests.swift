// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesInterface
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesLife

@Suite("StateTransfer")
struct StateTransferTests {
    private final class Keeper: StateHandover {
        let bytes: Mutex<[UInt8]>
        /// Whether each snapshot has another order.
        let isUnsteady: Bool
        /// Whether it does not take on the last byte of a state.
        let loses: Bool
        private let snapshots = Atomic(0)

        init(_ bytes: [UInt8] = [], isUnsteady: Bool = false, loses: Bool = false) {
            self.bytes = Mutex(bytes)
            (self.isUnsteady, self.loses) = (isUnsteady, loses)
        }

        func start(_ resolver: any Resolver) {}
        func stop() {}

        func snapshot() -> [UInt8] {
            let count = snapshots.add(1, ordering: .relaxed).newValue
            let bytes = bytes.withLock { $0 }
            guard isUnsteady else { return bytes }
            let places = bytes.indices.map { ($0 + count) % bytes.count }
            return places.map { bytes[$0] }
        }

        func restore(_ snapshot: [UInt8]) {
            bytes.withLock { $0 = loses ? snapshot.dropLast() : snapshot }
        }
        func write(_ byte: UInt8) { bytes.withLock { $0.append(byte) } }
    }

    private func lifecycle(_ keeper: Keeper) -> GenerationLifecycle {
        GenerationLifecycle(keeper, of: "users")
    }

    /// A transfer right after the switch.
    private func transfer(
        from old: GenerationLifecycle, to new: GenerationLifecycle
    ) throws -> StateTransfer {
        let entry = CatalogEntry(
            id: "users", path: "users.so", file: "/nowhere/users.so", source: nil)
        var transfer = StateTransfer(from: old, of: .init(entry: entry), to: entry)
        transfer.target = new
        try transfer.renew(until: .now + Patience.limit)
        return transfer
    }

    private func isKept(_ transfer: StateTransfer, serving isServing: Bool = true) throws -> Bool {
        try transfer.finish(serving: isServing, within: Patience.limit)
    }

    @Test("carries over what was written too late, and says what it cannot carry over")
    func late() throws {
        let (old, new) = (Keeper([1, 2]), Keeper())
        let transfer = try transfer(from: lifecycle(old), to: lifecycle(new))
        #expect(new.bytes.withLock { $0 } == [1, 2])
        old.write(3)
        #expect(try isKept(transfer))
        #expect(new.bytes.withLock { $0 } == [1, 2, 3])
        new.write(4)
        old.write(5)
        #expect(try !isKept(transfer))
        #expect(try !isKept(transfer, serving: false))
        #expect(new.bytes.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test("finds nothing lost if the new object has had the same call")
    func same() throws {
        let (old, new) = (Keeper([1, 2]), Keeper())
        let transfer = try transfer(from: lifecycle(old), to: lifecycle(new))
        for keeper in [old, new] { keeper.write(3) }
        #expect(try isKept(transfer))
        #expect(new.bytes.withLock { $0 } == [1, 2, 3])
    }

    @Test("finds nothing lost in an object that the service has come back to")
    func back() throws {
        let (old, new) = (Keeper([1, 2]), Keeper())
        let (first, second) = (lifecycle(old), lifecycle(new))
        let there = try transfer(from: first, to: second)
        new.write(3)
        _ = try transfer(from: second, to: first)
        for keeper in [old, new] { keeper.write(4) }
        new.write(5)
        #expect(try isKept(there))
        #expect(old.bytes.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test("finds nothing lost in bytes whose order changes by itself")
    func order() throws {
        let (old, new) = (Keeper([1, 2, 3], isUnsteady: true), Keeper())
        let transfer = try transfer(from: lifecycle(old), to: lifecycle(new))
        new.write(4)
        #expect(try isKept(transfer))
        #expect(new.bytes.withLock { $0.last } == 4)
    }

    @Test("takes the very bytes for the same state, and no others, also not in another order")
    func wayBack() throws {
        let transfer = try transfer(
            from: lifecycle(Keeper([1, 2, 3])), to: lifecycle(Keeper()))
        func check(_ new: Keeper) throws -> [UInt8] {
            try transfer.checkWay(
                to: lifecycle(new), andBack: lifecycle(Keeper()), within: Patience.limit)
        }
        #expect(try check(Keeper()) == [1, 2, 3])
        for new in [Keeper(isUnsteady: true), Keeper(loses: true)] {
            #expect(throws: HandoverError.changedOnTheWayBack) { try check(new) }
        }
    }

    @Test(
        "has as long to go over as the policy says, or three times as long as it took before",
        arguments: [(1000, 100, 1000), (1000, 400, 1200), (5, 30, 90)])
    func limit(_ gateLimit: Int, _ before: Int, _ limit: Int) throws {
        var transfer = try transfer(from: lifecycle(Keeper()), to: lifecycle(Keeper()))
        transfer.time = .milliseconds(before)
        let policy = LivePolicy(gateLimit: .milliseconds(gateLimit))
        #expect(transfer.limit(by: policy) == .milliseconds(limit))
    }
}
