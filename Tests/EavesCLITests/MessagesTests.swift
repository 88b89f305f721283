// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesLoader
import Testing

@testable import EavesCLI
@testable import EavesOutput

@Suite("Messages")
struct MessagesTests {
    private struct Unexpected: Error {}

    private static func resolution(_ reason: ResolutionError.Reason) -> ResolutionError {
        ResolutionError(reason, wanted: ServiceRequest((any UserService).self))
    }

    private static let codes: [(any Error, Int32)] = [
        (Diagnostic("", code: .cannotCreate), 73),
        (CommandError.noManifest(folder: "/"), 66),
        (ConsoleError("cannot write"), 74),
        (UsageError("no name"), 64),
        (resolution(.notRegistered), 69),
        (resolution(.cycle), 78),
        (resolution(.cancelled), 70),
        (resolution(.factoryFailed(Unexpected())), 70),
        // A feature's own error comes through the factories that it went through.
        (resolution(.factoryFailed(UsageError("no name"))), 64),
        (resolution(.factoryFailed(ConsoleError("cannot read"))), 74),
        (resolution(.moduleFailed(Diagnostic("", code: .incompatible))), 76),
        (resolution(.moduleFailed(resolution(.notRegistered))), 69),
        (Unexpected(), 70),
    ]

    @Test("give each error its exit code", arguments: codes)
    func exitCode(error: any Error, code: Int32) {
        #expect(Messages.exitCode(of: error) == code)
    }

    @Test("say what the errors of features and of the container say")
    func words() {
        #expect(HostError.diagnostics(of: UsageError("no name")).map(\.message) == ["no name"])
        let missing = Self.resolution(.notRegistered)
        #expect(
            HostError.diagnostics(of: missing) == [
                Diagnostic(
                    missing.description, fix: "add a module that provides it, and see 'eaves list'",
                    code: .noProvider)
            ])
        let cycle = HostError.diagnostics(of: Self.resolution(.cycle))
        #expect(cycle.first?.fix == "break the circle: let one of them resolve later")
        #expect(
            HostError.diagnostics(of: Unexpected()).map(\.message)
                == ["unexpected error: Unexpected()"])
    }

    @Test("have a second line with the fix, if there is one, and colours only if asked for")
    func text() {
        let whole = Diagnostic("it is gone", fix: "look for it", code: .notFound)
        #expect(
            Messages.text(of: whole, label: .error, isColored: false)
                == "error: it is gone\nfix: look for it")
        #expect(
            Messages.text(
                of: Diagnostic("it is old", code: .badData), label: .warning, isColored: false)
                == "warning: it is old")
        #expect(
            Messages.text(of: whole, label: .error, isColored: true)
                == "\u{1b}[1;31merror:\u{1b}[0m it is gone\n\u{1b}[1;32mfix:\u{1b}[0m look for it")
        #expect(
            Messages.text(of: whole, label: .warning, isColored: true)
                .hasPrefix("\u{1b}[1;33mwarning:\u{1b}[0m it"))
    }
}

@Suite("What is printed")
struct PrintedTextTests {
    /// Texts with which a name or a module could play tricks.
    private static let tricks = [
        "a\u{1b}[2Jb", "a\nerror: b", "a\r\nerror: b", "a\rerror: b", "\u{9b}31m", "a\u{8}b",
        "\u{202e}b",
        "a\u{2028}b", "a\u{2029}b", "a\u{7f}", "a\u{0}b", "a\u{85}b", "\u{1b}]0;title\u{7}",
    ]

