// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import Testing

@Suite("Names")
struct NameRuleTests {
    @Test(
        "are allowed",
        arguments: [
            (NameRule.moduleID, "users-v2"), (.moduleID, "a.b_c-d"), (.moduleID, "0"),
            (.moduleID, "a.."), (.serviceName, "_x1"), (.serviceName, "a.b.c"),
            (.moduleID, String(repeating: "a", count: 64)),
            (.featureName, "Users"),
            (.featureName, String(repeating: "A", count: 64)),
            (.version, String(repeating: "1", count: 64)), (.serviceName, "UserService"),
            (.serviceName, "Users.Größe"),
            (.serviceName, "_S"), (.version, "1.0.0-beta.2+5"), (.line, ""),
            (.line, "Zeilen – ja 👩‍🚀"),
            (.name, "x"), (.typeName, "SunnyModule"), (.typeName, "Sunny.Main"),
        ])
    func allowed(rule: NameRule, text: String) {
        #expect(rule.allows(text))
    }

    @Test(
        "are refused",
        arguments: [
            (NameRule.moduleID, ""), (.moduleID, "Users"), (.moduleID, "-a"), (.moduleID, ".a"),
            (.moduleID, "_a"), (.moduleID, "a b"), (.moduleID, "a\0"), (.moduleID, "a\n"),
            (.serviceName, "."), (.serviceName, "a..b"), (.serviceName, "a-b"),
            (.serviceName, "a<B>"), (.serviceName, "a\0"),
            (.moduleID, "a/b"), (.moduleID, "é"), (.moduleID, String(repeating: "a", count: 65)),
            (.featureName, "a b"), (.featureName, "--help"), (.featureName, ""),
            (.featureName, String(repeating: "A", count: 65)),
            (.version, String(repeating: "1", count: 65)),
            (.serviceName, ""), (.serviceName, "A."), (.serviceName, ".A"), (.serviceName, "1A"),
            (.serviceName, "any P"), (.version, ""), (.version, "1 0"), (.version, "v\n"),
            (.line, "a\nb"), (.line, "\u{1b}[31m"), (.line, "\u{7f}"), (.line, "\u{9b}31m"),
            (.typeName, ""), (.typeName, "my-module"), (.typeName, "Sunny<Int>"),
            (.line, "\u{202e}txt"), (.line, "a\u{2028}b"), (.name, ""),
        ])
    func refused(rule: NameRule, text: String) {
        #expect(!rule.allows(text))
    }
}
