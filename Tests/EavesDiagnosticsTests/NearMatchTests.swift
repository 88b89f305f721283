// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesDiagnostics

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

@Suite("a text in another one")
struct SearchingTests {
    @Test(
        "is found at any place",
        arguments: [
            ("abcabd", "abd", ""), ("abcabd", "abc", "abd"), ("aab", "ab", ""), ("x", "x", ""),
            ("größe: 3", "öße", ": 3"), ("a", "", "a"), ("", "", ""),
        ])
    func found(text: String, part: String, rest: String) {
        #expect(text.includes(part))
        #expect(text.part(after: part).map(String.init) == rest)
    }

    @Test(
        "is not found if only a part of it occurs",
        arguments: [("abcab", "abd"), ("ab", "abc"), ("", "a"), ("größe", "grosse")])
    func missing(text: String, part: String) {
        #expect(!text.includes(part))
        #expect(text.part(after: part) == nil)
        #expect(text.removing(part) == text)
    }

    @Test(
        "is removed at each occurrence",
        arguments: [
            ("a--b--c", "--", "abc"), ("-----", "--", "-"), ("--", "--", ""), ("ä.ö.", ".", "äö"),
        ])
    func removed(text: String, part: String, rest: String) {
        #expect(text.removing(part) == rest)
    }
}

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
