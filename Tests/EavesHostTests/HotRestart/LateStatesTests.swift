// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesModules

@Suite("The states that the process before may still have", .onOwnThreads, .patiently)
struct LateStatesTests {
    @Test("hold back who loads a module from when they are expected until they are here")
    func order() throws {
        let states = LateStates()
        states.wait()
        states.expect()
        // Expected once more, they do not hold back anybody longer.
        let hasBegun = Awaited<Bool>()
        let isPast = Awaited<Bool>()
        try DetachedThread.start {
            hasBegun.set(true)
            states.wait()
            isPast.set(true)
        }
        _ = hasBegun.wait()
        states.expect()
        #expect(isPast.wait(within: .milliseconds(20)) == nil)
        states.arrive()
        #expect(isPast.wait())
    }

    @Test("are expected no more once they were here")
    func once() {
        let states = LateStates()
        states.arrive()
        states.expect()
        states.wait()
    }
}
