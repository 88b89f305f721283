// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesSystem

/// The steps before and after the compiler runs for one module.
struct ModuleBuild {
    enum Beginning {
        /// What is there was built from the same inputs.
        case upToDate(warnings: [Diagnostic])
        case compiling(Compilation)
    }

    enum Ending {
        case built(warnings: [Diagnostic])
        /// Its sources changed meanwhile.
        case again
    }

    private let request: BuildRequest
    private let builder: Builder

    init(_ request: BuildRequest, _ builder: Builder) {
        self.request = request
        self.builder = builder
    }

    /// - Parameter tools: Looked at once the request itself turns out to be right: what is wrong with
    ///   the folder is told first.
    func begin(_ tools: () throws(BuildError) -> BuildTools) throws(BuildError) -> Beginning {
        let declaration = try request.declaration()
        guard declaration.id == request.id else {
            throw BuildError(request.id, .otherID(found: declaration.id))
        }
        if (try? FileStatus(path: request.output))?.kind == .directory {
            throw BuildError(request.id, .outputIsFolder(request.shownOutput))
        }
        let sources = try self.sources()
        let recipe = BuildRecipe(
            request: request, declaration: declaration, configuration: configuration(),
            sources: sources, tools: try tools())
        let inputs = try recipe.inputs()
        // The stamp first: what is remembered is then what was looked at, or older.
        guard let stamp = FileStamp(path: request.output),
            BuiltModule.inputs(of: request.output, id: request.id) == inputs
        else { return .compiling(try Compilation(recipe, inputs, usesColor: builder.usesColor)) }
        let warnings = remember {
            let isSame = FileStamp(path: request.output) == stamp
            return isSame ? recipe.record(inputs, output: stamp) : nil
        }
        return .upToDate(warnings: warnings)
    }

    /// - Parameter isLast: Whether sources that changed meanwhile are an error.
    func finish(
        _ compilation: Compilation, _ ending: ChildEnding, isLast: Bool
    ) throws(BuildError) -> Ending {
        switch ending {
        case .exited(0): break
        case .exited: throw BuildError(request.id, .compilation)
        case .signalled:
            let path = compilation.command.executable
            throw BuildError(request.id, .crash(path: path, ending: ending))
        }
        try compilation.check()
        if let file = try compilation.changedFile() {
            guard isLast else { return .again }
            throw BuildError(request.id, .unsteady(file: file))
        }
        let warnings = try remember { () throws(BuildError) in
            compilation.recipe.record(compilation.inputs, output: try compilation.publish())
        }
        return .built(warnings: warnings)
    }

    private func sources() throws(BuildError) -> SourceFiles {
        let sources: SourceFiles
        do throws(SystemError) {
            sources = try SourceFiles(request.folder)
        } catch {
            throw BuildError(request.id, .unreadable(error))
        }
        guard !sources.swiftPaths.isEmpty else {
            throw BuildError(request.id, .noSources(folder: request.shownFolder))
        }
        return sources
    }

    private func configuration() -> BuildConfiguration {
        if let asked = request.configuration { return asked }
        guard case .record(let record)? = builder.records?.entry(request.id),
            record.output == request.output
        else { return .debug }
        return record.configuration
    }

    /// Does `body` and writes the record that it gives; the warnings say why that cannot be done.
    private func remember<Failure: Error>(
        _ body: () throws(Failure) -> BuildRecord?
    ) throws(Failure) -> [Diagnostic] {
        guard let records = builder.records else {
            _ = try body()
            return []
        }
        return try records.update(request.id, body)?.diagnostics ?? []
    }
}
