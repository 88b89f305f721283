// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import Testing

@Suite("A signal that comes twice", .serialized)
struct SignalPairTests {
    /// No signal of this number comes in a test.
    private let number: Int32 = 63

    private func isSecond(_ sender: Int32, isPassedOn: Bool) -> Bool {
        SignalPair.isSecond(number, from: sender, isPassedOn: isPassedOn)
    }

    @Test("is one signal if one of them was passed on", arguments: [false, true])
    func pair(isPassedOnFirst: Bool) {
        for _ in 0..<3 {
            #expect(!isSecond(7, isPassedOn: isPassedOnFirst))
            #expect(isSecond(7, isPassedOn: !isPassedOnFirst))
        }
    }

    @Test("is two signals if both came in the same way, or from others")
    func others() {
        for (sender, isPassedOn): (Int32, Bool) in [(8, false), (11, true)] {
            for _ in 0..<3 { #expect(!isSecond(sender, isPassedOn: isPassedOn)) }
        }
        #expect(!isSecond(9, isPassedOn: false))
        #expect(!isSecond(10, isPassedOn: true))
        #expect(isSecond(10, isPassedOn: false))
        #expect(!SignalPair.isSecond(62, from: 10, isPassedOn: true))
    }

    @Test("is two signals if the number is none")
    func noNumber() {
        for number: Int32 in [0, -1, 65] {
            for isPassedOn in [false, true] {
                #expect(!SignalPair.isSecond(number, from: 7, isPassedOn: isPassedOn))
            }
        }
    }
}