    /// Whether a terminal takes a text for no more than text.
    private static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.isHarmless || $0 == "\n" }
    }

    /// Whether all lines but the first stand below it.
    private static func isBelow(_ text: String) -> Bool {
        text.unicodeScalars.split(separator: "\n").dropFirst().allSatisfy { $0.first == " " }
    }

    @Test("is one line where a line is expected", arguments: tricks)
    func line(trick: String) {
        #expect(trick.escapedLine.isOneLine)
        let console = TestConsole()
        Terminal(console: console).say("built \(trick)")
        #expect(console.errors == "built \(trick)".escapedLine + "\n")
    }

    @Test("has no control characters in tables and reports", arguments: tricks)
    func table(trick: String) throws {
        let table = Table(["NAME", "FILE"], rows: [[trick, trick]])
        #expect(table.text.unicodeScalars.count { $0 == "\n" } == 2)
        #expect(Self.isHarmless(table.text))
        let console = TestConsole()
        try Terminal(console: console).write("name: \(trick)\n")
        try console.flush()
        #expect(Self.isHarmless(console.output))
    }

    @Test("is no message of its own in another message", arguments: tricks)
    func message(trick: String) {
        let diagnostic = Diagnostic(trick, fix: trick, code: .badData)
        let text = Messages.text(of: diagnostic, label: .error, isColored: false)
        #expect(Self.isHarmless(text))
        #expect(text == "error: \(trick.escapedLine)\nfix: \(trick.escapedLine)")
    }

    @Test("keeps the lines of our own messages")
    func ownLines() {
        let sample = "define it like this:\n\n    import CEaves\n\n    func a()"
        #expect(sample.escapedMessage == sample)
        #expect("a\n".escapedMessage == "a\\u{a}")
        #expect("a\n b".escapedMessage == "a\\u{a} b")
    }

    @Test("by a module stands behind its id, every line of it", arguments: tricks + ["a\nb\n\nc\n"])
    func said(trick: String) {
        let console = TestConsole()
        let terminal = Terminal(console: console)
        terminal.say("warning: \(trick)", by: "users")
        #expect(console.errors.hasPrefix("users: warning: "))
        #expect(Self.isHarmless(console.errors) && Self.isBelow(console.errors))
        let feature = TestConsole()
        FeatureConsole(terminal: Terminal(console: feature), feature: "greet").warn(trick)
        #expect(feature.errors.hasPrefix("greet: "))
        #expect(Self.isHarmless(feature.errors) && Self.isBelow(feature.errors))
    }

    @Test("by a module that has the name of a message is no message", arguments: ["error", "fix"])
    func ambiguous(id: String) {
        #expect("it is broken".said(by: id) == "'\(id)': it is broken")
    }

    @Test("by a module that refuses stands below the host's words", arguments: tricks)
    func refusal(trick: String) {
        let error = LoadError.refused(message: "first\n\(trick)\nfix: run this", code: 1)
        let text = Messages.text(
            of: error.diagnostic(of: "users"), label: .error, isColored: false)
        #expect(Self.isHarmless(text))
        let lines = text.split(separator: "\n")
        #expect(lines.first == "error: refused to register: first")
        #expect(lines.count { $0.hasPrefix("error:") || $0.hasPrefix("fix:") } == 2)
        #expect(lines.last?.hasPrefix("fix: correct what the module reports") == true)
    }

    @Test("by a feature that does not take its arguments stands below the host's words")
    func usage() {
        let error = UsageError("usage: greet NAME\nerror: all is lost\n")
        let text = HostError.diagnostics(of: error).map {
            Messages.text(of: $0, label: .error, isColored: false)
        }
        #expect(text == ["error: usage: greet NAME\n  error: all is lost"])
    }

    @Test("by a compiler keeps its lines and, where they are wanted, its colours")
    func compiler() {
        let text = "a.swift:1:1: \u{1b}[1;31merror: \u{1b}[0mx\n\tlet a = \"\u{1b}[2J\u{7}\"\n"
        #expect(
            text.escapedLines(keepsColors: true)
                == "a.swift:1:1: \u{1b}[1;31merror: \u{1b}[0mx\n\tlet a = \"\\u{1b}[2J\\u{7}\"\n")
        #expect(!text.escapedLines().contains("\u{1b}"))
        for odd in ["\u{1b}", "\u{1b}[", "\u{1b}[1", "\u{1b}[1;", "\u{1b}[1K", "\u{1b}[?1m"] {
            #expect(!odd.escapedLines(keepsColors: true).contains("\u{1b}"))
        }
        #expect("\u{1b}[m".escapedLines(keepsColors: true) == "\u{1b}[m")
    }
}
