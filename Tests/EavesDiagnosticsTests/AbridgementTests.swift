// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@Suite("A list of names in a message")
struct AbridgementTests {
    @Test("is whole if it is short, and says how many are left out if it is long")
    func names() {
        let names = (1...7).map { "m\($0)" }
        #expect(names.prefix(0).abridged(by: ", ") == "")
        #expect(names.prefix(5).abridged(by: ", ") == "m1, m2, m3, m4, m5")
        #expect(names.abridged(by: " and ") == "m1 and m2 and m3 and m4 and m5 and 2 more")
        #expect(names.abridged(by: ", ", limit: 1) == "m1 and 6 more")
    }

    @Test("of alternatives ends with the number of others")
    func choice() {
        let names = (1...7).map { "m\($0)" }
        #expect(names.prefix(3).abridgedChoice() == "m1 or m2 or m3")
        #expect(names.prefix(4).abridgedChoice() == "m1 or m2 or m3 or m4")
        #expect(names.prefix(5).abridgedChoice() == "m1 or m2 or m3 or one of 2 others")
        #expect(names.abridgedChoice() == "m1 or m2 or m3 or one of 4 others")
    }
}
