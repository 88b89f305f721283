// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport

/// Compiles modules in C for tests.
enum CModules {
    /// Compiles C code to a shared object in a folder, and returns its path. The code can use
    /// `eaves.h`.
    @discardableResult
    static func compile(
        _ code: String, to name: String = "module.so", in folder: TemporaryFolder,
        _ arguments: [String] = []
    ) throws -> String {
        let source = try folder.write("#include <eaves.h>\n" + code, to: name + ".c")
        let output = folder.file(name)
        try CCompiler.first().run(
            ["-shared", "-fPIC"] + CCompiler.includes + ["-o", output, source] + arguments)
        return output
    }
}
