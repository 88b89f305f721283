// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@Suite("Near matches")
struct NearMatchTests {
    @Test(
        "suggests near candidates, nearest first",
        arguments: [
            ("libary", ["library", "enabled"], ["library"]),
            ("librayr", ["library"], ["library"]),
            ("Library", ["library"], ["library"]),
            ("usres", ["users", "users-v2", "home"], ["users"]),
            ("user", ["users-memory", "users", "home"], ["users", "users-memory"]),
            ("users", ["user", "users-v2", "uses", "users"], ["users", "user", "uses"]),
            ("UserServce", ["UserService", "Routing"], ["UserService"]),
            ("x", ["y"], ["y"]), ("x", ["yz"], []),
            ("a", ["alpha", "beta"], []), ("al", ["alpha", "beta"], ["alpha"]),
            ("quux", ["users", "home"], []), ("kitten", ["sitting"], []), ("books", ["backs"], []),
            ("", ["a"], ["a"]), ("", ["users"], []), ("users", [], []),
        ])
    func suggestions(word: String, candidates: [String], expected: [String]) {
        #expect(NearMatch.suggestions(for: word, among: candidates) == expected)
    }

    @Test("names each candidate once")
    func duplicates() {
        #expect(NearMatch.suggestions(for: "usrs", among: ["users", "users"]) == ["users"])
    }

    @Test("suggests at most three, the same ones every time")
    func atMostThree() {
        let candidates = ["m5", "m3", "m1", "m4", "m2"]
        #expect(NearMatch.suggestions(for: "m0", among: candidates) == ["m1", "m2", "m3"])
    }

    @Test(
        "asks in a sentence",
        arguments: [
            ("m", [], nil), ("mm", ["mn"], "did you mean 'mn'?"),
            ("mm", ["mo", "mn"], "did you mean 'mn' or 'mo'?"),
            ("mm", ["mo", "mp", "mn"], "did you mean 'mn', 'mo' or 'mp'?"),
        ] as [(String, [String], String?)])
    func question(word: String, candidates: [String], expected: String?) {
        #expect(NearMatch.question(for: word, among: candidates) == expected)
    }
}
