// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesChild
import EavesCompiler
import EavesProcess
package import EavesSystem
package import EavesTestSupport

/// A stand-in for the compiler: records its arguments, runs a script of the test, and writes a module
/// that the real compiler made once.
package struct CompilerFixture {
    package let scratch: TemporaryFolder
    package var swiftc: String { scratch.file("swiftc") }

    /// An environment in which the stand-in is the compiler.
    package var environment: Environment {
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = swiftc
        return environment
    }

    /// How often the stand-in has compiled.
    package var runs: Int { ((try? scratch.names(in: "runs")) ?? []).count }

    /// The arguments of the last call.
    package var arguments: [String] {
        get throws { try scratch.read("arguments").split(separator: "\n").map(String.init) }
    }

    /// The names of the sources of the last call.
    package var sources: [String] {
        get throws { try arguments.filter { $0.hasSuffix(".swift") }.map(Path.name(of:)).sorted() }
    }

    /// - Parameters:
    ///   - version: The version that the stand-in claims to be.
    ///   - script: Shell commands to compile with; `give` writes the module.
    package init(version: String? = nil, script: String = "give") throws {
        scratch = try TemporaryFolder()
        try scratch.write(Self.info.get(), to: "info")
        try Files.createFolder(scratch.file("runs"))
        if let version {
            try scratch.write(
                """
                {"compilerVersion": "Swift version \(version) (x)", "target": {"triple": "t"}}
                """, to: "info")
        }
        _ = try scratch.writeProgram(
            """
            #!/bin/sh
            if [ "$1" = -print-target-info ]; then cat \(scratch.path)/info; exit; fi
            echo > \(scratch.path)/runs/$$
            printf '%s\\n' "$@" > \(scratch.path)/arguments
            while [ $# -gt 0 ]; do [ "$1" = -o ] && output=$2; last=$1; shift; done
            give() { cp \(try Self.template.get().scratch.path)/Plugins/template.so "$output"; }
            \(script)

            """, to: "swiftc")
    }

    /// The real compiler's description of itself.
    private static let info = Result {
        let report = try ChildPool.run(
            ChildCommand(Toolchain.locate().swiftc, ["-print-target-info"]))
        return String(decoding: report.output, as: UTF8.self)
    }

    /// A folder with a module from the real compiler.
    private static let template = Result {
        let plugins = try PluginFixture()
        let result = plugins.builder.build([try plugins.add("Template")])[0]
        if let error = result.error { throw error }
        return plugins
    }
}
