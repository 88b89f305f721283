// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesSystem

/// An interface module that was built, as the programs of the toolchain can read it.
package struct BuiltInterface: Sendable {
    /// The name of the Swift module.
    package let module: String
    /// The SHA-256 of its textual interface without comments: the same for all bodies and for both
    /// configurations.
    package let contentDigest: String
    /// The options with which the compiler and its tools find it, and the interfaces that it builds on.
    package let searchOptions: [String]
    private let tools: BuildTools

    /// - Parameter declaration: The one in the folder of the request.
    init(
        _ request: BuildRequest, _ declaration: ModuleDeclaration, _ builder: Builder
    ) throws(BuildError) {
        tools = try BuildTools(builder, interrupts: nil)
        let others = try ModuleInterfaces(of: declaration, request, tools, builder.lookup).files
        let file: InterfaceFile
        do throws(InterfaceUseProblem) {
            file = try InterfaceFile(
                request.id, at: request.output, shownAs: request.shownOutput, for: nil)
        } catch {
            throw BuildError(request.id, .interfaces([error]))
        }
        module = file.stamp.module
        contentDigest = InterfaceText(file.text.content).digest
        var folders: [String] = []
        for file in others where !file.isLinked {
            folders.append(try InterfaceCache.searchFolder(for: file, request))
        }
        folders.append(try InterfaceCache.searchFolder(for: file, request))
        searchOptions = CompileCommand.searchPaths(tools.sdk, folders)
    }

    /// The environment that the compiler is run in.
    package var environment: Environment { tools.toolchain.environment }

    /// A program of the compiler's toolchain. The compiler itself may be a program around it, so its own
    /// description leads there.
    package func path(ofTool name: String) -> String? {
        let swiftc = tools.toolchain.swiftc
        let besides = Path.parent(of: Files.resolved(swiftc) ?? swiftc)
        return [tools.compiler.toolFolder, besides].compactMap(\.self)
            .map { Path.join($0, name) }
            .first { (try? FileStatus(path: $0))?.kind == .file }
    }
}

extension Builder {
    /// The interface module that a request has built.
    ///
    /// - Parameter declaration: The one in the folder of the request.
    package func builtInterface(
        _ request: BuildRequest, _ declaration: ModuleDeclaration
    ) throws(BuildError) -> BuiltInterface {
        try BuiltInterface(request, declaration, self)
    }
}
