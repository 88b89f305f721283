// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// Builds in one session, with the real compiler: the second build starts the jobs without the driver.
@Suite(.patiently) struct DirectBuildTests {
    /// A builder with a memory, and one without.
    private func fixture() throws -> (plugins: PluginFixture, session: BuildSession) {
        var plugins = try PluginFixture()
        let session = BuildSession()
        plugins.builder.session = session
        return (plugins, session)
    }

    private func save(_ word: String, _ plugins: PluginFixture) throws {
        try plugins.scratch.write(
            """
            import EavesInterface
            public enum TheModule: Module { public static var name: String { "\(word)" } }

            """, to: "Plugins/Hello/Hello.swift")
    }

    @Test("a module that is built without the driver is the one that the driver makes")
    func sameModule() throws {
        let (plugins, session) = try fixture()
        let request = try plugins.add("Hello")
        // The first build asks the driver for its jobs, and the compiler of C for the linker's command.
        for word in ["one", "two", "three"] {
            try save(word, plugins)
            let result = plugins.builder.build([request])[0]
            #expect(result.error == nil, "\(result.compilerOutput)")
            #expect(plugins.builder.freshness(of: request) == .fresh)
            let known = try #require(session.plans[request.output + "/module.so"])
            #expect(known.plan != nil && known.linker != nil && known.failureCount == 0)
        }
        let direct = try Files.read(request.output)
        var once = plugins.builder
        once.session = nil
        var forced = request
        forced.isForced = true
        #expect(once.build([forced])[0].error == nil)
        #expect(try Files.read(request.output) == direct)
        #expect(try plugins.names() == ["Hello", "hello.so"])
    }

    @Test("release, and sources that come, go and get another name, are built as without a memory")
    func otherSources() throws {
        let (plugins, session) = try fixture()
        let request = try plugins.add("Hello", configuration: .release)
        #expect(plugins.builder.build([request])[0].error == nil)
        let folder = plugins.scratch.file("Plugins/Hello")
        try plugins.scratch.write(
            "func more() -> String { \"more\" }\n", to: "Plugins/Hello/More.swift")
        #expect(plugins.builder.build([request])[0].error == nil)
        try Files.rename("\(folder)/More.swift", to: "\(folder)/Other.swift")
        #expect(plugins.builder.build([request])[0].error == nil)
        try Files.remove("\(folder)/Other.swift")
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(session.plans.count == 1)
        #expect(plugins.builder.freshness(of: request) == .fresh)
    }

    @Test("a mistake is told in the compiler's words, and the old file stays")
    func mistake() throws {
        let (plugins, session) = try fixture()
        let request = try plugins.add("Hello")
        #expect(plugins.builder.build([request])[0].error == nil)
        let old = try FileStatus(path: request.output).inode
        try save("one\" + 1 + \"", plugins)
        let result = plugins.builder.build([request])[0]
        var once = plugins.builder
        once.session = nil
        let expected = once.build([request])[0]
        #expect(result.error?.cause == .compilation)
        #expect(result.error == expected.error)
        #expect(result.compilerOutput == expected.compilerOutput)
        #expect(!result.compilerOutput.isEmpty)
        #expect(try FileStatus(path: request.output).inode == old)
        // Nothing is wrong with the jobs.
        #expect(session.plans[request.output + "/module.so"]?.failureCount == 0)
        try save("one", plugins)
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(try FileStatus(path: request.output).inode != old)
    }

    @Test("warnings are shown as the driver shows them")
    func warning() throws {
        let (plugins, _) = try fixture()
        let request = try plugins.add("Hello")
        #expect(plugins.builder.build([request])[0].compilerOutput == "")
        try plugins.scratch.write("func odd() { let unused = 1 }\n", to: "Plugins/Hello/Odd.swift")
        for _ in 0..<2 {
            var forced = request
            forced.isForced = true
            let result = plugins.builder.build([forced])[0]
            var once = plugins.builder
            once.session = nil
            #expect(result.error == nil)
            #expect(result.compilerOutput.contains("warning: "))
            #expect(result.compilerOutput == once.build([forced])[0].compilerOutput)
        }
    }

