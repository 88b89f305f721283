// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesSystem

/// Everything that one module is made of.
struct BuildRecipe {
    let request: BuildRequest
    let declaration: ModuleDeclaration
    let configuration: BuildConfiguration
    /// As they were when they were first looked at.
    let sources: SourceFiles
    let tools: BuildTools

    /// The digest of it all, by the content that the sources have now.
    func inputs() throws(BuildError) -> String {
        do throws(SystemError) {
            return try InputDigest.of(
                sources, configuration: configuration, sdk: tools.sdkContent,
                compiler: tools.compiler)
        } catch {
            throw BuildError(request.id, .unreadable(error))
        }
    }

    /// What to remember of an output that was made of it.
    func record(_ inputs: String, output: FileStamp) -> BuildRecord {
        BuildRecord(
            folder: request.folder, output: request.output, outputStamp: output,
            configuration: configuration, inputs: inputs,
            files: sources.settled(at: WallClock.now), sdk: tools.sdkContent.stamps,
            compiler: tools.compilerStamp)
    }

    /// What `eaves build` adds to the declaration.
    func note(_ inputs: String) -> ModuleNote {
        let tag = BuildTag(
            abi: tools.versions.abi, interface: tools.versions.interface,
            compiler: tools.compiler.version,
            target: tools.compiler.target, inputs: inputs)
        return ModuleNote(declaration: declaration, tag: tag)
    }
}
