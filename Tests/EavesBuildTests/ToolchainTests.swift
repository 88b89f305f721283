// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesChild
import EavesDeclaration
import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesCompiler

@Suite struct ToolchainTests {
    @Test("is the first program of that name in PATH")
    func path() throws {
        let scratch = try TemporaryFolder()
        try scratch.write("", to: "plain/swiftc", mode: 0o644)
        try Files.createFolder(scratch.file("folder/swiftc"))
        let first = try scratch.write("", to: "first/swiftc", mode: 0o755)
        try scratch.write("", to: "second/swiftc", mode: 0o755)
        let folders = ["/no/such", "", "plain", "folder", "first", "second"]
        // From the working directory, this leads to a program as well.
        let relative = String(repeating: "../", count: 30) + scratch.file("second").dropFirst()
        let path = ([relative] + folders.map { $0.isEmpty ? "" : scratch.file($0) })
            .joined(separator: ":")
        #expect(try Toolchain.locate(environment: Environment(["PATH=\(path)"])).swiftc == first)
    }

    @Test("is the one that EAVES_SWIFTC names, by a path or by a name in PATH")
    func named() throws {
        let scratch = try TemporaryFolder()
        let program = try scratch.write("", to: "swiftc-6", mode: 0o755)
        for name in [program, "swiftc-6"] {
            let environment = Environment(["PATH=\(scratch.path)", "EAVES_SWIFTC=\(name)"])
            #expect(try Toolchain.locate(environment: environment).swiftc == program)
        }
    }

    @Test(
        "is described by the frontend next to it, unless others can change that",
        arguments: [(UInt32(0o755), "6.6"), (0o777, "9.9")])
    func frontend(mode: UInt32, version: String) throws {
        let compiler = try CompilerFixture(version: "9.9")
        let script = "#!/bin/sh\nsed s/9.9/6.6/ \(compiler.scratch.path)/info\n"
        let path = try compiler.scratch.writeProgram(script, to: "swift-frontend")
        try Files.setMode(mode, of: path)
        let toolchain = try Toolchain.locate(environment: compiler.environment)
        let described = try Compiler.described(toolchain, toolchain.identity, interrupts: nil)
        #expect(described.version == version)
    }

    @Test(
        "that is missing is an error with the reason",
        arguments: [
            (["PATH=/no/such"], "eaves: no Swift compiler: swiftc is not in PATH"),
            ([], "eaves: no Swift compiler: swiftc is not in PATH"),
            (
                ["EAVES_SWIFTC=/no/such/swiftc"],
                "eaves: no Swift compiler: EAVES_SWIFTC is '/no/such/swiftc', not a program"
            ),
        ])
    func missing(entries: [String], message: String) throws {
        let error = try #require(throws: BuildError.self) {
            try Toolchain.locate(environment: Environment(entries))
        }
        let diagnostic = try #require(error.diagnostics.first)
        #expect(diagnostic.message == message)
        #expect(diagnostic.fix?.contains("EAVES_SWIFTC") == true)
        #expect(diagnostic.code == .notFound)
    }
}

@Suite struct SDKTests {
    @Test("is found next to the executable, also behind a link to it")
    func nextToExecutable() throws {
        let host = try HostFixture.shared.get()
        let scratch = try TemporaryFolder()
        let link = scratch.file("eaves")
        #expect(
            try ChildPool.run(ChildCommand("ln", ["-s", host.executable, link])).ending.isSuccess)
        for executable in [host.executable, link] {
            let sdk = try SDK.locate(forHost: executable)
            #expect(try sdk.versions().abi == 1)
            #expect(try sdk.versions().interface == InterfaceVersion(major: 1, minor: 4))
            #expect(sdk.header == host.header)
            #expect(sdk.textualInterface == host.interface)
        }
    }

    @Test("is found in lib/eaves of an installation")
    func installed() throws {
        let scratch = try TemporaryFolder()
        try scratch.write("", to: "bin/eaves")
        try scratch.write("", to: "lib/eaves/Modules/EavesInterface.swiftinterface")
        try scratch.write(
            #"module CEaves { header "eaves.h" }"#, to: "lib/eaves/include/module.modulemap")
        try scratch.write(
            """
            #define EAVES_ABI_VERSION 3
            #define EAVES_INTERFACE_MAJOR 2
            #  define OTHER 1
            #define EAVES_INTERFACE_MINOR   17   /* since today */
            """, to: "lib/eaves/include/eaves.h")
        let sdk = try SDK.locate(forHost: scratch.file("bin/eaves"))
        #expect(try sdk.versions().abi == 3)
        #expect(try sdk.versions().interface == InterfaceVersion(major: 2, minor: 17))
        #expect(sdk.moduleFolder == scratch.file("lib/eaves/Modules"))
    }

    @Test(
        "that is damaged is an error with the file and what it lacks",
        arguments: [
            ("include/eaves.h", "#define EAVES_ABI_VERSION 1", "EAVES_INTERFACE_MAJOR"),
            ("include/eaves.h", "#define EAVES_ABI_VERSION one", "EAVES_ABI_VERSION"),
            ("bin/CEaves.build/module.modulemap", "module CEaves {}", "the path of eaves.h"),
        ])
    func damaged(file: String, content: String, missing: String) throws {
        let host = try HostFixture.copy()
        let path = try host.scratch.write(content, to: file)
        let error = try #require(throws: BuildError.self) {
            _ = try SDK.locate(forHost: host.executable).versions()
        }
        #expect(error.cause == .damagedSDK(path: path, missing: missing))
        #expect(
            error.diagnostics.first?.message == "eaves: \(path) is damaged: \(missing) is missing")
    }
}