    @Test("a program around the compiler is always called")
    func wrapper() throws {
        let compiler = try CompilerFixture()
        var plugins = try PluginFixture(environment: compiler.environment)
        plugins.builder.session = BuildSession()
        var request = try plugins.add("Hello")
        request.isForced = true
        for count in 1...3 {
            #expect(plugins.builder.build([request])[0].error == nil)
            #expect(compiler.runs == count)
        }
    }
}

/// What is read of the lists that compilers print.
@Suite struct DriverPlanTests {
    private static let folder = "/project/.eaves-build.x"
    private let texts = VaryingTexts(
        of: ["-module-abi-name", "A_123", "-Xlinker", "--package-metadata=%7Bnote%7D"],
        folder: folder)

    /// A list as the driver of Swift 6.3 prints it, shortened.
    private static let list = """
        /t/bin/swift-frontend -frontend -c A.swift -module-abi-name A_123 -o \(folder)/TemporaryDirectory.Q/A-2.o
        /t/bin/swift-frontend -frontend -emit-module A.swift -o \(folder)/TemporaryDirectory.Q/A-1.swiftmodule
        /t/bin/swift-frontend -modulewrap \(folder)/TemporaryDirectory.Q/A-1.swiftmodule -o \(folder)/TemporaryDirectory.Q/A-1.o
        /t/bin/swift-autolink-extract \(folder)/TemporaryDirectory.Q/A-2.o \(folder)/TemporaryDirectory.Q/A-1.o -o \(folder)/TemporaryDirectory.Q/A-3.autolink
        /t/bin/clang -shared \(folder)/TemporaryDirectory.Q/A-2.o \(folder)/TemporaryDirectory.Q/A-1.o @\(folder)/TemporaryDirectory.Q/A-3.autolink -Xlinker '--package-metadata=%7Bnote%7D' -o \(folder)/module.so

        """

    private func parsed(_ list: String) -> DriverPlan? {
        DriverPlan(jobs: list, output: "\(Self.folder)/module.so", tools: "/t/bin", texts)
    }

    @Test("reads the jobs, which of them need which, and what differs from build to build")
    func jobs() throws {
        let plan = try #require(parsed(Self.list))
        #expect(plan.jobs.map(\.needs) == [[], [], [1], [0, 2], [0, 2, 3]])
        let next = VaryingTexts(
            of: ["-module-abi-name", "A_456", "--package-metadata=%7Bother%7D"], folder: "/w/2")
        #expect(plan.folders.map(next.unmarked) == ["/w/2/TemporaryDirectory.Q"])
        #expect(
            plan.jobs[0].arguments.map(next.unmarked) == [
                "-frontend", "-c", "A.swift", "-module-abi-name", "A_456", "-o",
                "/w/2/TemporaryDirectory.Q/A-2.o",
            ])
        #expect(
            plan.jobs[4].arguments.map(next.unmarked).suffix(4) == [
                "-Xlinker", "--package-metadata=%7Bother%7D", "-o", "/w/2/module.so",
            ])
    }

    @Test(
        "leaves to the driver what it does not know",
        arguments: [
            ("", ""),
            ("-module-abi-name", "-filelist"),
            ("/t/bin/clang", "/usr/bin/clang"),
            ("/t/bin/clang", "/t/bin/dsymutil"),
            ("'--package", "--package"),
            ("-o \(folder)/module.so", "-o \(folder)/other.so"),
            ("-shared", "@\(folder)/TemporaryDirectory.Q/arguments"),
            ("-shared", "-shared # arguments"), ("-shared", "'-shared"),
            ("/t/bin/swift-frontend -modulewrap", "warning: something\n/t/bin/swift-frontend"),
            ("TemporaryDirectory.Q/A-1.o -o", "TemporaryDirectory.R/A-1.o -o"),
            ("/t/bin/swift-autolink-extract", "/t/bin/clang"),
        ])
    func unknown(text: String, other: String) {
        var list = Self.list
        if text.isEmpty {
            list = ""
        } else if let range = list.firstRange(of: text) {
            list.replaceSubrange(range, with: other)
        }
        #expect(list != Self.list)
        #expect(parsed(list) == nil)
    }

    @Test("reads the linker's command line, and no other")
    func linker() throws {
        let printed = """
            clang version 21.0.0
            InstalledDir: /t/bin
             "/t/bin/ld.lld" "-shared" "-o" "\(Self.folder)/module.so" "--package-metadata=%7Bnote%7D"
            """
        let linker = try #require(
            LinkerCommand(printed: printed, requests: [[1]], tools: "/t/bin", texts))
        let next = VaryingTexts(of: ["--package-metadata=x"], folder: "/w/2")
        #expect(
            linker.arguments.map(next.unmarked) == [
                "-shared", "-o", "/w/2/module.so", "--package-metadata=x",
            ])
        for other in ["/t/bin/ld", "/usr/bin/ld.lld", "/t/bin/ld.lld\" \"@list"] {
            let text = printed.split(separator: "/t/bin/ld.lld").joined(separator: other)
            #expect(
                LinkerCommand(printed: text, requests: [], tools: "/t/bin", texts) == nil)
        }
    }
}

