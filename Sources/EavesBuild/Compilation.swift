// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem
import EavesTrust

/// The runs of compilers for one module, from its private folder to the published file.
struct Compilation {
    /// The file name of the added entry point. The compiler takes no two sources of one name.
    private static let entryPointName = "eaves_register.added.swift"

    /// The descriptor of the protocol `Module`, which only the host's interface has.
    private static let moduleProtocol = "$s14EavesInterface6ModuleMp"

    let recipe: BuildRecipe
    /// The digest of what the compiler is given.
    let inputs: String
    /// The commands that make the file, to be run one after the other.
    let commands: [ChildCommand]
    private let folder: WorkFolder
    /// All sources that the compiler gets. Absolute.
    private let sources: [String]
    /// The file to publish, in the private folder.
    private let file: String
    /// The file that another build program writes, if it is not the one to publish.
    private let origin: String?

    /// Creates the private folder and writes what the compiler needs besides the sources.
    ///
    /// - Throws: If the folder's name is taken by another Swift module, or the private folder cannot be
    ///   written.
    init(_ recipe: BuildRecipe, _ inputs: String, usesColor: Bool) throws(BuildError) {
        self.recipe = recipe
        self.inputs = inputs
        let request = recipe.request
        var sources = recipe.sources.swiftPaths
        let linkerOptions: String
        var added: String?
        do throws(SystemError) {
            folder = try WorkFolder(nextTo: request.output, for: "build")
            linkerOptions = Path.join(folder.path, "linker.cfg")
            try OpenFile(creating: linkerOptions, mode: 0o600)
                .write(CompileCommand.linkerOptions.utf8)
            let shownPath = EntryPoint.shownPath(for: request)
            let text = recipe.method.entryPoint?
                .source(shownAs: shownPath, importing: recipe.importedByEntryPoint)
            if let text {
                let path = Path.join(folder.path, Self.entryPointName)
                try OpenFile(creating: path, mode: 0o600).write(text.utf8)
                added = path
                sources.append(path)
            }
        } catch {
            throw Self.unwritable(error, request)
        }
        // The compiler finds by their names what was written there.
        if let error = request.trust.error(of: TrustPlace(folder.path, .way)) {
            throw BuildError(request.id, .untrusted(error))
        }
        file = Path.join(folder.path, "module.so")
        let note = recipe.note(inputs)
        let (tools, configuration) = (recipe.tools, recipe.configuration)
        var commands: [ChildCommand] = []
        var origin: String?
        switch recipe.method {
        case .swift(_, let cSources):
            let object = Path.join(folder.path, "c.o")
            var compile = CompileCommand(
                sdk: tools.sdk, toolchain: tools.toolchain, configuration: configuration,
                moduleName: try ModuleName.module(of: request, compiler: tools.compiler),
                note: note, sources: sources, usesColor: usesColor)
            compile.additions = cSources.swiftArguments
            if !cSources.files.isEmpty {
                commands.append(
                    cSources.objectCommand(
                        try tools.clang(for: request.id), recipe: recipe, usesColor: usesColor,
                        output: object))
                compile.additions += [object]
            }
            compile.additions += recipe.libraries.flatMap(\.arguments) + cSources.runtimeArguments
            commands.append(
                compile.command(
                    output: file, linkerOptions: linkerOptions, temporaryFolder: folder.path))
        case .c(let cSources):
            commands.append(
                cSources.moduleCommand(
                    try tools.clang(for: request.id), recipe: recipe, note: note,
                    libraries: recipe.libraries, usesColor: usesColor, output: file))
        case .package(let package, _):
            do throws(SystemError) {
                commands = try package.commands(
                    recipe: recipe, note: note, added: added, in: folder.path,
                    usesColor: usesColor)
            } catch {
                throw BuildError(request.id, .unwritable(error))
            }
            origin = package.output(configuration)
        case .crate(let crate):
            commands = [crate.command(recipe: recipe, note: note, usesColor: usesColor)]
            origin = crate.output(configuration)
        }
        for index in commands.indices {
            commands[index].environment["TMPDIR"] = folder.path
            // If this process is killed, the compiler goes on, and the folder stays in use.
            commands[index].inherited = folder.descriptor
        }
        self.commands = commands
        self.origin = origin
        self.sources = sources
    }

