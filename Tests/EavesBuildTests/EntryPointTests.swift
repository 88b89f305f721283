// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// A folder without an entry point. The compiler is the real one, except where a test says so.
@Suite("An entry point that the build adds", .onOwnThreads, .patiently)
struct EntryPointTests {
    /// Adds a folder without `Entry.swift`, with one source.
    private func add(
        _ folder: String = "Hello", to plugins: PluginFixture, entry: String? = nil, source: String
    ) throws -> BuildRequest {
        let request = try plugins.add(folder, id: "hello")
        try Files.remove(Path.join(request.folder, "Entry.swift"))
        try plugins.scratch.write(source, to: "Plugins/\(folder)/\(folder).swift")
        try plugins.scratch.write(
            PluginFixture.declaration("hello", entry: entry), to: "Plugins/\(folder)/module.json")
        return request
    }

    private static func module(_ declaration: String) -> String {
        """
        import EavesInterface
        \(declaration) { public static var name: String { "x" } }

        """
    }

    private func error(_ entry: String? = nil, source: String) throws -> (Diagnostic, BuildResult) {
        let plugins = try PluginFixture()
        let request = try add(to: plugins, entry: entry, source: source)
        let result = plugins.builder.build([request])[0]
        #expect(try plugins.names() == ["Hello"])
        #expect(!result.compilerOutput.contains(".eaves-build."))
        return (try #require(result.error?.diagnostics.first), result)
    }

    @Test(
        "registers the type that is named like the folder",
        arguments: [
            ("2Fast", "final class _2FastModule: Module"),
            ("Odd\"\\quotes", "enum OddQuotesModule: Module"),
        ])
    func namedLikeFolder(folder: String, declaration: String) throws {
        let plugins = try PluginFixture()
        let request = try add(folder, to: plugins, source: Self.module(declaration))
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil, "\(result)")
        #expect(result.compilerOutput == "")
        #expect(try BinaryReport(of: request.output).hasEntry)
        #expect(ModuleContent(request.output).note?.declaration.id == "hello")
        #expect(try Set(plugins.names()) == [folder, "hello.so"])
        #expect(try plugins.scratch.names(in: "Plugins/\(folder)").count == 2)
    }

    @Test(
        "is named like the folder, in whatever letters",
        arguments: [
            ("very-sunny 2day", "struct VerySunny2dayModule: Module"),
            ("Wärme", "enum WärmeModule: Module"),
            ("Hello", "extension HelloModule: Module {}\nenum HelloModule"),
        ])
    func found(folder: String, declaration: String) throws {
        let text = Array(Self.module(declaration).utf8)
        let request = BuildRequest(id: "hello", folder: "/a/\(folder)", output: "/a/hello.so")
        let entryPoint = try EntryPoint(
            of: request, named: nil, in: [SourceFiles.Content(name: "A.swift", bytes: text)])
        let name = declaration.split { " :\n".contains($0) }[1]
        #expect(entryPoint.source(shownAs: "")?.contains("register(\(name).self") == true)
    }

