// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesBuild
@testable import EavesCompiler

/// What a person sees of the compiler's output, and when.
@Suite(.patiently) struct CompilerOutputTests {
    /// Builds modules, and returns what was printed of each event, in order.
    private func events(
        _ plugins: PluginFixture, _ requests: [BuildRequest],
        during: (String) throws -> Void = { _ in }
    ) throws -> [String] {
        var events: [String] = []
        var failure: (any Error)?
        _ = plugins.builder.build(requests) { event in
            switch event {
            case .compiling, .running, .waiting: break
            case .printed(let request, let text):
                events.append("\(request.id): \(text)")
                do { try during(text) } catch { failure = error }
            case .restarting(let request): events.append("\(request.id) again")
            case .finished(let result):
                events.append("\(result.id) \(result.error == nil ? "built" : "failed")")
            }
        }
        if let failure { throw failure }
        return events
    }

    /// The compiler ends only after its first line was seen.
    @Test("is shown while it comes")
    func live() throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: """
                echo first
                while [ ! -e $(dirname $0)/seen ]; do sleep 0.01; done
                printf second; give
                """)
        let events = try events(plugins, [request]) { text in
            if text == "first\n" { try compiler.scratch.write("", to: "seen") }
        }
        #expect(events == ["hello: first\n", "hello: second", "hello built"])
    }

    @Test("is shown to its end, however long it is")
    func long() throws {
        let compiler = try CompilerFixture(
            script: """
                echo begin; yes 'a line of thirty-two characters' | head -n 20000
                echo 'x.swift:1:1: error: no'; exit 1
                """)
        var plugins = try PluginFixture(environment: compiler.environment)
        plugins.builder.outputLimit = 500_000
        let request = try plugins.add("Hello")
        var (size, last, kept) = (0, "", "")
        _ = plugins.builder.build([request]) { event in
            if case .printed(_, let text) = event { (size, last) = (size + text.utf8.count, text) }
            if case .finished(let result) = event { kept = result.compilerOutput }
        }
        #expect(size == 640_029)
        #expect(last.hasSuffix("x.swift:1:1: error: no\n"))
        #expect(kept.hasPrefix("begin\n"))
        #expect(kept.hasSuffix("x.swift:1:1: error: no\n"))
        #expect(kept.utf8.count < 510_000)
    }

    /// One compiler prints the first half of a message, and the other one prints and ends meanwhile.
    @Test("of two compilers is not mixed within a line, and comes before the module's result")
    func two() throws {
        let compiler = try CompilerFixture(
            script: """
                here=$(dirname $0)
                case $last in
                *Quick*) while [ ! -e $here/seen ]; do sleep 0.01; done; echo quick; give;;
                *) echo slow; while [ ! -e $here/done ]; do sleep 0.01; done; echo slower; give;;
                esac
                """)
        var plugins = try PluginFixture(environment: compiler.environment)
        plugins.builder.limit = 2
        let requests = [try plugins.add("Quick"), try plugins.add("Slow")]
        var events: [String] = []
        _ = plugins.builder.build(requests) { event in
            switch event {
            case .printed(_, let text):
                events.append(text)
                if text == "slow\n" { _ = try? compiler.scratch.write("", to: "seen") }
            case .finished(let result):
                events.append(result.id)
                if result.id == "quick" { _ = try? compiler.scratch.write("", to: "done") }
            case .compiling, .restarting, .running, .waiting: break
            }
        }
        #expect(events == ["slow\n", "quick\n", "quick", "slower\n", "slow"])
    }

    @Test("comes with a word when the sources changed and are compiled again")
    func again() throws {
        let (plugins, _, request) = try PluginFixture.hello(
            by: """
                echo torn
                [ $(ls $(dirname $0)/runs | wc -l) = 1 ] && echo '// more' >> $last.swift
                give
                """)
        // The stand-in's last source is a path; the new one next to it counts as a change.
        let events = try events(plugins, [request])
        #expect(
            events == ["hello: torn\n", "hello again", "hello: torn\n", "hello built"])
    }

    // MARK: - A full disk

    /// Lines that Swift 6.3 prints when the disk is full, or files may not grow.
    @Test(
        "that says that the disk is full is no mistake in the sources",
        arguments: [
            ("<unknown>:0: error: error closing '/x/W-2.o' for output: No space left on device", 1),
            ("LLVM ERROR: IO failure on output stream: No space left on device", 1),
            ("ld.lld: error: failed to write output 'x.so': Disk quota exceeded", 1),
            ("error: compile command failed due to signal 25 (use -v to see invocation)", 1),
            ("\u{1b}[1m<unknown>:0: \u{1b}[31merror: \u{1b}[0mx: File too large\u{1b}[0m", 1),
        ])
    func full(line: String, code: Int) throws {
        let compiler = try CompilerFixture(script: "cat $(dirname $0)/line; exit \(code)")
        try compiler.scratch.write(line + "\nerror: and more\n", to: "line")
        let plugins = try PluginFixture(environment: compiler.environment)
        let error = plugins.builder.build([try plugins.add("Hello")])[0].error
        guard case .compilerCannotWrite("Plugins/hello.so", let errno) = error?.cause else {
            Issue.record("found \(String(describing: error))")
            return
        }
        let diagnostic = try #require(error?.diagnostics.first)
        #expect(
            diagnostic.message
                == "hello: the compiler could not write its files next to Plugins/hello.so: \(errno)"
        )
        #expect(diagnostic.fix != nil)
        #expect(diagnostic.code == .cannotCreate)
    }

    @Test("that quotes such words from the sources is a mistake in them")
    func quoted() throws {
        let (plugins, _, request) = try PluginFixture.hello(
            by: """
                echo "$last:1:8: error: No space left on device"
                echo '1 | let text: Int = "x: error: No space left on device'
                exit 1
                """)
        let error = plugins.builder.build([request])[0].error
        #expect(error?.cause == .compilation)
    }

    @Test(
        "a real compiler on a real disk that fills up", .enabled(if: geteuid() == 0, "needs root"))
    func realDisk() throws {
        let scratch = try TemporaryFolder()
        // A stand-in that makes the folder of its files a small disk, which only it sees. The file of
        // linker options is below the disk then.
        let swiftc = try scratch.writeProgram(
            """
            #!/bin/sh
            real=\(try Toolchain.locate().swiftc)
            [ "$1" = -print-target-info ] && exec $real "$@"
            exec unshare -m sh -c 'mount -t tmpfs -o size=32k none "$TMPDIR" 2>/dev/null || exit 99
            exec "$0" "$@"' $real $(printf '%s\\n' "$@" | sed '/--config=/d; /-Xclang-linker/d')

            """, to: "swiftc")
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = swiftc
        let plugins = try PluginFixture(environment: environment)
        let result = plugins.builder.build([try plugins.add("Hello")])[0]
        if result.compilerOutput.isEmpty { try Test.cancel("needs the right to mount") }
        guard case .compilerCannotWrite(_, .noSpace) = result.error?.cause else {
            Issue.record("found \(String(describing: result.error)): \(result.compilerOutput)")
            return
        }
        #expect(result.compilerOutput.contains("No space left on device"))
    }

    // MARK: - A wrapper

    @Test("a module is built anew when a program around the compiler changes")
    func wrapper() throws {
        let scratch = try TemporaryFolder()
        let script = "#!/bin/sh\nexec \(try Toolchain.locate().swiftc) \"$@\"\n"
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = try scratch.writeProgram(script, to: "swiftc")
        let plugins = try PluginFixture(environment: environment)
        let request = try plugins.add("Hello")
        func isBuilt() -> Bool { plugins.builder.build([request])[0].isBuilt }
        #expect(isBuilt())
        // The same wrapper as another file, as after a new checkout.
        _ = try scratch.writeProgram(script, to: "swiftc")
        #expect(!isBuilt())
        // Another one, which says that it is the same compiler.
        _ = try scratch.writeProgram(script + "# once with other options\n", to: "swiftc")
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(isBuilt())
        #expect(!isBuilt())
    }
}

