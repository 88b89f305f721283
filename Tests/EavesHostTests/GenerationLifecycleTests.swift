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

    /// Its first health check waits until the test lets it end.
    private final class Slow: Lifecycle {
        let checks = Atomic(0)
        let isAllowed = Awaited<Bool>()

        func start(_ resolver: any Resolver) {}
        func stop() {}

        var isHealthy: Bool {
            if checks.add(1, ordering: .relaxed).newValue > 1 { return true }
            return isAllowed.wait(within: Patience.limit) ?? false
        }
    }

    @Test("calls no function while one is late, and goes on when that has returned")
    func late() throws {
        let module = Slow()
        let lifecycle = GenerationLifecycle(module, of: "users")
        #expect(throws: LifecycleError.hangs(.health, .zero)) {
            try lifecycle.checkHealth(within: .zero)
        }
        #expect(throws: LifecycleError.stillHangs(.health, .health)) {
            try lifecycle.checkHealth(within: Patience.limit)
        }
        module.isAllowed.set(true)
        try Patience.wait(for: "the end of the late health check") {
            (try? lifecycle.checkHealth(within: Patience.limit)) != nil
        }
        #expect(module.checks.load(ordering: .relaxed) == 2)
    }
}
