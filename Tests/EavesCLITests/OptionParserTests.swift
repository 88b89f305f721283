// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesCLI

@Suite("OptionParser")
struct OptionParserTests {
    private static let output = OptionSpec("output", short: "o", value: "PATH", help: "")
    private static let only = OptionSpec("only", value: "ID", help: "")
    private static let release = OptionSpec("release", short: "r", help: "")
    private static let specs = [output, only, release, .verbose]

    /// A command line, and what it has to be parsed into.
    struct Case: CustomTestStringConvertible {
        let words: [String]
        var values: [String: [String]] = [:]
        var operands: [String] = []

        init(_ line: String, _ values: [String: [String]] = [:], _ operands: [String] = []) {
            words = line.split(separator: " ").map(String.init)
            self.values = values
            self.operands = operands
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(
        "parses options of each form, before and after operands",
        arguments: [
            Case(""),
            Case("a b", [:], ["a", "b"]),
            Case("--release", ["release": [""]]),
            Case("-r", ["release": [""]]),
            Case("-rv", ["release": [""], "verbose": [""]]),
            Case("--output x", ["output": ["x"]]),
            Case("--output=x=y", ["output": ["x=y"]]),
            Case("--output=", ["output": [""]]),
            Case("-o x", ["output": ["x"]]),
            Case("-ox", ["output": ["x"]]),
            Case("-rox", ["release": [""], "output": ["x"]]),
            Case("--output --release", ["output": ["--release"]]),
            Case("--only a --only b", ["only": ["a", "b"]]),
            // Shortened, as long as one option alone begins so.
            Case("--rel --out x", ["release": [""], "output": ["x"]]),
            Case("--ou=x", ["output": ["x"]]),
            // Operands keep their order wherever options stand.
            Case("a -r b --output x c", ["release": [""], "output": ["x"]], ["a", "b", "c"]),
            Case("-- --release -x", [:], ["--release", "-x"]),
            Case("a -- -r", [:], ["a", "-r"]),
            Case("-", [:], ["-"]),
        ])
    func forms(expected: Case) throws {
        let parsed = try TestCommand.parse(expected.words, Self.specs)
        #expect(parsed.values == expected.values)
        #expect(parsed.operands == expected.operands)
    }

    @Test(
        "leaves everything after the first operand alone where that is asked for",
        arguments: [
            Case("-v login --name Bob -r", ["verbose": [""]], ["login", "--name", "Bob", "-r"]),
            Case("login -v", [:], ["login", "-v"]),
            Case("-v -- login -- x", ["verbose": [""]], ["login", "--", "x"]),
        ])
    func stops(expected: Case) throws {
        let parsed = try TestCommand.parse(expected.words, Self.specs, stopsAtOperand: true)
        #expect(parsed.values == expected.values)
        #expect(parsed.operands == expected.operands)
    }

    private static let known = ["--output", "--only", "--release", "--verbose"]

    @Test(
        "says which option is wrong, and how",
        arguments: [
            (["--outptu"], CommandError.unknownOption("--outptu", known: known)),
            (["--outptu=x", "a"], .unknownOption("--outptu", known: known)),
            (["a", "--outptu", "b"], .unknownOption("--outptu", known: known)),
            (["-x"], .unknownOption("-x", known: known)),
            (["-?"], .unknownOption("-?", known: known)),
            (["-rx"], .unknownOption("-x", known: known)),
            // While a word of letters is parsed, getopt_long still counts the word before it.
            (["--release", "-xv"], .unknownOption("-x", known: known)),
            (["a", "-xv"], .unknownOption("-x", known: known)),
            (["--release", "-é"], .unknownOption("-é", known: known)),
            // Short for '--output' and '--only'.
            (["--o", "x"], .unknownOption("--o", known: known)),
            (["--output"], .missingValue(option: "--output")),
            (["--out"], .missingValue(option: "--output")),
            (["a", "-o"], .missingValue(option: "-o")),
            (["-ro"], .missingValue(option: "-o")),
            (["--release=yes"], .unexpectedValue(option: "--release")),
            (["--rel=yes"], .unexpectedValue(option: "--release")),
        ])
    func wrong(words: [String], error: CommandError) {
        #expect(throws: error) { try TestCommand.parse(words, Self.specs) }
    }

    @Test("reports the first wrong option")
    func first() {
        #expect(throws: CommandError.unknownOption("-x", known: Self.known)) {
            try TestCommand.parse(["-x", "--outptu"], Self.specs)
        }
    }

    @Test("begins anew after a command line that it refused")
    func again() throws {
        #expect(throws: CommandError.self) { try TestCommand.parse(["-rxv", "a"], Self.specs) }
        let parsed = try TestCommand.parse(["-v", "b"], Self.specs)
        #expect(parsed.values == ["verbose": [""]])
        #expect(parsed.operands == ["b"])
    }
}
