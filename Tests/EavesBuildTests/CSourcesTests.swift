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

/// Modules with sources in C and C++, built with the toolchain's compilers.
@Suite("sources in C and C++", .onOwnThreads, .patiently) struct CSourcesTests {
    private static let entry = """
        #include "eaves.h"
        #include "answer.h"
        int32_t eaves_register(const eaves_host *host) { return host ? answer() - 42 : 1; }

        """

    /// Writes a module in C.
    private func add(_ plugins: PluginFixture, _ folder: String = "Plain") throws -> BuildRequest {
        let request = try plugins.add(folder)
        for name in ["\(folder).swift", "Entry.swift"] {
            try Files.remove(plugins.scratch.file("Plugins/\(folder)/\(name)"))
        }
        try plugins.scratch.write(Self.entry, to: "Plugins/\(folder)/entry.c")
        try plugins.scratch.write("int answer(void);\n", to: "Plugins/\(folder)/answer.h")
        try plugins.scratch.write(
            "#include \"answer.h\"\nint answer(void) { return 42; }\n",
            to: "Plugins/\(folder)/deep/answer.c")
        return request
    }

    private func build(_ plugins: PluginFixture, _ request: BuildRequest) -> BuildResult {
        plugins.builder.build([request])[0]
    }

    @Test(
        "make a module with the note of module.json, and without the interface",
        arguments: BuildConfiguration.allCases)
    func plain(configuration: BuildConfiguration) throws {
        let plugins = try PluginFixture()
        var request = try add(plugins)
        request.configuration = configuration
        let result = build(plugins, request)
        #expect(result.error == nil, "\(result.compilerOutput)")
        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.id == "plain")
        #expect(note.tag.abi == 1)
        #expect(note.tag.interface == nil)
        #expect(note.tag.compiler == nil)
        let report = try BinaryReport(of: request.output)
        #expect(report.hasEntry)
        #expect(!report.needed.contains { $0.hasPrefix("libswift") })
    }

    @Test("are built again when a header changes, and not else")
    func freshness() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        #expect(build(plugins, request).error == nil)
        #expect(plugins.builder.freshness(of: request) == .fresh)
        try plugins.scratch.write("text", to: "Plugins/Plain/README.md")
        #expect(plugins.builder.freshness(of: request) == .fresh)
        try plugins.scratch.write("/* new */ int answer(void);\n", to: "Plugins/Plain/answer.h")
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(build(plugins, request).isBuilt)
    }

    @Test("in C++ use the runtime of the machine")
    func cxx() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try Files.remove(plugins.scratch.file("Plugins/Plain/deep/answer.c"))
        try plugins.scratch.write(
            """
            #include <string>
            #include <stdexcept>
            extern "C" int answer(void);
            int answer(void) {
                try { throw std::runtime_error("42"); } catch (const std::exception &e) {
                    return std::stoi(e.what());
                }
            }

            """, to: "Plugins/Plain/answer.cpp")
        let result = build(plugins, request)
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(try BinaryReport(of: request.output).needed.contains("libstdc++.so.6"))
    }

    @Test("stand next to sources in Swift, which see them through a module map")
    func mixed() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Mixed")
        let folder = "Plugins/Mixed"
        try plugins.scratch.write("int answer(void);\n", to: "\(folder)/c/answer.h")
        try plugins.scratch.write(
            "extern \"C\" int answer(void) { return 42; }\n", to: "\(folder)/c/answer.cc")
        try plugins.scratch.write(
            "module CAnswer { header \"answer.h\" export * }\n", to: "\(folder)/c/module.modulemap")
        try plugins.scratch.write(
            "import CAnswer\npublic func use() -> Int32 { answer() }\n", to: "\(folder)/Use.swift")
        let result = build(plugins, request)
        #expect(result.error == nil, "\(result.compilerOutput)")
        let note = try #require(ModuleContent(request.output).note)
        #expect(note.tag.interface == InterfaceVersion(major: 1, minor: 4))
        #expect(try BinaryReport(of: request.output).defines(function: "answer"))
    }

    @Test("may define the entry point of a module that has Swift, too")
    func entryInC() throws {
        let plugins = try PluginFixture()
        let request = try plugins.add("Mixed")
        try Files.remove(plugins.scratch.file("Plugins/Mixed/Entry.swift"))
        try plugins.scratch.write(
            "#include \"eaves.h\"\nint eaves_register(const eaves_host *host) { return !host; }\n",
            to: "Plugins/Mixed/entry.c")
        let result = build(plugins, request)
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(try BinaryReport(of: request.output).hasEntry)
    }

    @Test("are passed on with what the compiler says about them")
    func mistake() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            "int answer(void) { return x; }\n", to: "Plugins/Plain/deep/answer.c")
        let result = build(plugins, request)
        #expect(result.error == BuildError("plain", .compilation))
        #expect(result.compilerOutput.contains("deep/answer.c:1:27: error: use of undeclared"))
    }

    @Test("without an entry point are an error that shows one")
    func noEntry() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write("int other(void) { return 0; }\n", to: "Plugins/Plain/entry.c")
        let error = try #require(build(plugins, request).error)
        #expect(error.cause == .entry(.undefinedInC(folder: "Plugins/Plain")))
        #expect(error.diagnostics[0].fix?.contains("int32_t eaves_register") == true)
    }

    @Test("with a note of their own are refused")
    func otherNote() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        let note = #"{\"type\":\"eaves\",\"name\":\"x\",\"version\":\"1\",\"eaves\":{\"abi\":1}}"#
        try plugins.scratch.write(
            """
            #define NOTE "\(note)"
            __attribute__((section(".note.package"), used, aligned(4))) static const struct {
                unsigned owner, size, type;
                char name[4];
                char text[sizeof(NOTE)];
            } note = {4, sizeof(NOTE), 0xcafe1a7e, "FDO", NOTE};

            """ + Self.entry, to: "Plugins/Plain/entry.c")
        let error = try #require(build(plugins, request).error)
        #expect(error.cause == .otherNote(folder: "Plugins/Plain"))
    }

    @Test("that include a header which is not there say so in one line")
    func missingHeader() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            "#include <no_such/sodium.h>\n" + Self.entry, to: "Plugins/Plain/entry.c")
        var printed = ""
        let result = plugins.builder.build([request]) { event in
            if case .printed(_, let text) = event { printed += text }
        }[0]
        #expect(printed == "")
        let error = try #require(result.error)
        #expect(error.cause == .dependency(.missingHeader("no_such/sodium.h")))
        #expect(error.isMissingDependency)
        #expect(
            error.diagnostics[0].message
                == "plain: the header 'no_such/sodium.h' is not installed")
        #expect(error.diagnostics[0].fix == "on Debian and Ubuntu, 'apt install libsodium-dev'")
        #expect(error.diagnostics[0].code == .notFound)
    }

    @Test("reading their words, comments and literals do not count")
    func words() {
        func has(_ text: String) -> Bool {
            let content = SourceFiles.Content(name: "x.c", bytes: Array(text.utf8))
            return CSources(in: "/x", [content]).hasEntryPoint
        }
        #expect(has("int eaves_register(const eaves_host *h) {}"))
        #expect(has("char c = '\"'; int eaves_register(void);"))
        #expect(!has("// eaves_register\n/* eaves_register */ int eaves_register2;"))
        #expect(!has("char *s = \"eaves_register\\\" eaves_register\";"))
        #expect(!has("/* eaves_register"))
    }
}
