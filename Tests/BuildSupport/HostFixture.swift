// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
package import EavesSystem
import Glibc

/// The SDK of a small host: an interface module of a few lines, compiled once in a run. The tests do
/// not depend on Eaves' own interface, and can change a copy of this one.
package struct HostFixture {
    package let scratch: Scratch
    /// The path of the host's executable, an empty file.
    package var executable: String { scratch.path("bin/eaves") }
    package var header: String { scratch.path("include/eaves.h") }
    package var interface: String { scratch.path("bin/Modules/EavesInterface.swiftinterface") }

    /// The fixture that all tests share. No test changes it.
    package static let shared: Result<HostFixture, any Error> = Result {
        atexit { try? Files.removeTree(HostFixture.shared.get().scratch.path) }
        return try HostFixture(compiled: ())
    }

    /// A copy of the shared fixture, which a test can change.
    package static func copy() throws -> HostFixture {
        let original = try shared.get()
        let scratch = try Scratch()
        let copied = try ChildPool.run(
            ChildCommand("cp", ["-r", "\(original.scratch.path)/.", scratch.path]))
        guard copied.ending.isSuccess else { throw FixtureError(copied) }
        let host = HostFixture(scratch: scratch)
        try host.writeModuleMap()
        return host
    }

    private init(scratch: Scratch) {
        self.scratch = scratch
    }

    private init(compiled: Void) throws {
        scratch = try Scratch()
        try scratch.write("bin/eaves", "")
        try scratch.write(
            "include/eaves.h",
            """
            #include <stdint.h>
            #define EAVES_ABI_VERSION 1
            #define EAVES_INTERFACE_MAJOR 1
            #define EAVES_INTERFACE_MINOR 4
            typedef struct { uint32_t abi_version; } eaves_host;

            """)
        try writeModuleMap()
        let source = try scratch.write(
            "Interface.swift",
            """
            public import CEaves
            public protocol Module { static var name: String { get } }
            public func register<M: Module>(
                _ module: M.Type, with host: UnsafePointer<eaves_host>
            ) -> Int32 { 0 }

            """)
        try Files.createFolder(scratch.path("bin/Modules"))
        let report = try ChildPool.run(
            ChildCommand(
                Toolchain.locate().swiftc,
                [
                    "-emit-module", "-parse-as-library", "-swift-version", "6",
                    "-module-name", "EavesInterface", "-enable-library-evolution",
                    "-emit-module-interface-path", interface, "-no-verify-emitted-module-interface",
                    "-Xcc",
                    "-fmodule-map-file=\(scratch.path("bin/CEaves.build/module.modulemap"))",
                    "-o", scratch.path("bin/Modules/EavesInterface.swiftmodule"), source,
                ]))
        guard report.ending.isSuccess else { throw FixtureError(report) }
    }

    /// Writes the map as SwiftPM does: with an absolute path.
    private func writeModuleMap() throws {
        try scratch.write(
            "bin/CEaves.build/module.modulemap",
            """
            module CEaves {
                umbrella "\(scratch.path("include"))"
                export *
            }

            """)
    }
}

/// The reason why a fixture that many tests share could not be made.
///
/// `#require` does not do: its error counts as reported once, so that all tests but the first pass.
package struct FixtureError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ report: ChildReport) {
        description = "\(report.ending): \(String(decoding: report.output, as: UTF8.self))"
    }
}
