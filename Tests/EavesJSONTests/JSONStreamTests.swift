// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesTestSupport
import Testing

@Suite("Writing JSON piece by piece")
struct JSONStreamTests {
    private func text(_ body: (inout JSONStream) -> Void) -> (text: String, pieces: Int) {
        var (bytes, pieces): ([UInt8], Int) = ([], 0)
        var stream = JSONStream {
            bytes += $0
            pieces += 1
        }
        body(&stream)
        stream.finish()
        return (String(decoding: bytes, as: UTF8.self), pieces)
    }

    @Test("writes the same text as for a value in one piece")
    func sameAsWhole() {
        let value: JSON = [
            "schema": 1, "empty": [], "none": nil,
            "list": [["name": "a\n\"ä\u{1b}\"", "on": true], ["name": "b", "on": false]],
            "names": ["x/y.so", "\\"], "nothing": [:], "k\"": "v",
        ]
        let written = text { json in
            json.object { json in
                json.value("schema", 1)
                json.array("empty") { _ in }
                json.string("none", nil)
                json.array("list") { json in
                    json.object { json in
                        json.string("name", "a\n\"ä\u{1b}\"")
                        json.value("on", true)
                    }
                    json.object { json in
                        json.string("name", unescaped: [UInt8(ascii: "b")].span)
                        json.value("on", false)
                    }
                }
                json.array("names") { json in
                    json.string(nil, unescaped: Array("/y.so".utf8).span, after: "x")
                    json.string(nil, "\\")
                }
                json.object("nothing") { _ in }
                json.member("k\"", "v")
            }
        }
        #expect(written.text == value.text(pretty: true) + "\n")
        #expect(written.pieces == 1)
    }

    @Test(
        "loses nothing of texts that are longer than what is kept back",
        arguments: Array(32_766...32_770) + Soak.sample(32_700...32_800, every: 20))
    func long(length: Int) {
        let parts = [length, 70_000, 3, 40_000].map { String(repeating: "x", count: $0) }
        let written = text { json in
            json.array { json in
                for part in parts { json.string(nil, part) }
            }
        }
        #expect(written.text == JSON.array(parts.map { .string($0) }).text(pretty: true) + "\n")
    }
}
