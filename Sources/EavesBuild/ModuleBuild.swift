// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesSystem

/// Takes the steps before and after the compiler runs for one module.
struct ModuleBuild {
    enum Beginning {
        /// The output was built from the same inputs.
        case upToDate(warnings: [Diagnostic])
        case compiling(Compilation)
    }

    enum Ending {
        case built(warnings: [Diagnostic])
        /// The sources changed while they were compiled.
        case again
    }

    private let request: BuildRequest
    private let builder: Builder

    init(_ request: BuildRequest, _ builder: Builder) {
        self.request = request
        self.builder = builder
    }

    /// Compares the module with its inputs, and prepares a compilation if they differ.
    ///
    /// - Parameter tools: Called after the folder has been checked, so that errors of the folder are
    ///   reported first.
    /// - Throws: If anything that the module is built from or with is missing or wrong.
    func begin(_ tools: () throws(BuildError) -> BuildTools) throws(BuildError) -> Beginning {
        let source = try request.source()
        guard source.declaration.id == request.id else {
            throw BuildError(request.id, .otherID(found: source.declaration.id))
        }
        if (try? FileStatus(path: request.output))?.kind == .directory {
            throw BuildError(request.id, .outputIsFolder(request.shownOutput))
        }
        let sources = try self.sources()
        let now = WallClock.now
        let contents = try sources.contents(for: request)
        let entryPoint = try EntryPoint(of: request, named: source.entry, in: contents)
        let recipe = BuildRecipe(
            request: request, declaration: source.declaration, configuration: configuration(),
            sources: sources, entryPoint: entryPoint, tools: try tools())
        let inputs = recipe.inputs(of: contents)
        // The identity comes first: the record then describes the file that was read, or an older one.
        guard let output = BuildIdentity(path: request.output),
            Self.inputs(ofModule: request.output, id: request.id) == inputs
        else { return .compiling(try Compilation(recipe, inputs, usesColor: builder.usesColor)) }
        let warnings = remember {
            let isSame = BuildIdentity(path: request.output) == output
            return isSame ? recipe.record(inputs, output: output, at: now) : nil
        }
        return .upToDate(warnings: warnings)
    }

    /// Checks what the compiler made, puts it into place, and records it.
    ///
    /// - Parameters:
    ///   - output: The text that the compiler printed.
    ///   - isLast: Whether sources that changed meanwhile are an error.
    /// - Throws: If the compiler failed, or its output is not a module or cannot be put into place.
    func finish(
        _ compilation: Compilation, _ ending: ChildEnding, output: String, isLast: Bool
    ) throws(BuildError) -> Ending {
        switch ending {
        case .exited(0): break
        case .exited:
            let error = compilation.recipe.entryPoint.error(in: output, of: request)
            throw error ?? BuildError(request.id, .compilation)
        case .signalled:
            let path = compilation.command.executable
            throw BuildError(request.id, .crash(path: path, ending: ending))
        }
        try compilation.check()
        let now = WallClock.now
        if let file = try compilation.changedFile() {
            guard isLast else { return .again }
            throw BuildError(request.id, .unsteady(file: file))
        }
        let warnings = try remember { () throws(BuildError) in
            let output = try compilation.publish()
            return compilation.recipe.record(compilation.inputs, output: output, at: now)
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
        if let requested = request.configuration { return requested }
        guard case .record(let record)? = builder.records?.entry(request.id),
            record.output == request.output
        else { return .debug }
        return record.configuration
    }

    /// The digest of the inputs that a module was built from; `nil` if the file is not whole, or not
    /// this module. Runs no code of the file.
    private static func inputs(ofModule path: String, id: String) -> String? {
        guard let note = ModuleContent(path).note, note.declaration.id == id else { return nil }
        return note.tag.inputs
    }

    /// Runs `body` and writes the record that it returns. Returns warnings if the record cannot be
    /// written.
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
