// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import EavesManifest
import Testing

@testable import EavesCLI

@Suite("The options of a command")
struct OptionTests {
    private static let output = OptionSpec("output", short: "o", value: "PATH", help: "")
    private static let only = OptionSpec("only", value: "ID", help: "")
    private static let release = OptionSpec("release", short: "r", help: "")
    private static let specs = [output, only, release, .verbose]

    private func parser(_ specs: [OptionSpec], stopsAtOperand: Bool = false) -> LaunchParser {
        LaunchParser(
            specs.map(\.declaration), feature: nil, summary: "",
            command: LaunchParser.Command(
                operands: "", discussion: "", stopsAtOperand: stopsAtOperand))
    }

    private func parse(_ words: [String], stopsAtOperand: Bool = false) throws -> ParsedOptions {
        let parser = parser(Self.specs, stopsAtOperand: stopsAtOperand)
        return try #require(try ParsedOptions(words, Self.specs, parser))
    }

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
        let parsed = try parse(expected.words)
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
        let parsed = try parse(expected.words, stopsAtOperand: true)
        #expect(parsed.values == expected.values)
        #expect(parsed.operands == expected.operands)
    }

    @Test(
        "says which option is wrong, and how",
        arguments: [
            (["--outptu"], "unknown option '--outptu', did you mean '--output'?"),
            (["--outptu=x", "a"], "unknown option '--outptu', did you mean '--output'?"),
            (["a", "--outptu", "b"], "unknown option '--outptu', did you mean '--output'?"),
            (["-x"], "unknown option '-x'"), (["-?"], "unknown option '-?'"),
            (["-5"], "unknown option '-5'"), (["--help=x"], "option '--help' takes no value"),
            (["-rx"], "unknown option '-x'"), (["--release", "-xv"], "unknown option '-x'"),
            (["--release", "-é"], "unknown option '-é'"),
            // Short for two options.
            (["--o", "x"], "unknown option '--o', did you mean '--only' or '--output'?"),
            (["--output"], "option '--output' needs a value"),
            (["--out"], "option '--output' needs a value"),
            (["a", "-o"], "option '-o' needs a value"), (["-ro"], "option '-o' needs a value"),
            (["--release=yes"], "option '--release' takes no value"),
            (["--rel=yes"], "option '--release' takes no value"),
            // The first one is named.
            (["-x", "--outptu"], "unknown option '-x'"),
        ])
    func wrong(words: [String], message: String) {
        let error = #expect(throws: CommandError.self) { try parse(words) }
        let expected = Diagnostic(message, fix: "see the options with '--help'", code: .usage)
        #expect(error?.diagnostics == [expected])
    }

    @Test("is an option only behind a '=' if its value may be missing")
    func optionalValue() throws {
        let specs = [OptionSpec("wait", value: "SECONDS", isValueOptional: true, help: "")]
        let parser = parser(specs)
        let bare = try #require(try ParsedOptions(["--wait", "3"], specs, parser))
        #expect(bare.values == ["wait": [""]])
        #expect(bare.operands == ["3"])
        #expect(try ParsedOptions(["--wait=3"], specs, parser)?.values == ["wait": ["3"]])
    }

    @Test("asks for help, also where that is shortened")
    func help() throws {
        for word in ["--help", "-h", "--hel"] {
            #expect(try ParsedOptions([word], Self.specs, parser(Self.specs)) == nil)
        }
    }
}

@Suite("ParsedOptions")
struct ParsedOptionsTests {
    private let only = OptionSpec("only", value: "ID", help: "")

    @Test("knows which options were given, and takes the last value of one")
    func values() {
        let options = ParsedOptions(values: ["only": ["a", "b"], "json": [""]])
        #expect(options.has(.json))
        #expect(!options.has(.verbose))
        #expect(options.value(only) == "b")
        #expect(options.allValues(only) == ["a", "b"])
        #expect(options.value(.verbose) == nil)
        #expect(options.allValues(.verbose) == [])
    }

    @Test("says where it searched in vain")
    func none() {
        #expect(throws: CommandError.noManifest(folder: "/")) {
            try ParsedOptions().manifest(from: "/")
        }
    }

    @Test("takes the manifest that is named, relative to the folder")
    func named() throws {
        let workspace = try Workspace(manifest: #"{"manifest": 1, "launch": "outer"}"#)
        try workspace.write("a/other.json", #"{"manifest": 1, "launch": "other"}"#)
        for path in ["other.json", workspace("a/other.json")] {
            let options = ParsedOptions(values: ["manifest": ["nowhere.json", path]])
            #expect(try options.manifest(from: workspace("a")).launch == "other")
        }
        let missing = ParsedOptions(values: ["manifest": ["missing.json"]])
        #expect(throws: ManifestError.self) { try missing.manifest(from: workspace.path) }
    }
}
