// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
import EavesChild
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

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
