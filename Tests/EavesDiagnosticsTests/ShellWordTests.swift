// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EavesDiagnostics

@Suite("A word of a command that is shown")
struct ShellWordTests {
    private static let texts = [
        "users.so", "Plugins/a_b-c.d:e=f,g@h%i+j", "my file", "it's", "'", "''", "a\"b", "$HOME",
        "$(id)", "`id`", "a\\b", "a\\", "!!", "*", "?", "[a]", "{a,b}", "~", "~root", "#", "a;b",
        "a&b",
        "a|b", "<a>", "(a)", " ", "", "ä🐦", "a\nb", "\n", "\na", "a'\nb", "a\\\nb", "a%s\nb",
        "-n\na", "a\tb",
        "\u{1b}[2J", "a\u{7}b", "\u{202e}x", "\u{9b}31m", "\u{2028}", "$'\n'x", "\"\nx", "`\nx",
    ]

    /// The arguments that a real shell makes of a command line.
    private static func arguments(_ line: String, of shell: String = "/bin/sh") throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = ["-c", "printf '<%s>' \(line)"]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test("is the text again for a shell, one word, whatever it contains", arguments: texts)
    func word(text: String) throws {
        let word = text.shellWord
        #expect(word.isOneLine)
        if text.last != "\n" { #expect(try Self.arguments(word) == "<\(text)>") }
    }

    private static let bash = "/bin/bash"

    @Test(
        "is the text again for bash, too",
        .enabled(if: FileManager.default.isExecutableFile(atPath: bash), "needs bash"),
        arguments: texts)
    func wordOfBash(text: String) throws {
        #expect(try Self.arguments(text.shellWord, of: Self.bash) == "<\(text)>")
    }

    @Test("is the text itself if a shell takes that as it is")
    func plain() {
        #expect("Plugins/users.so".shellWord == "Plugins/users.so")
        #expect("my file".shellWord == "\"my file\"")
        #expect("my $file".shellWord == "'my $file'")
        #expect("".shellWord == "\"\"")
    }

    @Test("is no option if it is a path", arguments: ["-rf", "-a b", "--help", "-\n-"])
    func path(text: String) throws {
        #expect(try Self.arguments(text.shellPath) == "<./\(text)>")
        #expect("a-b".shellPath == "a-b")
    }
}

@Suite("A foreign text")
struct ForeignTextTests {
    @Test(
        "is one line only without control characters",
        arguments: ["a\nb", "\u{1b}[31m", "\u{7f}", "\u{9b}31m", "\u{2028}", "\u{202e}x", "\r"])
    func oneLine(text: String) {
        #expect(!text.isOneLine)
        #expect("größer 👩‍👧".isOneLine && "".isOneLine)
    }

    @Test("has its further lines indented in a message")
    func indented() {
        #expect("one".indented == "one")
        #expect("one\nerror: two\r\nthree\n\n".indented == "one\n  error: two\r\n  three")
        #expect("\nfix: it".indented == "\n  fix: it")
    }
}

@Suite("A list of names in a message")
struct AbridgementTests {
    @Test("is whole if it is short, and says how many are left out if it is long")
    func names() {
        let names = (1...7).map { "m\($0)" }
        #expect(names.prefix(0).abridged(by: ", ") == "")
        #expect(names.prefix(5).abridged(by: ", ") == "m1, m2, m3, m4, m5")
        #expect(names.abridged(by: " and ") == "m1 and m2 and m3 and m4 and m5 and 2 more")
        #expect(names.abridged(by: ", ", limit: 1) == "m1 and 6 more")
    }

    @Test("of alternatives ends with the number of others")
    func choice() {
        let names = (1...7).map { "m\($0)" }
        #expect(names.prefix(3).abridgedChoice() == "m1 or m2 or m3")
        #expect(names.prefix(4).abridgedChoice() == "m1 or m2 or m3 or m4")
        #expect(names.prefix(5).abridgedChoice() == "m1 or m2 or m3 or one of 2 others")
        #expect(names.abridgedChoice() == "m1 or m2 or m3 or one of 4 others")
    }
}