/// What a session does with jobs that fail.
@Suite(.patiently) struct DirectRunTests {
    @Test("jobs that fail where the driver does not are left to the driver after a few times")
    func failures() throws {
        let session = BuildSession()
        let child = ChildCommand("/t/bin/swiftc", ["-o", "/w/module.so"])
        let identity = try #require(BuildIdentity(path: "/"))
        let texts = VaryingTexts(of: child.arguments, folder: "/w")
        let command = try #require(DriverCommand(child, texts, compiler: identity))
        let list = "/t/bin/clang -shared -o /w/module.so\n"
        let plan = try #require(
            DriverPlan(jobs: list, output: "/w/module.so", tools: "/t/bin", texts))
        var known = KnownPlan(command: command, plan: plan)
        known.linker = LinkerCommand(
            printed: " \"/t/bin/ld.lld\" \"-shared\"", requests: [], tools: "/t/bin", texts)
        try #require(known.linker != nil)
        session.keep(known, for: "a")
        for count in 1...3 {
            session.noteFailure(of: command, for: "a")
            #expect(session.plan(of: command, for: "a")?.linker == nil)
            #expect((session.plan(of: command, for: "a")?.plan == nil) == (count == 3))
        }
        // Another command line of the same output is another matter.
        let other = try #require(
            DriverCommand(
                ChildCommand("/t/bin/swiftc", ["-g", "-o", "/w/module.so"]), texts,
                compiler: identity))
        #expect(session.plan(of: other, for: "a") == nil)
    }
}

@Suite("The words of a line")
struct ShellLineTests {
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
    func words(text: String, words: [String]) {
        let line = ShellLine(text)
        #expect(line.words == words && line.unfinished == nil)
    }

    /// Each further byte once took as long as all before it: this line would have taken minutes.
    @Test("are split in a line of megabytes, and none is near to it")
    func long() throws {
        let word = String(repeating: "a", count: 4 << 20)
        let words = ShellLine("\(word) '\(word)' b").words
        #expect(words.map(\.utf8.count) == [word.utf8.count, word.utf8.count, 1])
        #expect(NearMatch.suffix(for: word, among: ["list", "launch"]).isEmpty)
    }

    @Test("are incomplete if a quotation does not end")
    func unclosed() {
        #expect(ShellLine("a 'b").unfinished == "'")
        #expect(ShellLine(#"a "b\""#).unfinished == "\"")
        #expect(ShellLine(#"a\"#).unfinished == "\\")
    }
}
