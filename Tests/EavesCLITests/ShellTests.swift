// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@testable import EavesCLI

@Suite("The words of a shell's line")
struct ShellTests {
    @Test(
        "are split as sh does it",
        arguments: [
            ("", []), ("  \t ", []), ("list", ["list"]), ("  swap  A\tb ", ["swap", "A", "b"]),
            ("a 'b c' d", ["a", "b c", "d"]), (#"a "b c""#, ["a", "b c"]),
            (#"'it'"'"'s'"#, ["it's"]), (#"a\ b c"#, ["a b", "c"]), (#"a\\b"#, [#"a\b"#]),
            (#""a\"b" "a\\b" "a\b""#, [#"a"b"#, #"a\b"#, #"a\b"#]), (#"'a\b'"#, [#"a\b"#]),
            ("'' \"\"", ["", ""]), ("a''b", ["ab"]), ("# list", []), ("list # all", ["list"]),
            ("a#b '#'", ["a#b", "#"]), ("launch é 日本", ["launch", "é", "日本"]), ("a\r", ["a"]),
            (##"\# a"##, ["#", "a"]),
        ].map { ($0.0, $0.1 as [String]) })
    func words(line: String, words: [String]) throws {
        #expect(try Shell.words(of: line) == words)
    }

    /// Each further byte once took as long as all before it: this line would have taken minutes.
    @Test("of a line of megabytes are split, and none is near to it")
    func long() throws {
        let word = String(repeating: "a", count: 4 << 20)
        let words = try Shell.words(of: "\(word) '\(word)' b")
        #expect(words.map(\.utf8.count) == [word.utf8.count, word.utf8.count, 1])
        let error = CommandError.unknownShellCommand(word, known: ["list", "launch"])
        #expect(error.diagnostics.first?.message.contains("did you mean") == false)
    }

    @Test("are refused if a quotation does not end")
    func unclosed() {
        #expect(throws: CommandError.unfinishedQuotation("'", "a 'b")) {
            try Shell.words(of: "a 'b")
        }
        #expect(throws: CommandError.unfinishedQuotation("\"", #"a "b\""#)) {
            try Shell.words(of: #"a "b\""#)
        }
        #expect(throws: CommandError.unfinishedQuotation("\\", #"a\"#)) {
            try Shell.words(of: #"a\"#)
        }
    }
}
