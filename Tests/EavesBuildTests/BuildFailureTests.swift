// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesBuild
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

/// Errors of one module. Each must leave the old file as it is.
@Suite(.patiently) struct BuildFailureTests {
    private struct Failure {
        var error: BuildError
        var output: String
    }

    /// Builds one module with a stand-in for the compiler, which must fail.
    private func failure(
        version: String? = nil, script: String = "give", folder: String = "Hello",
        prepare: (PluginFixture, inout BuildRequest) throws -> Void = { _, _ in }
    ) throws -> Failure {
        let compiler = try CompilerFixture(version: version, script: script)
        let plugins = try PluginFixture(environment: compiler.environment)
        var request = try plugins.add(folder, id: "hello")
        try plugins.scratch.write("old", to: "Plugins/hello.so")
        try prepare(plugins, &request)
        let result = plugins.builder.build([request])[0]
        #expect(try plugins.scratch.read("Plugins/hello.so") == "old")
        #expect(try plugins.names().filter { $0.hasPrefix(".") } == [])
        return Failure(error: try #require(result.error), output: result.compilerOutput)
    }

    @Test("a compiler error comes with all that the compiler printed")
    func compilation() throws {
        let failed = try failure(script: "echo oops; echo no >&2; exit 1")
        #expect(failed.error == BuildError("hello", .compilation))
        #expect(failed.output == "oops\nno\n")
        #expect(failed.error.diagnostics.first?.code == .badData)
    }

    @Test("a compiler that crashes is named, with the signal")
    func crash() throws {
        let failed = try failure(script: "echo Stack dump; kill -SEGV $$")
        #expect(failed.output == "Stack dump\n")
        let diagnostic = try #require(failed.error.diagnostics.first)
        #expect(
            diagnostic.message.hasPrefix(
                "hello: the compiler crashed with signal 11 (Segmentation fault) (/tmp/"))
        #expect(diagnostic.code == .crashed)
    }

    @Test("a compiler that succeeds and writes no file, or not a module, is an error")
    func noOutput() throws {
        guard case .badBinary = try failure(script: ":").error.cause else {
            Issue.record("accepted a missing file")
            return
        }
        let failed = try failure(script: "echo text > $output")
        #expect(
            failed.error.diagnostics.first?.message.hasPrefix(
                "hello: the linked file is not a module: expected a shared object") == true)
    }

    @Test(
        "a compiler of another series is refused before it compiles",
        arguments: ["5.10.1", "6.99.0"])
    func otherCompiler(version: String) throws {
        let failed = try failure(version: version)
        let diagnostic = try #require(failed.error.diagnostics.first)
        #expect(diagnostic.message.hasPrefix("hello: expected Swift 6."))
        #expect(diagnostic.message.contains("found \(version)"))
        #expect(diagnostic.code == .incompatible)
    }

    @Test("a compiler that does not describe itself is not used")
    func unusableCompiler() throws {
        let scratch = try TemporaryFolder()
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = try scratch.writeProgram(
            "#!/bin/sh\necho 'no such option'\nexit 2\n", to: "swiftc")
        let plugins = try PluginFixture(environment: environment)
        let request = try plugins.add("Hello")
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(
            error.diagnostics.first?.message
                == "hello: cannot use \(scratch.path)/swiftc: exit code 2, no such option")
    }

    @Test("a missing compiler or SDK is reported for each module that needs it")
    func noTools() throws {
        var environment = Environment.current
        environment["PATH"] = "/no/such:"
        environment["EAVES_SWIFTC"] = nil
        let noCompiler = try PluginFixture(environment: environment)
        let requests = [try noCompiler.add("A"), try noCompiler.add("B")]
        let causes = noCompiler.builder.build(requests).map(\.error?.cause)
        #expect(causes == [.noCompiler(named: nil), .noCompiler(named: nil)])

        var noSDK = try PluginFixture()
        noSDK.builder = Builder(forHost: "/no/such/bin/eaves")
        let error = noSDK.builder.build([try noSDK.add("A")])[0].error
        #expect(error?.cause == .noSDK(searched: ["/no/such/bin", "/no/such/lib/eaves"]))
        #expect(error?.diagnostics.first?.code == .notFound)
    }

    @Test("a module.json that is broken or has another id is an error")
    func declaration() throws {
        let broken = try failure { plugins, _ in
            try plugins.scratch.write("{ \"id\": 1 }", to: "Plugins/Hello/module.json")
        }
        #expect(broken.error.diagnostics.count > 1)
        #expect(
            broken.error.diagnostics[0].message.hasPrefix("Plugins/Hello/module.json:1:"))
        let other = try failure { plugins, _ in
            try plugins.scratch.write(
                PluginFixture.declaration("other"), to: "Plugins/Hello/module.json")
        }
        #expect(other.error == BuildError("hello", .otherID(found: "other")))
    }

    @Test("a folder without sources is an error")
    func noSources() throws {
        let failed = try failure { plugins, _ in
            for name in ["Hello", "Entry"] {
                try Files.remove(plugins.scratch.file("Plugins/Hello/\(name).swift"))
            }
        }
        #expect(
            failed.error.diagnostics.first?.message
                == "hello: no sources in Swift, C or C++ in Plugins/Hello")
    }

    @Test("a folder with the name of a module that exists is refused")
    func reservedName() throws {
        let failed = try failure(folder: "Foundation")
        let expected = BuildError.Cause.reservedName(
            folder: "Plugins/Foundation", name: "Foundation")
        #expect(failed.error.cause == expected)
        #expect(failed.error.diagnostics.first?.code == .badData)

        let compiler = try PluginFixture().builder.tools().compiler
        for name in [
            "EavesInterface", "CEaves", "Swift", "Glibc", "_Concurrency", "Builtin",
            // Those in C, which Swift's own import.
            "CDispatch", "SwiftGlibc", "SwiftShims", "SwiftOverlayShims", "_FoundationICU",
            "_FoundationCShims", "_SwiftConcurrencyShims", "_SynchronizationShims",
        ] {
            let request = BuildRequest(id: "a", folder: "/a/\(name)", output: "/a/a.so")
            #expect(throws: BuildError.self, "\(name)") {
                try ModuleName.module(of: request, compiler: compiler)
            }
        }
    }

    @Test("an output that cannot be written is an error")
    func unwritable() throws {
        let failed = try failure { plugins, request in
            request.output = plugins.scratch.file("no/such/hello.so")
        }
        let diagnostic = try #require(failed.error.diagnostics.first)
        #expect(
            diagnostic.message
                == "hello: cannot create no/such/hello.so: No such file or directory")
        #expect(diagnostic.code == .cannotCreate)

        let folder = try failure { plugins, request in
            request.output = plugins.scratch.file("Plugins/Hello")
        }
        #expect(folder.error.cause == .outputIsFolder("Plugins/Hello"))
        #expect(folder.error.diagnostics.first?.code == .cannotCreate)
    }

    @Test("of two folders that build one file, the second is refused")
    func sameOutput() throws {
        let compiler = try CompilerFixture()
        let plugins = try PluginFixture(environment: compiler.environment)
        let requests = [try plugins.add("One", id: "same"), try plugins.add("Two", id: "same")]
        let results = plugins.builder.build(requests)
        #expect(results[0].error == nil)
        let cause = BuildError.Cause.sameOutput(output: "Plugins/same.so", other: "Plugins/One")
        #expect(results[1].error?.cause == cause)
    }
}
