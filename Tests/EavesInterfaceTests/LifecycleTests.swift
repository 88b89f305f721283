// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Testing

@Suite("A life cycle")
struct LifecycleTests {
    private struct Nothing: Lifecycle {}

    private final class Number: StateHandover {
        func snapshot() -> [UInt8] { [7] }
        func restore(_ snapshot: [UInt8]) throws { if snapshot != [7] { throw Broken() } }
    }

    @Test("starts, stops and is healthy unless the module says otherwise")
    func defaults() throws {
        let nothing: any Lifecycle = Nothing()
        try nothing.start(MinimalResolver { _ throws(ResolutionError) in 1 })
        #expect(try nothing.isHealthy)
        try nothing.stop()
        #expect(!(nothing is any StateHandover))
    }

    @Test("of a module is given while it registers, and may hand over state")
    func state() throws {
        let registrar = KeepingRegistrar()
        registrar.lifecycle(Number())
        let given = try #require(registrar.lifecycles.first as? any StateHandover)
        #expect(try given.snapshot() == [7])
        #expect(throws: Broken.self) { try given.restore([]) }
    }
}
