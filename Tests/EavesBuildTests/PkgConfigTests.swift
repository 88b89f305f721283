// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesChild
@testable import EavesCompiler
import EavesDiagnostics
import EavesELF
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesBuild

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
        guard case .built = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
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
        let search = HeaderSearch(
            headers: [system.file("include")], packages: [system.file("pkgconfig")])
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
            (#"-I/a\ b -D"x""#, ["-I/a b", #"-D"x""#]), (#"a\\b"#, [#"a\b"#]),
        ])
    func words(text: String, words: [String]) {
        #expect(PkgConfig.words(text) == words)
    }
}
