// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesChild
import EavesDiagnostics
import EavesELF
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesBuild
@testable import EavesCompiler

/// C libraries under `pkgConfig`, and headers in folders under `include`.
@Suite("packages of pkg-config", .onOwnThreads, .patiently) struct PkgConfigTests {
    private static let isInstalled =
        (try? ChildPool.run(ChildCommand("pkg-config", ["--version"]))) != nil

    /// A library with headers in a folder of its own, as `pkg-config` knows it.
    private func fixture() throws -> (plugins: PluginFixture, library: TemporaryFolder) {
        let library = try TemporaryFolder()
        try library.write("int odd(void);\n#define ODD_HEADER 1\n", to: "in clude/odd/odd.h")
        let binary = try CCompiler.first().compile(
            "int odd(void) { return 21; }\n", ["-shared", "-Wl,-soname,libodd.so.1"])
        try library.write(binary, to: "libodd.so")
        try library.write(
            """
            Name: odd
            Description: an odd library
            Version: 1.0
            Cflags: -I\(library.path)/in\\ clude/odd -DODD_VALUE=2
            Libs: -L\(library.path) -lodd -Wl,-z,now

            """, to: "odd-1.0.pc")
        var environment = Environment.current
        environment["PKG_CONFIG_PATH"] = library.path
        return (try PluginFixture(environment: environment), library)
    }

    private func add(
        _ plugins: PluginFixture, _ members: String, _ files: [String: String]
    ) throws -> BuildRequest {
        let request = try plugins.add("Store")
        try plugins.scratch.write(
            #"{ "id": "store", "version": "1.0.0", "layer": "core", \#(members) }"#,
            to: "Plugins/Store/module.json")
        for (name, text) in files { try plugins.scratch.write(text, to: "Plugins/Store/" + name) }
        return request
    }

    @Test(
        "give sources in Swift and C their headers and definitions, and are linked",
        .enabled(if: isInstalled, "needs pkg-config"))
    func built() throws {
        let (plugins, library) = try fixture()
        let request = try add(
            plugins, #""pkgConfig": ["odd-1.0"], "include": ["headers"]"#,
            [
                "module.modulemap": "module COdd { header \"shim.h\" export * }\n",
                "shim.h": "#include <odd.h>\n#include \"deep/inner.h\"\n",
                "headers/deep/inner.h": "int inner(void);\n",
                "inner.c":
                    "#include \"deep/inner.h\"\n#include <odd.h>\nint inner(void) { return ODD_VALUE * ODD_HEADER; }\n",
                "Use.swift": "import COdd\npublic func use() -> Int32 { odd() * inner() }\n",
            ])
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(try BinaryReport(of: request.output).needed.contains("libodd.so.1"))
        #expect(plugins.builder.freshness(of: request) == .fresh)
        withExtendedLifetime(library) {}
    }

    @Test(
        "are as good for a module in C alone, and another answer builds it again",
        .enabled(if: isInstalled, "needs pkg-config"))
    func c() throws {
        let (plugins, library) = try fixture()
        let request = try add(
            plugins, #""pkgConfig": ["odd-1.0"]"#,
            [
                "entry.c":
                    "#include <eaves.h>\n#include <odd.h>\nint32_t eaves_register(const struct eaves_host *host) { return odd() * ODD_VALUE; }\n"
            ])
        let folder = try Folder(request.folder)
        for name in folder.entries.map(\.name) where name.hasSuffix(".swift") {
            unlink(Path.join(request.folder, name))
        }
        #expect(plugins.builder.build([request])[0].error == nil)
        let text = try library.read("odd-1.0.pc")
        try library.write(text.replacing("ODD_VALUE=2", with: "ODD_VALUE=3"), to: "odd-1.0.pc")
        try plugins.scratch.write("/* saved */\n", to: "Plugins/Store/other.h")
        let result = plugins.builder.build([request])[0]
        #expect(result.isBuilt, "\(result.outcome)")
    }

    @Test(
        "that are not installed are named, with the package of Debian if it is known",
        .enabled(if: isInstalled, "needs pkg-config"))
    func missing() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins, #""pkgConfig": ["no-such-one", "no-such-two"]"#, [:])
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(error.isMissingDependency)
        #expect(
            error.diagnostics[0].message
                == "store: pkg-config knows no packages 'no-such-one', 'no-such-two': they are not installed"
        )
        #expect(error.diagnostics[0].fix?.contains("correct 'pkgConfig' in module.json") == true)
        for (name, package) in [
            ("libxml-2.0", "libxml2-dev"), ("sqlite3", "libsqlite3-dev"),
            ("libcurl", "libcurl4-openssl-dev"),
        ] {
            #expect(
                DependencyProblem.missingPackages([name]).fix
                    == "on Debian and Ubuntu, 'apt install \(package)'")
        }
    }

    @Test("and folders inside of the module are told where a header of theirs is not found")
    func headers() throws {
        let plugins = try PluginFixture()
        let request = try add(
            plugins, #""include": []"#,
            [
                "module.modulemap": "module COwn { header \"shim.h\" export * }\n",
                "shim.h": "#include <own.h>\n", "a/b/own.h": "int own(void);\n",
                "Use.swift": "import COwn\n",
            ])
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(error.cause == .dependency(.ownHeader("own.h", folder: "a/b")))
        #expect(!error.isMissingDependency)
        #expect(error.diagnostics[0].fix == "name it in module.json: \"include\": [\"a/b\"]")

        let loops = try TemporaryFolder()
        for name in ["a", "b", "c"] { try loops.link(name, to: ".") }
        #expect(HeaderSearch().folder(in: loops.path, ofHeader: "own.h") == nil)

        let system = try TemporaryFolder()
        try system.write("", to: "include/odd2/odd/parts.h")
        try system.write("Cflags: -I${includedir}/odd2\n", to: "pkgconfig/odd-2.0.pc")
        try system.write("Cflags: -I${includedir}\n", to: "pkgconfig/even.pc")
        var search = HeaderSearch()
        search.headers = [system.file("include")]
        search.packages = [system.file("pkgconfig")]
        #expect(search.package(ofHeader: "odd/parts.h") == "odd-2.0")
        #expect(search.package(ofHeader: "parts.h") == nil)
        #expect(search.package(ofHeader: "/odd/parts.h") == nil)
        #expect(
            DependencyProblem.hiddenHeader("odd/parts.h", package: "odd-2.0").fix
                == "name it in module.json: \"pkgConfig\": [\"odd-2.0\"]")
    }

    @Test("are named by words, and folders lie inside of the module's own")
    func names() throws {
        let plugins = try PluginFixture()
        let request = try add(
            plugins,
            #""pkgConfig": ["--version", "z", "z"], "include": ["../a", "/a", "a/.", "-a", "a", "a/b"]"#,
            [:])
        let error = try #require(plugins.builder.build([request])[0].error)
        let messages = error.diagnostics.map(\.message)
        #expect(messages.count == 6, "\(messages)")
        #expect(messages[0].includes("pkgConfig[0]: expected the name of a C library"))
        #expect(messages[1].includes("pkgConfig[2]"))
        #expect(messages[2].includes("include[0]: expected a folder inside of the module's own"))
    }

    @Test(
        "are read as a shell reads them",
        arguments: [
            ("", []), (" \n", []), ("-I/a -lb\n", ["-I/a", "-lb"]),
            (#"-I/a\ b -D\"x\""#, ["-I/a b", #"-D"x""#]), (#"a\\b"#, [#"a\b"#]),
        ])
    func words(text: String, words: [String]) {
        #expect(ShellLine(text).words == words)
    }
}

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
