// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesDiagnostics

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
