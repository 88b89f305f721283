// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import Testing

@Suite struct PathTests {
    @Test(
        "joins a name to a folder",
        arguments: [
            ("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), (".", "b", "b"),
            ("", "b", "b"),
            ("a", "/b", "/b"), ("a/b", "../c", "a/b/../c"),
        ])
    func join(folder: String, name: String, expected: String) {
        #expect(Path.join(folder, name) == expected)
    }

    @Test(
        "takes a path apart",
        arguments: [
            ("Plugins/users.so", "users.so", "Plugins"), ("users.so", "users.so", "."),
            ("/users.so", "users.so", "/"), ("/a/b/", "b", "/a"), ("/", "/", "/"),
            ("a//b", "b", "a"), ("a/.b", ".b", "a"), ("a/b.c/d.e", "d.e", "a/b.c"),
            ("a/\u{301}b", "\u{301}b", "a"), ("", "/", "."),
        ])
    func parts(path: String, name: String, parent: String) {
        #expect(Path.name(of: path) == name)
        #expect(Path.parent(of: path) == parent)
    }

    @Test(
        "makes a path absolute without reading the disk",
        arguments: [
            ("users.so", "/a", "/a/users.so"), ("/x", "/a", "/x"), ("../x", "/a/b", "/a/x"),
            ("./x//y/.", "/a", "/a/x/y"), ("../../../x", "/a", "/x"), ("", "/a", "/a"),
            ("/x/.y/z.so", "/a", "/x/.y/z.so"), ("/x/..", "/a", "/"), ("/x/", "/a", "/x"),
            (".", "/", "/"), ("a\u{308}/\u{301}b/..", "/", "/a\u{308}"),
        ])
    func absolute(path: String, folder: String, expected: String) {
        #expect(Path.absolute(path, from: folder) == expected)
    }

    @Test("a relative folder is relative to the working directory")
    func relativeFolder() {
        #expect(Path.absolute("x", from: "a") == Path.absolute("a/x"))
        #expect(Path.absolute("x") == Path.absolute("x", from: Path.current))
    }

    @Test(
        "shortens paths inside a folder, and no others",
        arguments: [
            ("/a/b/c", "/a", "b/c"), ("/a/b", "/", "a/b"), ("/ab/c", "/a", "/ab/c"),
            ("/a", "/a", "/a"),
            ("/x", "/a", "/x"),
            // For Swift these are equal, for the system they are two folders.
            ("/e\u{301}/x", "/\u{e9}", "/e\u{301}/x"),
            ("/a/\u{301}x", "/a", "\u{301}x"),
        ])
    func relative(path: String, folder: String, expected: String) {
        let relative = Path.relative(path, to: folder)
        #expect(Array(relative.utf8) == Array(expected.utf8))
    }
}

@Suite("A text that keeps the bytes of the system")
struct KeptBytesTests {
    private static let parts: [[UInt8]] = [
        [0x61], [0xe9], [0xc3], [0xa4], [0xf4, 0x8f], [0xbf], [0xbe, 0x80], [0xed, 0xa0, 0x80],
    ]
    private static let own = parts[..<3].map { String(keeping: $0) }

    @Test("is valid UTF-8 as it is, and gives all bytes back, which no other text stands for")
    func bytes() {
        #expect(String(keeping: Array("häuser 🐦".utf8)) == "häuser 🐦")
        #expect(String(keeping: [0xf4, 0x8f, 0xbd, 0xbf]) == "\u{10FF7F}")
        let (parts, own) = (Self.parts, Self.own)
        let all = parts.flatMap { a in parts.flatMap { b in parts.map { a + b + $0 } } }
        #expect(all.allSatisfy { String(keeping: $0).keptBytes == $0 })
        #expect(Set(all.map { String(keeping: $0) }).count == Set(all).count)
        #expect(own.map(\.keepsBytes) == [false, true, true])
        #expect(own[1].shellWord == #""$(printf '\351')""#)
    }

    @Test(
        "takes the place of arguments whose bytes were replaced, if they follow each other so",
        arguments: [
            (["a", "\u{FFFD}", "\u{FFFD}"], own), (["\u{FFFD}"], [own[2]]),
            (["\u{FFFD}", "a"], ["\u{FFFD}", "a"]), (["a", "b"], ["a", "b"]), ([], []),
        ])
    func arguments(given: [String], kept: [String]) {
        #expect(CommandLine.keeping(given, of: Self.own) == kept)
    }
}
