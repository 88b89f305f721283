// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import Testing

@testable import EavesCLI

@Suite("Invocation")
struct InvocationTests {
    private static let commands = [
        "init", "new", "list", "launch", "open", "shell", "inspect", "validate", "build", "verify",
        "quarantine", "swap", "rollback", "history", "generations", "enable", "disable", "add",
        "remove", "pin",
        "sign", "trust", "interface", "graph", "audit", "completion", "man",
    ]

    /// A word that is not UTF-8.
    private static let odd = String(keeping: [0x63, 0xe9])

    private func command(_ words: String...) throws -> (name: String, ParsedOptions) {
        guard case .run(let command, let options) = try Invocation(words) else {
            Issue.record("no command: \(words)")
            return ("", ParsedOptions())
        }
        return (command.name, options)
    }

    private func shown(_ words: String...) throws -> (text: String, code: Int32) {
        guard case .show(let text, let code) = try Invocation(words) else {
            Issue.record("no text: \(words)")
            return ("", -1)
        }
        return (text, code)
    }

    @Test("finds each command with its options and operands")
    func commands() throws {
        #expect(Subcommand.all.map(\.name) == Self.commands)
        let (build, options) = try command("build", "-r", "a", "--verbose", "b")
        #expect(build == "build")
        #expect(options.values == ["release": [""], "verbose": [""]])
        #expect(options.operands == ["a", "b"])
    }

    @Test("only the commands that run features wait")
    func kinds() {
        let waiting = (Subcommand.all + Subcommand.hidden).compactMap { command in
            if case .asynchronous = command.run { command.name } else { nil }
        }
        #expect(waiting == ["launch", "open", "shell", Subcommand.start.name])
    }

    @Test("gives a feature all that stands after its name")
    func feature() throws {
        let (_, options) = try command("launch", "-v", "login", "--help", "-v", "--", "--name")
        #expect(options.values == ["verbose": [""]])
        #expect(options.operands == ["login", "--help", "-v", "--", "--name"])
        #expect(try command("launch", "login", Self.odd).1.operands == ["login", Self.odd])
    }

    @Test("takes '--manifest' before the command and after it, where it counts more")
    func manifest() throws {
        #expect(try command("--manifest", "a", "list").1.value(.manifest) == "a")
        #expect(try command("list", "--manifest", "b").1.value(.manifest) == "b")
        #expect(try command("--manifest=a", "list", "--manifest", "b").1.value(.manifest) == "b")
    }

    @Test("shows help wherever it is asked for")
    func help() throws {
        for words in [["--help"], ["-h"], ["help"]] {
            let outcome = TestCommand.run(words)
            #expect(outcome.output == Help.overview)
            #expect(outcome.code == 0)
        }
        for name in Self.commands {
            let text = try shown("help", name).text
            #expect(text.contains("usage: eaves \(name) [OPTION…]"))
            #expect(try shown("--help", name).text == text)
            #expect(try shown(name, "--help").text == text)
            #expect(try shown(name, "-h").text == text)
            #expect(try shown(name, "--help").code == 0)
        }
        // Also where the operands are missing or too many.
        #expect(try shown("swap", "--help", "a", "b", "c").text.contains("SERVICE MODULE"))
    }

    @Test("without a command, the application starts")
    func nothing() throws {
        #expect(try command().name == Subcommand.start.name)
        #expect(try command("--manifest", "x").1.value(.manifest) == "x")
    }

    @Test("shows the version")
    func version() throws {
        let (text, code) = try shown("--version")
        #expect(text == "eaves 0.1.0 (interface 1.1, ABI 1)\n")
        #expect(code == 0)
    }

    @Test(
        "refuses a word that is not UTF-8, and would mean another file",
        arguments: [["inspect", odd], ["--manifest", odd, "launch", "x"]])
    func notUTF8(words: [String]) {
        let outcome = TestCommand.run(words)
        #expect(outcome.code == 74)
        #expect(outcome.errors.hasPrefix(#"error: cannot use 'c\xe9': its name is not UTF-8"#))
    }

