// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

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