    @Test(
        "registers the type that module.json names",
        arguments: [
            ("Outer.Inner", "enum Outer {}; extension Outer { enum Inner: Module"),
            ("default", "enum `default`: Module"),
        ])
    func named(entry: String, declaration: String) throws {
        let plugins = try PluginFixture()
        let end = declaration.contains("extension") ? "}\n" : ""
        let source = Self.module(declaration) + end + Self.module("enum HelloModule: Module")
        let request = try add(to: plugins, entry: entry, source: source)
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil, "\(result)")
        #expect(try BinaryReport(of: request.output).hasEntry)
        let contents = try SourceFiles(request.folder).contents()
        let entryPoint = try EntryPoint(of: request, named: entry, in: contents)
        let call = "register(\(entry == "default" ? "`default`" : entry).self, with: host)"
        #expect(entryPoint.source(shownAs: "")?.contains(call) == true)
        // The key is for the build alone: the module does not differ from its declaration.
        let declared = try ModuleDeclaration.load(Path.join(request.folder, "module.json"))
        #expect(ModuleContent(request.output).note?.declaration == declared)
    }

    @Test("is not added where a source defines one, whatever types there are")
    func written() throws {
        let (plugins, compiler, request) = try PluginFixture.hello()
        try plugins.scratch.write(
            Self.module("enum HelloModule: Module"), to: "Plugins/Hello/HelloModule.swift")
        try plugins.scratch.write(
            PluginFixture.declaration("hello", entry: "NoSuchType"), to: "Plugins/Hello/module.json"
        )
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(try compiler.sources == ["Entry.swift", "Hello.swift", "HelloModule.swift"])
        try Files.remove(Path.join(request.folder, "Entry.swift"))
        try plugins.scratch.write(
            "@c func eaves_register() -> Int32 { 0 }\n", to: "Plugins/Hello/Deep/Any.swift")
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(try compiler.sources == ["Any.swift", "Hello.swift", "HelloModule.swift"])
    }

    @Test("makes another module than one that is written, or than that of another type")
    func inputs() throws {
        let plugins = try PluginFixture()
        let source = Self.module("enum HelloModule: Module") + Self.module("enum Other: Module")
        let request = try add(to: plugins, source: source)
        func build() throws -> String {
            let result = plugins.builder.build([request])[0]
            #expect(result.error == nil, "\(result)")
            guard case .built = result.outcome else { return "up to date" }
            #expect(plugins.builder.freshness(of: request) != .missing)
            return try #require(ModuleContent(request.output).note?.tag.inputs)
        }
        let added = try build()
        #expect(try build() == "up to date")
        try plugins.scratch.write(
            PluginFixture.entry.replacing("TheModule", with: "HelloModule"),
            to: "Plugins/Hello/Entry.swift")
        #expect(plugins.builder.freshness(of: request) == .stale)
        let written = try build()
        try Files.remove(Path.join(request.folder, "Entry.swift"))
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(try build() == added)
        #expect(written != added)
        // A folder with another name has another type, although its files are the same.
        let renamed = BuildRequest(
            id: "hello", folder: plugins.scratch.file("Plugins/Other"), output: request.output)
        try Files.rename(request.folder, to: renamed.folder)
        let missing = try #require(plugins.builder.build([renamed])[0].error)
        #expect(missing.diagnostics[0].message.contains("expected a type 'OtherModule'"))
    }

    @Test("counts into the digest: the same files make another module in a folder of another name")
    func folderName() throws {
        let plugins = try PluginFixture()
        let source = Self.module("enum AModule: Module") + Self.module("enum BModule: Module")
        let inputs = try ["A", "B"].map { folder in
            let request = try add(folder, to: plugins, source: source)
            try Files.rename(
                Path.join(request.folder, "\(folder).swift"),
                to: Path.join(request.folder, "X.swift"))
            #expect(plugins.builder.build([request])[0].error == nil)
            return try #require(ModuleContent(request.output).note?.tag.inputs)
        }
        #expect(inputs[0] != inputs[1])
    }

    @Test("needs a type: without one the error shows what to write")
    func noType() throws {
        let (none, result) = try error(source: "// enum HelloModule: Module\nenum Hello {}\n")
        #expect(
            none.message
                == "hello: expected a type 'HelloModule' that conforms to Module, or the function "
                + "eaves_register, in Plugins/Hello; found neither")
        #expect(none.fix?.contains("    enum HelloModule: Module {\n") == true)
        #expect(none.fix?.contains("\"entry\"") == true)
        #expect(none.code == .badData)
        #expect(result.compilerOutput == "")
    }

    @Test(
        "needs a type: types that may be meant are named",
        arguments: [
            (nil, "enum TheModule {}", "TheModule", "'TheModule'"),
            (nil, "enum AModule {}; enum BModule {}", "AModule", "'AModule', 'BModule'"),
            (nil, "enum AModule {}; enum HeloModule {}", "HeloModule", "'HeloModule', 'AModule'"),
            (nil, "enum Outer { enum HelloModule {} }", "Outer.HelloModule", "'Outer.HelloModule'"),
            ("Wether", "enum Weather {}", "Weather", "'Weather'"),
        ] as [(String?, String, String, String)])
    func nearMatches(entry: String?, source: String, proposed: String, all: String) throws {
        let (diagnostic, _) = try error(entry, source: source)
        #expect(
            diagnostic.fix == "name the type in module.json, as in \"entry\": \"\(proposed)\"; "
                + "the sources declare \(all)")
    }

    @Test("needs the type that module.json names")
    func noNamedType() throws {
        let (diagnostic, _) = try error("A.B", source: Self.module("enum Hello: Module"))
        #expect(
            diagnostic.message
                == "hello: expected a type 'A.B' (named in module.json) that conforms to Module, or "
                + "the function eaves_register, in Plugins/Hello; found neither")
        #expect(diagnostic.fix == "declare it, or name another type in module.json with \"entry\"")
    }

    @Test(
        "of a type that is not a module is an error in the words of the sources",
        arguments: [false, true])
    func noModule(usesColor: Bool) throws {
        var plugins = try PluginFixture()
        plugins.builder.usesColor = usesColor
        let request = try add(to: plugins, source: "\n\npublic enum HelloModule {}\n")
        let result = plugins.builder.build([request])[0]
        let diagnostic = try #require(result.error?.diagnostics.first)
        #expect(
            diagnostic.message
                == "hello: 'HelloModule' does not conform to Module (Plugins/Hello/Hello.swift:3)")
        #expect(diagnostic.fix?.contains(": Module") == true)
        #expect(diagnostic.code == .badData)
        #expect(result.compilerOutput == "")
    }

    @Test("of a type that the compiler cannot use is an error with the compiler's reason")
    func unusable() throws {
        let (diagnostic, result) = try error(
            source: Self.module("private enum HelloModule: Module"))
        #expect(
            diagnostic.message.hasPrefix(
                "hello: 'HelloModule' cannot be registered: 'HelloModule' is inaccessible due to"))
        #expect(diagnostic.message.hasSuffix(" (Plugins/Hello/Hello.swift:2)"))
        #expect(result.compilerOutput == "")
    }

    @Test("leaves the compiler's output as it is where the sources have mistakes, too")
    func bothWrong() throws {
        let (diagnostic, result) = try error(source: "enum HelloModule {}\nlet x: Int = \"no\"\n")
        #expect(diagnostic.message == "hello: does not compile")
        #expect(result.compilerOutput.contains("Plugins/Hello/Hello.swift:2:14: error: cannot"))
        #expect(result.compilerOutput.contains("Plugins/Hello/module.json:"))
        #expect(result.compilerOutput.contains("conform to 'Module'"))
    }

    @Test("is private to the build: the compiler gets it last, from the private folder")
    func arguments() throws {
        let compiler = try CompilerFixture(script: "cat \"$last\" > $(dirname $0)/entry; give")
        let plugins = try PluginFixture(environment: compiler.environment)
        let request = try add(to: plugins, source: Self.module("enum HelloModule: Module"))
        #expect(plugins.builder.build([request])[0].error == nil)
        let last = try #require(try compiler.arguments.last)
        #expect(last.hasPrefix(plugins.scratch.file("Plugins/.eaves-build.")))
        #expect(
            try compiler.scratch.read("entry").contains("register(HelloModule.self, with: host)"))
    }
}
