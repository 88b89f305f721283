// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

/// The modules in C: each is a folder of `Fixtures`, compiled with `cc` and `eaves.h` alone.
enum CFixtures {
    /// Greets its arguments, and is well.
    static let hello = Result { try module("HelloC", file: "hello.c") }

    /// Compiles one file of a fixture into a shared object.
    ///
    /// - Parameters:
    ///   - name: The fixture's folder.
    ///   - file: The file in it.
    ///   - macros: The macros that it is compiled with.
    ///   - options: More for the compiler, behind the file.
    static func module(
        _ name: String, file: String = "module.c", macros: [String: String] = [:],
        options: [String] = []
    ) throws -> URL {
        let definitions = macros.map { "-D\($0)=\($1)" }
        let compiled = try output.get().url.appendingPathComponent("\(name)-\(UUID()).so")
        let source = SwiftFixtures.folder.appendingPathComponent("\(name)/\(file)")
        try CCompiler.first().run(
            ["-shared", "-fPIC"] + definitions + CCompiler.includes
                + ["-o", compiled.path, source.path] + options)
        return compiled
    }

    /// Where all of them are compiled to, until the tests end.
    private static let output = Result { try TemporaryFolder() }
}
