// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesLife
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesHost

@Suite("The life cycle of a generation", .onOwnThreads, .patiently)
struct GenerationLifecycleTests {
    /// Counts its stops, each of which fails.
    private final class Failing: Lifecycle {
        let stops = Atomic(0)

        func start(_ resolver: any Resolver) {}

        func stop() throws {
            stops.add(1, ordering: .relaxed)
            throw FixtureError("no")
        }
    }

    @Test("a stop that fails has ended for all who stop the generation")
    func failingStop() throws {
        let module = Failing()
        let lifecycle = GenerationLifecycle(module, of: "users")
        let folder = try TemporaryFolder()
        try lifecycle.start(folder.host().services.resolver)
        #expect(throws: LifecycleError.failed(.stop, "no")) {
            try lifecycle.stop(within: Patience.limit)
        }
        // It finds the end of the first one there: a limit that is over at once is enough.
        try lifecycle.stop(within: .zero)
        #expect(module.stops.load(ordering: .relaxed) == 1)
    }

    private struct Rounding: Lifecycle {
        func start(_ resolver: any Resolver) { fesetround(FE_UPWARD) }
        func stop() {}
    }

    @Test("a start that changes how its thread computes leaves the caller's thread as it was")
    func rounding() throws {
        let resolver = try TemporaryFolder().host().services.resolver
        try GenerationLifecycle(Rounding(), of: "users").start(resolver)
        #expect(fegetround() == 0)
    }

    /// Its first snapshot waits until the test lets it end.
    private final class Slow: StateHandover {
        let snapshots = Atomic(0)
        let isAllowed = Awaited<Bool>()

        func start(_ resolver: any Resolver) {}
        func stop() {}
        func restore(_ snapshot: [UInt8]) {}

        func snapshot() -> [UInt8] {
            let count = snapshots.add(1, ordering: .relaxed).newValue
            if count == 1 { _ = isAllowed.wait(within: Patience.limit) }
            return [UInt8(count)]
        }
    }

    @Test("calls no function while one is late, and the next one as soon as that has returned")
    func late() throws {
        let module = Slow()
        let lifecycle = GenerationLifecycle(module, of: "users")
        #expect(throws: LifecycleError.hangs(.snapshot, .zero)) {
            try lifecycle.snapshot(within: .zero)
        }
        #expect(throws: LifecycleError.stillHangs(.snapshot, .snapshot)) {
            try lifecycle.snapshot(within: .zero)
        }
        #expect(throws: LifecycleError.stillHangs(.health, .snapshot)) {
            try lifecycle.checkHealth(within: Patience.limit)
        }
        // One that is only slow is no obstacle: the next call most likely comes before it ends.
        try DetachedThread.start {
            Patience.letPass(.milliseconds(50))
            module.isAllowed.set(true)
        }
        #expect(try lifecycle.snapshot(within: Patience.limit) == [2])
        #expect(throws: Never.self) { try lifecycle.checkHealth(within: Patience.limit) }
    }
}
