// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

/// Builds with the real compiler.
@Suite(.patiently) struct BuilderTests {
    @Test("makes a module with the entry point and a note that says what it was built from")
    func module() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Hello", summary: #"50% \"off\" {}, \\ ä & 100%25"#)
        let result = try #require(plugins.builder.build([request]).first)
        #expect(result.error == nil, "\(result.compilerOutput)")
        guard case .built(let duration) = result.outcome else {
            Issue.record("expected a built module, found \(result.outcome)")
            return
        }
        #expect(duration > .zero)
        #expect(result.id == "hello")
        #expect(result.warnings.isEmpty)

        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.id == "hello")
        #expect(note.declaration.summary == #"50% "off" {}, \ ä & 100%25"#)
        #expect(note.tag.abi == 1)
        #expect(note.tag.interface == InterfaceVersion(major: 1, minor: 4))
        #expect(note.tag.inputs?.count == 64)
        #expect(note.tag.target?.contains("linux") == true)
        let report = try BinaryReport(of: request.output)
        #expect(report.hasEntry)
        // Each content has its own symbol names, and the module has no symbol of the interface.
        let prefix = "Hello_\(note.tag.inputs?.prefix(12) ?? "")"
        #expect(report.libraries.rpath == nil && report.libraries.runpath == nil)
        #expect(report.definedNames(startingWith: "$s14EavesInterface").isEmpty)
        #expect(!report.undefinedNames(startingWith: "$s14EavesInterface").isEmpty)
        #expect(report.symbols.contains { $0.name.contains(prefix) })
        // The runtime prints, stores and looks up the same name in each build.
        #expect(
            try ELFFile(plugins.scratch.file("Plugins/hello.so")).swiftModules().keys.sorted() == [
                "Hello"
            ])
        #expect(try plugins.names() == ["Hello", "hello.so"])
    }

    @Test("warns of conformances that a process keeps for good, with the author's line")
    func processWide() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Hello")
        try plugins.scratch.write(
            """
            import Glibc
            extension Bool: @retroactive Error {}
            extension tm: @retroactive CustomStringConvertible { public var description: String { "" } }
            protocol Own {}
            extension tm: Own {}
            struct Mine: Error, Own { enum Inner { case one } }
            let named = _typeByName("5Hello4MineV")

            """, to: "Plugins/Hello/More.swift")
        let result = try #require(plugins.builder.build([request]).first)
        let warnings = result.warnings.map(\.message)
        #expect(
            warnings == [
                "hello: has the conformance 'Swift.Bool: Swift.Error' (Plugins/Hello/More.swift:2), "
                    + "the conformance '__C.tm: Swift.CustomStringConvertible' "
                    + "(Plugins/Hello/More.swift:3), types of 'Hello' that code looks up by their names: a process keeps the first for good, so that a running host cannot exchange the module"
            ], "\(result.compilerOutput)")
    }

    @Test("the names of the sources count: they are part of the messages that a module prints")
    func fileNames() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Hello")
        let inputs = try ["Hello.swift", "Hi.swift"].map { name in
            if name != "Hello.swift" {
                try Files.rename(
                    Path.join(request.folder, "Hello.swift"), to: Path.join(request.folder, name))
            }
            #expect(plugins.builder.build([request])[0].error == nil)
            return try #require(ModuleContent(request.output).note?.tag.inputs)
        }
        #expect(inputs[0] != inputs[1])
    }

    @Test("links a module to the libraries that it uses, and to none that Swift merely names")
    func libraries() throws {
        let plugins = try PluginFixture()
        let plain = try plugins.add("Plain")
        let matching = try plugins.add("Matching")
        try plugins.scratch.write(
            "public func isWord(_ text: String) -> Bool { text.wholeMatch(of: /[a-z]+/) != nil }\n",
            to: "Plugins/Matching/Match.swift")
        let results = plugins.builder.build([plain, matching])
        #expect(results.allSatisfy { $0.error == nil }, "\(results.map(\.compilerOutput))")
        let regularExpressions = "libswift_StringProcessing.so"
        let lean = try BinaryReport(of: plain.output).needed
        #expect(lean.contains("libswiftCore.so") && !lean.contains(regularExpressions))
        #expect(try BinaryReport(of: matching.output).needed.contains(regularExpressions))
    }

    @Test(
        "one module's error stops no other, shows what the compiler says, and leaves the old file")
    func compilationError() throws {
        let plugins = try PluginFixture()
        let requests = [try plugins.add("First"), try plugins.add("Bad"), try plugins.add("Last")]
        let before = plugins.builder.build(requests)
        #expect(before.allSatisfy { $0.error == nil })
        let old = try Files.read(requests[1].output)

        for name in ["First", "Bad", "Last"] {
            try plugins.scratch.write("let more = 1\n", to: "Plugins/\(name)/More.swift")
        }
        let broken = try plugins.scratch.write(
            "let x: Int = \"no\"\n", to: "Plugins/Bad/Oops.swift")
        let results = plugins.builder.build(requests)
        #expect(results.map(\.id) == ["first", "bad", "last"])
        #expect(results[0].error == nil && results[2].error == nil)
        #expect(results[1].error == BuildError("bad", .compilation))
        #expect(
            results[1].compilerOutput.hasPrefix("\(broken):1:14: error: cannot convert value"))
        #expect(!results[1].compilerOutput.contains("\u{1b}["))
        #expect(try Files.read(requests[1].output) == old)
        #expect(try plugins.names() == ["Bad", "First", "Last", "bad.so", "first.so", "last.so"])
        #expect(plugins.builder.freshness(of: requests[1]) == .stale)
    }

    @Test("the compiler's colours are kept when they are asked for")
    func color() throws {
        var plugins = try PluginFixture()
        plugins.builder.usesColor = true
        let request = try plugins.add("Bad")
        try plugins.scratch.write("let x: Int = \"no\"\n", to: "Plugins/Bad/Oops.swift")
        #expect(plugins.builder.build([request])[0].compilerOutput.contains("\u{1b}["))
    }

    @Test("optimises when asked, and keeps an output's configuration until asked for another")
    func configurations() throws {
        let (plugins, compiler, made) = try PluginFixture.hello()
        var request = made
        func options() throws -> Set<String> {
            #expect(plugins.builder.build([request])[0].isBuilt)
            return try Set(compiler.arguments).intersection(["-O", "-Onone"])
        }
        request.configuration = .release
        #expect(try options() == ["-O"])
        request.configuration = nil
        #expect(plugins.isUpToDate(request))
        try plugins.scratch.write("let more = 1\n", to: "Plugins/Hello/More.swift")
        #expect(try options() == ["-O"])
        request.configuration = .debug
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(try options() == ["-Onone"])
        request.configuration = .release
        #expect(try options() == ["-O"])
        request.configuration = nil
        request.output = plugins.scratch.file("other.so")
        #expect(try options() == ["-Onone"])
    }

    @Test("a module whose entry point is not compiled is refused, with the code to write")
    func noEntry() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Hello")
        try plugins.scratch.write(
            "#if NEVER\n\(PluginFixture.entry)#endif\n", to: "Plugins/Hello/Entry.swift")
        let error = try #require(plugins.builder.build([request])[0].error)
        let diagnostic = try #require(error.diagnostics.first)
        #expect(
            diagnostic.message
                == "hello: the code in Plugins/Hello that names eaves_register does not define it")
        #expect(diagnostic.fix?.contains("@c(eaves_register)") == true)
        #expect(diagnostic.fix?.contains("register(HelloModule.self, with: host)") == true)
        #expect(diagnostic.code == .badData)
        #expect(try plugins.names() == ["Hello"])
    }

    @Test("a folder anywhere is built next to itself, or where the request says")
    func anywhere() throws {
        let plugins = try PluginFixture()
        try plugins.add("Weather")
        let elsewhere = try TemporaryFolder()
        let folder = plugins.scratch.file("Plugins/Weather")
        let beside = try BuildRequest(folder: folder)
        let named = try BuildRequest(folder: folder, output: elsewhere.file("w.so"))
        let inFolder = try BuildRequest(
            folder: "Plugins/Weather", output: elsewhere.path, base: plugins.scratch.path)
        #expect(beside.output == plugins.scratch.file("Plugins/weather.so"))
        #expect(named.output == elsewhere.file("w.so"))
        #expect(inFolder.output == elsewhere.file("weather.so"))
        #expect(inFolder.folder == folder)
        let builder = Builder(forHost: plugins.host.executable)
        #expect(builder.build([beside, named, inFolder]).allSatisfy { $0.error == nil })
        #expect(try elsewhere.names() == [".eaves-records", "w.so", "weather.so"])
        guard case .upToDate = builder.build([named])[0].outcome else {
            Issue.record("built again")
            return
        }
    }
}
