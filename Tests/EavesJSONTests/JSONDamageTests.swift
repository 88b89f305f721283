// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Testing

@Suite("Damaged JSON")
struct JSONDamageTests {
    private static let text = #"""
        { "$schema": "./s.json", "ä🐦": [1, -2.5e3, true, false, null],
          "modules": { "u-s": { "library": "v/\u00e4\ud83d\udc26\n.so", "e": {} } },
          "launch": "login" }
        """#

    @Test("refuses each beginning of a text, without a crash")
    func truncated() throws {
        let bytes = Array(Self.text.utf8)
        _ = try JSONNode.parse(bytes)
        for count in 0..<bytes.count {
            let error = syntaxError(in: Array(bytes[..<count]))
            #expect(error != nil, "\(count) bytes were read as JSON")
        }
    }

    @Test("a text with one changed byte is read or refused; if it is read, it can be written")
    func flipped() throws {
        let bytes = Array(Self.text.utf8)
        var (read, refused) = (0, 0)
        // The step has no divisor in common with the number of values: each byte gets others.
        for change in Soak.sample(0..<bytes.count * 256, every: 21) {
            let (offset, value) = (change / 256, UInt8(change % 256))
            if value == bytes[offset] { continue }
            var damaged = bytes
            damaged[offset] = value
            do throws(JSONSyntaxError) {
                let node = try JSONNode.parse(damaged)
                let written = Array(node.value.text(pretty: false).utf8)
                #expect(try JSONNode.parse(written).value == node.value)
                read += 1
            } catch {
                #expect(!error.message.isEmpty && error.position.line <= 4)
                refused += 1
            }
        }
        #expect(read > 0 && refused > 0)
    }
}
