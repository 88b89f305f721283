// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTools
import EavesSystem
import Testing

@Suite struct KeptOutputTests {
    private func kept(_ pieces: [String], limit: Int) -> String {
        var output = KeptOutput(limit: limit)
        for piece in pieces { output.append(piece.utf8) }
        #expect(output.count == pieces.map(\.utf8.count).reduce(0, +))
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test("keeps all that fits, however it comes")
    func fits() {
        #expect(kept([], limit: 4) == "")
        #expect(kept(["abcd"], limit: 4) == "abcd")
        #expect(kept(["a", "bc", "d"], limit: 4) == "abcd")
    }

    @Test("keeps the beginning and the end, and says how much is missing")
    func cut() {
        #expect(kept(["abcdefgh"], limit: 4) == "ab\n[4 bytes are left out here]\ngh")
        #expect(kept("abcde".map(String.init), limit: 4) == "ab\n[1 bytes are left out here]\nde")
        let letters = Array(repeating: "0123456789", count: 100)
        #expect(kept(letters, limit: 20).hasSuffix("\n0123456789"))
    }
}
