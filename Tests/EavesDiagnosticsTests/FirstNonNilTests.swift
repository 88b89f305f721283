// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@Suite("The first result that is not nil")
struct FirstNonNilTests {
    @Test("asks each element once, up to the one that has a result")
    func once() {
        var asked: [Int] = []
        let found = [1, 2, 3].firstNonNil { number -> String? in
            // A second answer would be nil.
            defer { asked.append(number) }
            return number == 2 && !asked.contains(2) ? "two" : nil
        }
        #expect(found == "two")
        #expect(asked == [1, 2])
        #expect([1, 2].firstNonNil { _ in String?.none } == nil)
    }
}