    private var request: BuildRequest { recipe.request }

    /// The prefix of the compiler's lines about the added entry point, if there is one.
    var entryPrefix: String? { recipe.method.entryPoint?.shownPrefix(for: request) }

    /// The error to report for one that the compiler caused: a disk that is full is no mistake in the
    /// sources.
    ///
    /// - Parameter output: The text that the compiler printed.
    func explained(_ error: BuildError, by output: String) -> BuildError {
        switch error.cause {
        case .compilation, .crash: break
        default: return error
        }
        guard let errno = CompilerOutput(output).failedWrite(besides: sources) else { return error }
        return BuildError(
            request.id, .compilerCannotWrite(output: request.shownOutput, errno))
    }

    /// Checks that the linked file is a module that a host can call.
    ///
    /// - Throws: If it is not.
    func check() throws(BuildError) {
        if let origin {
            do throws(SystemError) {
                try OpenFile(creating: file, mode: 0o644).write(Files.read(origin, limit: 1 << 30))
            } catch {
                throw BuildError(request.id, .unreadable(error))
            }
        }
        let report: BinaryReport
        do throws(ELFError) {
            report = try BinaryReport(of: file)
        } catch {
            throw BuildError(request.id, .badBinary(error))
        }
        guard report.hasEntry else {
            let folder = request.shownFolder
            throw BuildError(
                request.id,
                recipe.method.hasSwift
                    ? .noEntry(folder: folder, type: ModuleName.type(of: request))
                    : .noEntryInC(folder: folder))
        }
        if case .swift = recipe.method { return }
        // The sources of others may have a note, or a copy of the interface, of their own.
        guard ModuleContent(file).tag?.inputs == inputs else {
            throw BuildError(request.id, .otherNote(folder: request.shownFolder))
        }
        guard !report.definedNames().contains(Self.moduleProtocol) else {
            throw BuildError(request.id, .carriesInterface(folder: request.shownFolder))
        }
    }

    /// The first file that has changed since before the compiler read it; `nil` if none has.
    ///
    /// - Throws: If the sources cannot be read.
    func changedFile() throws(BuildError) -> String? {
        let contents: [SourceFiles.Content]
        do throws(SourceError) {
            let now = try SourceFiles(
                request.folder, dependencies: recipe.sources.dependencies,
                checkedBy: request.trust)
            let changed = Set(now.files).symmetricDifference(recipe.sources.files)
            if let name = changed.map(\.name).min() { return Path.join(request.shownFolder, name) }
            // A change within one tick of the file system's clock shows in the content alone.
            contents = try recipe.sources.contents()
        } catch {
            throw BuildError(request.id, because: error)
        }
        return recipe.inputs(of: contents) == inputs ? nil : request.shownFolder
    }

    /// Renames the new file to the output's name. Returns the file as it is there.
    ///
    /// - Throws: If the file cannot be renamed, or others could write it.
    func publish() throws(BuildError) -> BuiltFile {
        do throws(SystemError) {
            let status = try FileStatus(path: file)
            // With some umasks, other users could write the file, and no host would load it.
            if status.isWritableByOthers {
                try Files.setMode(status.mode & ~FileStatus.writeBitsOfOthers, of: file)
            }
            let built = try BuiltFile(path: file)
            let inode = try FileStatus(path: file).inode
            try Files.rename(file, to: request.output)
            // Renaming changes a time of the file. Another process may have replaced it already.
            let published = try FileStatus(path: request.output)
            guard published.inode == inode else { return built }
            return BuiltFile(identity: BuildIdentity(published), sha256: built.sha256)
        } catch {
            throw Self.unwritable(error, request)
        }
    }

    /// Names the output instead of the private folder, which means nothing to people.
    private static func unwritable(_ error: SystemError, _ request: BuildRequest) -> BuildError {
        let shown = SystemError(.create, request.shownOutput, error.errno)
        return BuildError(request.id, .unwritable(shown))
    }
}
