// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import Testing

@Suite("Versions of the interface")
struct InterfaceVersionTests {
    @Test("are two numbers", arguments: [("1.0", 1, 0), ("12.34", 12, 34), ("0.1", 0, 1)])
    func reads(text: String, major: Int, minor: Int) {
        let version = InterfaceVersion(text)
        #expect(version == InterfaceVersion(major: major, minor: minor))
        #expect(version?.description == text)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "1", "1.", ".1", "1.0.0", "+1.0", "-1.0", "1.-1", "a.b", " 1.0", "1.0 ", "١.٠",
            "99999999999999999999.0",
        ])
    func refuses(text: String) {
        #expect(InterfaceVersion(text) == nil)
    }

    @Test("compare as numbers, not as text")
    func order() throws {
        let texts = ["1.2", "1.10", "2.0", "10.0"]
        #expect(
            texts.shuffled().compactMap(InterfaceVersion.init).sorted().map(\.description) == texts)
    }
}
