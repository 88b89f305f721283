// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// Everything that one module is built from.
struct BuildRecipe {
    let request: BuildRequest
    let declaration: ModuleDeclaration
    let configuration: BuildConfiguration
    /// The files as they were before any of them was read.
    let sources: SourceFiles
    let entryPoint: EntryPoint
    let tools: BuildTools

    /// The digest of the whole recipe.
    ///
    /// - Parameter contents: The content of ``sources``.
    func inputs(of contents: [SourceFiles.Content]) -> String {
        var digest = InputDigest()
        digest.add(CompileCommand.flags(configuration).joined(separator: "\0").utf8)
        digest.add(tools.compiler.versionLine.utf8)
        digest.add(tools.compiler.target.utf8)
        digest.add((tools.wrapperDigest ?? "").utf8)
        digest.add(tools.sdkContent.interface)
        digest.add(tools.sdkContent.header)
        for content in contents {
            digest.add(content.name.utf8)
            digest.add(content.bytes)
        }
        if let added = entryPoint.source(shownAs: "") { digest.add(added.utf8) }
        return digest.finalize()
    }

    /// The record of an output that was made by this recipe.
    ///
    /// - Parameter now: A time before the sources were last read, in nanoseconds since 1970.
    func record(_ inputs: String, output: BuildIdentity, at now: Int64) -> BuildRecord {
        BuildRecord(
            folder: request.folder, output: request.output, outputIdentity: output,
            configuration: configuration, inputs: inputs,
            files: sources.settled(at: now), sdk: tools.sdkContent.identity,
            compiler: tools.compilerIdentity)
    }

    /// The note that is embedded in the module: the declaration, and what the build adds to it.
    func note(_ inputs: String) -> ModuleNote {
        let tag = BuildTag(
            abi: tools.versions.abi, interface: tools.versions.interface,
            compiler: tools.compiler.version,
            target: tools.compiler.target, inputs: inputs)
        return ModuleNote(declaration: declaration, tag: tag)
    }
}

/// Computes a digest of everything that a module is built from: equal inputs make equal modules.
private struct InputDigest {
    /// To be changed with the way modules are built, so that all of them are built anew.
    private static let recipe = "eaves-build-3"

    private var hash = SHA256()

    init() {
        add(Self.recipe.utf8)
    }

    /// Adds the length before the bytes, so that the same bytes, divided differently, have another
    /// digest.
    mutating func add(_ bytes: some Collection<UInt8>) {
        let count = UInt64(bytes.count)
        hash.update((0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
        hash.update(bytes)
    }

    /// The digest in hexadecimal digits.
    consuming func finalize() -> String {
        hash.finalize().hex
    }
}
