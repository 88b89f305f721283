// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@Suite("OutputPattern", .onOwnThreads)
struct OutputPatternTests {
    @Test(
        "takes … for anything in its line, and a line of it for any lines",
        arguments: [
            (["built users in … ms"], "built users in 1.25 ms\n", true),
            (["built … in … ms (…)"], "built users in 1.25 ms (Plugins/users.so)\n", true),
            (["built users in … ms"], "built users in 1.25 s\n", false),
            (["a…a"], "a\n", false),
            (["1 Alice", "2 Bob", ""], "1 Alice\n2 Bob\n", true),
            (["1 Alice"], "1 Alice\n2 Bob\n", false),
            (["1 Alice", "2 Bob"], "1 Alice\n", false),
            (["{", "…", "}"], "{\n  1,\n  2\n}\n", true),
            (["{", "…", "}"], "{\n}\n", true),
            (["{", "…", "]"], "{\n  1\n}\n", false),
            ([], "", true),
            ([], "something\n", false),
            (["a", "", "b"], "a\n\nb\n", true),
            (["a", "", "b"], "a\nb\n", false),
        ])
    func wildcard(lines: [String], output: String, isMatch: Bool) {
        #expect(OutputPattern(lines).matches(output) == isMatch)
    }

    @Test("takes modules that are built at the same time in any order, and nothing else")
    func order() {
        let pattern = OutputPattern(["built a in … ms", "built b in … ms", "1", "2"])
        #expect(pattern.matches("built b in 1 ms\nbuilt a in 2 ms\n1\n2\n"))
        #expect(!pattern.matches("built a in 1 ms\nbuilt b in 2 ms\n2\n1\n"))
    }
}
