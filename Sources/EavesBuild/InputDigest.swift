// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A digest over everything that a module is built from: same inputs, same module.
struct InputDigest {
    /// Changes with the way modules are built, so that all of them are built anew.
    private static let recipe = "eaves-build-2"

    private var hash = SHA256()

    /// - Returns: The digest in hexadecimal digits.
    static func of(
        _ sources: SourceFiles, configuration: BuildConfiguration, sdk: SDKContent,
        compiler: Compiler
    ) throws(SystemError) -> String {
        var digest = InputDigest()
        digest.add(recipe.utf8)
        digest.add(CompileCommand.flags(configuration).joined(separator: "\0").utf8)
        digest.add(compiler.versionLine.utf8)
        digest.add(compiler.target.utf8)
        digest.add(sdk.interface)
        digest.add(sdk.header)
        for file in sources.files {
            digest.add(file.name.utf8)
            digest.add(try Files.read(Path.join(sources.folder, file.name)))
        }
        return digest.hash.finalize().hex
    }

    /// The length first: two inputs cannot be mistaken for other two with the same bytes in a row.
    private mutating func add(_ bytes: some Collection<UInt8>) {
        let count = UInt64(bytes.count)
        hash.update((0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
        hash.update(bytes)
    }
}
