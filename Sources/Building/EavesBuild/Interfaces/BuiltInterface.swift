// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesCompiler
package import EavesDeclaration

/// An interface module that was built, as the programs of the toolchain can read it.
package struct BuiltInterface: Sendable {
    /// The name of the Swift module.
    package let module: String
    /// The names of all its Swift modules, its own first: a package brings several.
    package let modules: [String]
    /// The SHA-256 of its textual interface without comments: the same for all bodies and for both
    /// configurations.
    package let contentDigest: String
    /// The modules that its textual interface imports.
    package let imports: [String]
    /// The types of the interfaces that it builds on whose values can go to another process.
    package let foreignTypes: Set<String>
    /// They find it, and the interfaces that it builds on.
    package let tools: InterfaceTools

    /// - Parameter declaration: The one in the folder of the request.
    init(
        _ request: BuildRequest, _ declaration: ModuleDeclaration, _ builder: Builder
    ) throws(BuildError) {
        let tools = try builder.tools()
        let others = try ModuleInterfaces(of: declaration, request, tools, builder.lookup).files
        let file = try BuildError.about(
            request.id, { (problem: InterfaceUseProblem) in .interfaces([problem]) },
            try InterfaceFile(
                request.id, at: request.output, shownAs: request.shownOutput, for: nil))
        module = file.stamp.module
        modules = file.stamp.modules
        let text = InterfaceText(file.text.content)
        contentDigest = text.digest
        imports = text.imports
        foreignTypes = WallReport.types(ofFiles: others.map(\.path))
        let folders = try InterfaceCache.searchFolders(for: others + [file], request)
        self.tools = InterfaceTools(tools, finding: folders)
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
