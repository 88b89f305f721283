// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// C libraries under `link`: found, used without their package for development, or missing.
@Suite("C libraries", .onOwnThreads, .patiently) struct CLibraryTests {
    /// A module that asks sqlite3, whose declarations it brings itself, for its version.
    private func add(_ plugins: PluginFixture, link: String) throws -> BuildRequest {
        let request = try plugins.add("Store")
        try plugins.scratch.write(
            #"{ "id": "store", "version": "1.0.0", "layer": "core", "link": [\#(link)] }"#,
            to: "Plugins/Store/module.json")
        try plugins.scratch.write(
            "module CSQLite { header \"sqlite.h\" export * }\n",
            to: "Plugins/Store/module.modulemap")
        try plugins.scratch.write(
            "const char *sqlite3_libversion(void);\n", to: "Plugins/Store/sqlite.h")
        try plugins.scratch.write(
            "import CSQLite\npublic func use() -> String { String(cString: sqlite3_libversion()) }\n",
            to: "Plugins/Store/Use.swift"
        )
        return request
    }

    @Test(
        "are linked",
        .enabled(
            if: CLibrarySearch(environment: .current).library("sqlite3") != nil,
            "needs libsqlite3-dev"))
    func linked() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins, link: #""sqlite3""#)
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(try BinaryReport(of: request.output).needed.contains("libsqlite3.so.0"))
        #expect(plugins.builder.freshness(of: request) == .fresh)
    }

    @Test("that are not installed are named, with the package if it is known")
    func missing() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins, link: #""no-such-library", "sqlite3""#)
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(error.isMissingDependency)
        #expect(
            error.diagnostics[0].message
                == "store: the C library 'no-such-library' is not installed (libno-such-library.so)"
        )
        #expect(
            error.diagnostics[0].fix
                == "install it with its headers, or correct 'link' in module.json")
        let known = BuildError(
            "store", .dependency(.missingLibraries(["sqlite3", "ssl", "crypto"])))
        #expect(
            known.diagnostics[0].message
                == "store: the C libraries 'sqlite3', 'ssl', 'crypto' are not installed")
        #expect(
            known.diagnostics[0].fix
                == "on Debian and Ubuntu, 'apt install libsqlite3-dev libssl-dev'")
        #expect(
            known.skipWarning.message
                == "store: skipped, because the C libraries 'sqlite3', 'ssl', 'crypto' are not installed"
        )
    }

    @Test("have names that are no options")
    func names() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins, link: #""-Wl,-e,main", "z", "z", 1"#)
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(
            error.diagnostics.map(\.message) == [
                "Plugins/Store/module.json:1:64: link[0]: expected the name of a C library without "
                    + "'lib' and '.so', such as sqlite3, found '-Wl,-e,main'",
                "Plugins/Store/module.json:1:84: link[2]: 'z' is named twice",
                "Plugins/Store/module.json:1:89: link[3]: expected a string, found a number",
            ])
    }

    @Test("that have no package for development are taken by their latest version")
    func versions() throws {
        let scratch = try TemporaryFolder()
        var known: [String: String] = [:]
        for name in ["libx.so.9", "libx.so.10", "libx.so.2.1", "libxy.so.11"] {
            known[name] = try scratch.write("", to: "lib/\(name)")
        }
        known["libx.so.99"] = scratch.file("lib/gone")
        let search = CLibrarySearch(folders: [scratch.file("dev")], known: known)
        #expect(search.library("x") == .file(scratch.file("lib/libx.so.10")))
        #expect(search.library("y") == nil)
        try scratch.write("", to: "dev/libx.a")
        #expect(search.library("x") == .named("x", folder: scratch.file("dev")))
    }

    @Test("are read from the list of the dynamic linker")
    func cache() throws {
        let search = CLibrarySearch(environment: .current)
        let path = try #require(search.known["libm.so.6"])
        #expect(try BinaryReport(of: path).soname == "libm.so.6")
        let bytes = try Files.read("/etc/ld.so.cache")
        #expect(LibraryCache([])?.libraries == nil)
        #expect(LibraryCache(Array("glibc-ld.so.cache1.1".utf8))?.libraries == nil)
        // A list that was cut off, and offsets that lead out of it, do not matter.
        for count in [40, 48, 60, 200, bytes.count / 2] {
            _ = LibraryCache(Array(bytes.prefix(count)))?.libraries
        }
        var wrong = bytes
        for index in 48..<min(wrong.count, 4096) { wrong[index] = 0xff }
        _ = LibraryCache(wrong)?.libraries
    }
}