    @Test(
        "refuses a wrong command line, and says what it expected",
        arguments: [
            (["lst"], "unknown command 'lst', did you mean 'list'?"),
            (["help", "lanch"], "unknown command 'lanch', did you mean 'launch'?"),
            (["--help", "swp"], "unknown command 'swp', did you mean 'swap'?"),
            (["xyzzy"], "unknown command 'xyzzy'"),
            // A verifying process alone starts this one.
            (["verify-probe"], "unknown command 'verify-probe'"),
            (["--jsn", "list"], "unknown option '--jsn'"),
            (["list", "--jsn"], "unknown option '--jsn', did you mean '--json'?"),
            (["--manifest"], "option '--manifest' needs a value"),
            (["list", "--json=1"], "option '--json' takes no value"),
            (["list", "a", "b"], "'eaves list' expects [PATTERN], found 'a b'"),
            (["swap", "a"], "'eaves swap' expects SERVICE MODULE, found 'a'"),
            (["swap", "a", "b", "c"], "'eaves swap' expects SERVICE MODULE, found 'a b c'"),
            (["enable"], "'eaves enable' expects ID, found nothing"),
            (["enable", "a", "b"], "'eaves enable' expects ID, found 'a b'"),
            (["disable"], "'eaves disable' expects ID, found nothing"),
            (["add"], "'eaves add' expects FILE, found nothing"),
            (["remove", "a", "b"], "'eaves remove' expects ID, found 'a b'"),
            (["inspect"], "'eaves inspect' expects FILE-OR-ID, found nothing"),
            (["sign"], "'eaves sign' expects ID-OR-FILE…, found nothing"),
            (["rollback", "0"], "expects a number of steps, 1 or more, found '0'"),
            (
                ["rollback", "--wait", "a"],
                "option '--wait' is for changes of the manifest, and the file of 'a' is none"
            ),
            (["rollback", "1", "2"], "'eaves rollback' expects [STEPS | MODULE], found '1 2'"),
            (["validate", "a"], "'eaves validate' expects no operands, found 'a'"),
            (["quarantine", "clean"], "'eaves quarantine' expects nothing, 'clear ID…' or"),
            (["quarantine", "clear"], "or 'clear --all', found 'clear'"),
            (["quarantine", "--all"], "or 'clear --all', found '--all'"),
            (["quarantine", "clear", "a", "--all"], "or 'clear --all', found 'clear a'"),
            (["verify", "--timeout", "soon"], "from 0.001 to 86400, found 'soon'"),
            (["verify", "--timeout", "0"], "from 0.001 to 86400, found '0'"),
            (["verify", "--timeout", "86400.1"], "from 0.001 to 86400, found '86400.1'"),
            (["verify", "--timeout", "nan"], "from 0.001 to 86400, found 'nan'"),
        ])
    func wrong(words: [String], message: String) {
        let outcome = TestCommand.run(words)
        #expect(outcome.code == 64)
        #expect(outcome.output == "")
        let line = outcome.errors.split(separator: "\n").first ?? ""
        #expect(line.hasPrefix("error: "))
        #expect(line.hasSuffix(message) || line.contains(message + " "), "\(outcome)")
        #expect(outcome.errors.contains("\nfix: "), "\(outcome)")
    }
}

@Suite("operands that name modules")
struct ModuleOperandsTests {
    @Test(
        "are files if they have a slash or end in .so, else ids",
        arguments: [
            ("users", false), ("users.so", true), ("./users", true), ("/a/users", true),
            ("users.so.sig", false), ("so", false), (".so", true),
        ])
    func kinds(word: String, isFile: Bool) {
        #expect(word.namesFile == isFile)
    }

    private func operands(_ workspace: Workspace, manifest: Bool = true) throws -> ModuleOperands {
        let options = ParsedOptions(values: ["manifest": [workspace("manifest.json")]])
        return ModuleOperands(in: manifest ? try options.manifest() : nil)
    }

    @Test("find a module by its id, and a file by its path")
    func both() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        try workspace.addFile("else/where.so", "far")
        let operands = try operands(workspace)
        #expect(try operands.module("home").path == "Plugins/home.so")
        #expect(try operands.module(workspace("else/where.so")).id == "far")
        let gone = try operands.module(workspace("gone.so"))
        #expect(gone.state == .missing)
        #expect(throws: CommandError.noFileOrModule("hom", known: ["home"])) {
            try operands.module("hom")
        }
        let catalog = try #require(operands.catalog)
        #expect(try catalog.module("home").id == "home")
        #expect(throws: CommandError.noModule("far", known: ["home"])) {
            try catalog.module("far")
        }
    }

    @Test("find files, but no ids, without a manifest")
    func withoutManifest() throws {
        let workspace = try Workspace()
        let file = try workspace.addFile("Plugins/home.so", "home")
        let operands = try operands(workspace, manifest: false)
        #expect(try operands.module(file).id == "home")
        #expect(throws: CommandError.noFileOrModule("home", known: [])) {
            try operands.module("home")
        }
    }

    @Test("count the compilers that the manifest allows")
    func compilers() throws {
        let workspace = try Workspace(manifest: #"{"manifest": 1, "compilers": ["5.9"]}"#)
        let file = try workspace.addFile("else/old.so", "old", compiler: "5.9.2")
        #expect(try operands(workspace).module(file).state == .ready)
        #expect(try operands(workspace, manifest: false).module(file).state == .incompatible)
    }
}
