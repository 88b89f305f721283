// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesCompiler
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesJSON
import EavesSystem
import Glibc
import Testing

@testable import EavesBuild
@testable import EavesCLI
@testable import EavesOutput

@Suite("Table")
struct TableTests {
    @Test("aligns columns by characters, and ends lines without spaces")
    func columns() {
        let rows = [["a", ""], ["größer", "because"], ["e\u{301}\u{301}", "x "]]
        let table = Table(["NAME", "WHY"], rows: rows)
        #expect(
            table.text == """
                NAME    WHY
                a
                größer  because
                e\u{301}\u{301}       x

                """)
    }

    @Test("is as wide as its headings at least")
    func headings() {
        #expect(Table(["ONE", "TWO"], rows: []).text == "ONE  TWO\n")
        let table = Table(["LONG HEADING", "B"], rows: [["a", "b"]])
        #expect(table.text == "LONG HEADING  B\na             b\n")
    }

    @Test("pads texts that are too short, and no others")
    func padding() {
        #expect("ab".padded(to: 4) == "ab  ")
        #expect("…".padded(to: 2) == "… ")
        #expect("abc".padded(to: 3) == "abc")
        #expect("abc".padded(to: 2) == "abc")
    }
}

@Suite("Terminal")
struct TerminalTests {
    @Test("writes data, JSON, messages and warnings to their places")
    func places() throws {
        let console = TestConsole()
        let terminal = Terminal(console: console)
        try terminal.write("data\n")
        #expect(console.output == "")
        try terminal.write(["schema": 1])
        try terminal.finish()
        terminal.say("built home")
        terminal.warn(Diagnostic("it is old", fix: "build it", code: .badData))
        #expect(console.output == "data\n{\n  \"schema\": 1\n}\n")
        #expect(console.errors.hasPrefix("built home\n"))
        #expect(console.errors.contains("warning:"))
        #expect(console.errors.contains("it is old"))
        terminal.finish(after: CommandError.canaryWithoutState)
        #expect(console.errors.contains("error:"))
    }

    @Test("lets a feature flush what it has written")
    func featureFlushes() throws {
        let console = TestConsole()
        let feature = FeatureConsole(terminal: Terminal(console: console), feature: "greet")
        try feature.write("hello")
        #expect(console.output == "")
        try feature.flush()
        #expect(console.output == "hello")
    }

    @Test(
        "colours messages on a terminal, unless the environment wants something else",
        .enabled(if: access("/dev/ptmx", R_OK | W_OK) == 0, "needs /dev/ptmx"),
        arguments: [
            ([:], true, false),
            (["NO_COLOR": "", "TERM": "xterm", "CLICOLOR": "1"], true, false),
            (["NO_COLOR": "1"], false, false),
            (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], false, false),
            (["CLICOLOR_FORCE": "1"], true, true),
            (["CLICOLOR_FORCE": "1", "TERM": "dumb", "CLICOLOR": "0"], true, true),
            (["CLICOLOR_FORCE": "0"], true, false),
            (["CLICOLOR_FORCE": ""], true, false),
            (["CLICOLOR": "0"], false, false),
            (["TERM": "dumb"], false, false),
        ])
    func colors(environment: [String: String], onTerminal: Bool, elsewhere: Bool) {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        #expect(Terminal.isColored(terminal) { environment[$0] } == onTerminal)
        let file = open("/dev/null", O_WRONLY)
        defer { close(file) }
        #expect(Terminal.isColored(file) { environment[$0] } == elsewhere)
    }

    @Test("says nothing when the reader of a pipe has gone, and tells other problems")
    func brokenPipe() throws {
        let gone = ConsoleError.writing(.brokenPipe)
        let quiet = TestConsole(failingWith: gone)
        Terminal(console: quiet).finish(after: gone)
        #expect(quiet.errors == "")
        #expect(Messages.exitCode(of: gone) == 74)
        Terminal(console: quiet).finish(after: CommandError.canaryWithoutState)
        #expect(quiet.errors.split(separator: "\n").count == 2)
        #expect(!quiet.errors.contains("pipe"))
    }

    @Test("tells why the command failed after all data, and also that data was lost")
    func failing() throws {
        let well = TestConsole()
        try Terminal(console: well).write("data\n")
        Terminal(console: well).finish(after: CommandError.canaryWithoutState)
        #expect(well.output == "data\n")
        #expect(well.errors.split(separator: "\n").count == 2)

        let lost = ConsoleError("cannot write standard output: No space left on device")
        let full = TestConsole(failingWith: lost)
        Terminal(console: full).finish(after: CommandError.canaryWithoutState)
        let lines = full.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.hasSuffix(lost.description) == true)

        let once = TestConsole(failingWith: lost)
        Terminal(console: once).finish(after: lost)
        #expect(once.errors.split(separator: "\n").count == 1)
    }
}

@Suite("progress")
struct ProgressTests {
    private let console = TestConsole()
    private var terminal: Terminal { Terminal(console: console) }
    private let request = BuildRequest(id: "home", folder: "/a/Home", output: "/a/home.so")

    private func show(_ outcome: BuildResult.Outcome, isVerbose: Bool = false) -> String {
        let console = TestConsole()
        BuildProgress(terminal: Terminal(console: console), isVerbose: isVerbose)
            .show(.finished(BuildResult(request: request, outcome: outcome)))
        return console.errors
    }

    @Test("of a build names what was compiled, and with -v what was not")
    func build() {
        #expect(show(.built(.milliseconds(1250))) == "built home in 1250.00 ms\n")
        #expect(show(.upToDate) == "")
        #expect(show(.upToDate, isVerbose: true) == "home is up to date\n")
        #expect(show(.failed(BuildError("home", .compilation)), isVerbose: true) == "")
    }

    @Test("of a build shows what the compiler prints as it prints it, then the warnings")
    func compiler() {
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        progress.show(.compiling(request))
        #expect(console.errors == "")
        progress.show(.printed(request, "a.swift:1:1: warning: odd\n"))
        #expect(console.errors == "a.swift:1:1: warning: odd\n")
        var result = BuildResult(request: request, outcome: .built(.milliseconds(1)))
        // Shown already.
        result.compilerOutput = "a.swift:1:1: warning: odd\n"
        result.warnings = [Diagnostic("cannot remember it", code: .inputOutput)]
        progress.show(.finished(result))
        let lines = console.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "a.swift:1:1: warning: odd")
        #expect(lines.dropFirst().first?.hasSuffix("cannot remember it") == true)
        #expect(lines.dropFirst(2) == ["built home in 1.00 ms", ""])
    }

    @Test("of a build says why a module is compiled again")
    func restart() {
        let progress = BuildProgress(terminal: terminal, isVerbose: false)
        progress.show(.restarting(request))
        #expect(console.errors == "home changed while it was compiled, and is compiled again\n")
    }

    @Test(
        "shows times in hundredths of a millisecond, rounded",
        arguments: [
            (Duration.zero, "0.00"), (.microseconds(4), "0.00"), (.microseconds(5), "0.01"),
            (.microseconds(94), "0.09"), (.microseconds(95), "0.10"), (.microseconds(1994), "1.99"),
            (.microseconds(1995), "2.00"), (.seconds(61), "61000.00"),
        ])
    func times(duration: Duration, text: String) {
        #expect(duration.milliseconds == text)
    }
}
