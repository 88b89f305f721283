// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
package import EavesCode
package import EavesCompiler
package import EavesDeclaration
import EavesProcess
package import EavesSystem
import EavesTrust

/// The programs of the compiler's toolchain that read interfaces which were built.
package struct InterfaceTools: Sendable {
    /// The options with which they find the interfaces, and those that these build on.
    package let searchOptions: [String]
    private let tools: BuildTools
    /// The id of the module that errors are about.
    private let subject: String

    init(_ tools: BuildTools, finding folders: [String], for subject: String) {
        self.tools = tools
        self.subject = subject
        searchOptions = CompileCommand.searchPaths(tools.sdk, folders)
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - arguments: Do not include ``searchOptions``.
    ///   - folder: The folder for the program's temporary files.
    /// - Returns: The text that it printed.
    package func run(
        _ name: String, _ arguments: [String], in folder: WorkFolder
    ) throws(BuildError) -> String {
        guard let path = path(of: name) else {
            throw BuildError(subject, .dependency(.noTool(name)))
        }
        if let error = ToolFinder(searchPath: nil).trustError(of: path) {
            throw BuildError(subject, .untrusted(error))
        }
        var environment = tools.toolchain.environment
        environment["TMPDIR"] = folder.path
        let report = try BuildError.about(
            subject,
            { (error: SystemError) in
                .dependency(.toolFailed(name, reason: error.errno.description))
            },
            try ChildPool.run(ChildCommand(path, arguments, environment: environment)))
        let printed = String(decoding: report.output, as: UTF8.self)
        guard report.ending.isSuccess else {
            throw failure(of: name, printed, because: "\(report.ending), ")
        }
        return printed
    }

    /// The error of a program that has printed the reason.
    package func failure(
        of name: String, _ printed: String, because ending: String = ""
    ) -> BuildError {
        let line = printed.split(whereSeparator: \.isNewline).first.map(String.init)
        return BuildError(
            subject, .dependency(.toolFailed(name, reason: ending + (line ?? "no output"))))
    }

    /// The symbol graph of a module, which a program writes.
    package func symbolGraph(
        of module: String, in folder: WorkFolder
    ) throws(BuildError) -> SymbolGraph {
        let name = "swift-symbolgraph-extract"
        let printed = try run(
            name,
            [
                "-module-name", module, "-target", tools.compiler.target,
                "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", folder.path,
            ] + searchOptions, in: folder)
        let path = Path.join(folder.path, "\(module).symbols.json")
        let graph = (try? Files.read(path, limit: 256 << 20)).flatMap { SymbolGraph($0) }
        guard let graph else { throw failure(of: name, printed) }
        return graph
    }

    /// The path of a program of the toolchain. The compiler itself may be a program around it, so its own
    /// description leads there.
    private func path(of name: String) -> String? {
        let swiftc = tools.toolchain.swiftc
        let besides = Path.parent(of: Files.resolved(swiftc) ?? swiftc)
        return [tools.compiler.toolFolder, besides].compactMap(\.self)
            .map { Path.join($0, name) }
            .first { (try? FileStatus(path: $0))?.kind == .file }
    }
}

/// An interface module that was built, as the programs of the toolchain can read it.
package struct BuiltInterface: Sendable {
    package let module: String
    /// The names of all its Swift modules, its own first: a package brings several.
    package let modules: [String]
    /// The SHA-256 of its textual interface without comments: the same for all bodies and for both configurations.
    package let contentDigest: String
    package let imports: [String]
    /// The types of the interfaces that it builds on whose values can go to another process.
    package let foreignTypes: Set<String>
    /// They find it, and the interfaces that it builds on.
    package let tools: InterfaceTools

    /// - Parameters:
    ///   - request: The one that has built it.
    ///   - declaration: The one in the folder of the request.
    package init(
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
        self.tools = InterfaceTools(tools, finding: folders, for: request.id)
    }
}