@Suite("Repeated messages", .onOwnThreads, .patiently) struct RepeatedMessagesTests {
    private func shown(_ pieces: String...) -> String {
        var messages = RepeatedMessages()
        var shown = ""
        for piece in pieces { shown += messages.pass(piece) }
        return shown + messages.finish()
    }

    private static let mistake = """
        /a/A.swift:2:3: error: cannot find 'x' in scope
        1 | import B
        2 |   x
          |   `- error: cannot find 'x' in scope

        """

    @Test("are shown once, however their lines come in")
    func once() {
        #expect(shown(Self.mistake + Self.mistake) == Self.mistake)
        #expect(shown(Self.mistake + "\n\n" + Self.mistake) == Self.mistake + "\n\n")
        let lines = Self.mistake.split(separator: "\n").map { String($0) + "\n" }
        #expect(
            shown(lines[0], lines[1] + lines[2], lines[3], lines[0], lines[1] + lines[2], lines[3])
                == Self.mistake)
    }

    @Test("of other places are other messages, and so are those with other notes")
    func others() {
        let other = Self.mistake.replacing("A.swift:2", with: "A.swift:3")
        #expect(shown(Self.mistake + other) == Self.mistake + other)
        let note = "/a/B.swift:1:1: note: 'y' is declared here\n1 | y\n"
        #expect(shown(Self.mistake + note + other + note) == Self.mistake + note + other + note)
        #expect(shown(Self.mistake + note + Self.mistake + note) == Self.mistake + note)
    }

    @Test("of Clang have the files that include their place")
    func inclusions() {
        let first = "In file included from a.c:1:\nb.h:1:1: warning: odd\n    1 | odd\n"
        let second = "In file included from a.c:1:\nb.h:2:1: warning: odd\n    2 | odd\n"
        #expect(shown(first + second + first) == first + second)
    }

    @Test("of another module that was built before are left out, too")
    func modules() {
        let printed = RepeatedMessages.Printed()
        var first = RepeatedMessages(printed)
        var second = RepeatedMessages(printed)
        #expect(first.pass(Self.mistake) + first.finish() == Self.mistake)
        #expect(second.pass(Self.mistake) + second.finish() == "")
        #expect(shown(Self.mistake) == Self.mistake)
    }

    @Test("are all that is left out: other lines are shown as soon as they come")
    func lines() {
        var messages = RepeatedMessages()
        #expect(messages.pass("Fetching a\n") == "Fetching a\n")
        #expect(messages.pass("Fetching a\n") == "Fetching a\n")
        #expect(messages.pass(Self.mistake) == "")
        #expect(messages.pass("Fetching b\n") == Self.mistake + "Fetching b\n")
        #expect(messages.finish() == "")
        let address = "[#Old]: <https://example.org>\n"
        #expect(shown(address + Self.mistake + address) == address + Self.mistake)
    }
}
