// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesCompiler
import EavesProcess
import EavesSystem
package import EavesTestSupport

/// The SDK of a small host: an interface module of a few lines, compiled once in a run. The tests do
/// not depend on Eaves' own interface, and can change a copy of this one.
package struct HostFixture {
    package let scratch: TemporaryFolder
    /// The path of the host's executable, an empty file.
    package var executable: String { scratch.file("bin/eaves") }
    package var header: String { scratch.file("include/eaves.h") }
    package var interface: String { scratch.file("bin/Modules/EavesInterface.swiftinterface") }

    /// The fixture that all tests share. No test changes it.
    package static let shared = Result { try HostFixture(compiled: ()) }

    /// Returns a copy of the shared fixture, which a test can change.
    package static func copy() throws -> HostFixture {
        let original = try shared.get()
        let scratch = try TemporaryFolder()
        let copied = try ChildPool.run(
            ChildCommand("cp", ["-r", "\(original.scratch.path)/.", scratch.path]))
        guard copied.ending.isSuccess else { throw FixtureError(copied) }
        let host = HostFixture(scratch: scratch)
        try host.writeModuleMap()
        return host
    }

    private init(scratch: TemporaryFolder) {
        self.scratch = scratch
    }

    private init(compiled: Void) throws {
        scratch = try TemporaryFolder()
        try scratch.write("", to: "bin/eaves")
        try scratch.write(
            """
            #include <stdint.h>
            #define EAVES_ABI_VERSION 1
            #define EAVES_INTERFACE_MAJOR 1
            #define EAVES_INTERFACE_MINOR 4
            typedef struct { uint32_t abi_version; } eaves_host;

            """, to: "include/eaves.h")
        try writeModuleMap()
        let source = try scratch.write(
            """
            public import CEaves
            public protocol Module { static var name: String { get } }
            public func register<M: Module>(
                _ module: M.Type, with host: UnsafePointer<eaves_host>
            ) -> Int32 { 0 }

            """, to: "Interface.swift")
        try Files.createFolder(scratch.file("bin/Modules"))
        let report = try ChildPool.run(
            ChildCommand(
                Toolchain.locate().swiftc,
                [
                    "-emit-module", "-parse-as-library", "-swift-version", "6",
                    "-module-name", "EavesInterface", "-enable-library-evolution",
                    "-emit-module-interface-path", interface, "-no-verify-emitted-module-interface",
                    "-Xcc",
                    "-fmodule-map-file=\(scratch.file("bin/CEaves.build/module.modulemap"))",
                    "-o", scratch.file("bin/Modules/EavesInterface.swiftmodule"), source,
                ]))
        guard report.ending.isSuccess else { throw FixtureError(report) }
    }

    /// Writes the map as SwiftPM does: with an absolute path.
    private func writeModuleMap() throws {
        try scratch.write(
            """
            module CEaves {
                umbrella "\(scratch.file("include"))"
                export *
            }

            """, to: "bin/CEaves.build/module.modulemap")
    }
}
