// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesProcess
import EavesSystem
import EavesTrust

/// The runs of compilers for one module, from its private folder to the linked file. A module in Swift
/// takes one run; one with sources in C as well, or a package, takes several. An interface module takes two or three,
/// because its file holds what the first one finds out.
struct Compilation {
    /// The compilation goes on in one of these ways after a run that went well.
    enum Progress {
        /// Another run, whose command is prepared.
        case running
        case done
        /// The first run has fetched packages, and the module has other inputs since.
        case fetched
    }

    /// The file name of the added entry point. The compiler takes no two sources of one name.
    private static let entryPointName = "eaves_register.added.swift"

    let recipe: BuildRecipe
    let inputs: String
    private(set) var command: ChildCommand
    /// The runs after it, except an interface module's later ones.
    private var laterSteps: [ChildCommand]
    /// Whether the current run only fetches what the module is built from.
    private(set) var isFetching = false
    /// The module that SwiftPM builds, as long as it is not linked; `nil` for any other module, and for interface modules.
    private var unlinked: PackageBuild?
    /// The later runs for an interface module; `nil` for any other module.
    private(set) var interface: InterfaceSteps?
    let compile: CompileCommand
    /// The folder of a package, which this compilation holds; `nil` for any other module.
    var scratch: PackageScratch?
    /// The right to compile this output, until the compilation is dropped.
    private let claim: BuildClaim?
    /// The private folder, next to the output.
    let folder: WorkFolder
    /// The file with the options that the linker reads first.
    private let linkerOptions: String
    /// All sources that the compiler gets. Absolute.
    private let sources: [String]
    /// The file to publish, in the private folder.
    let file: String
    /// The file that another build program writes, if it is not the one to publish.
    let origin: String?

    /// Creates the private folder and writes what the compiler needs besides the sources.
    ///
    /// - Throws: If the folder's name is taken by another Swift module, or the private folder cannot be written.
    init(
        _ recipe: BuildRecipe, _ inputs: String, _ claim: BuildClaim?, usesColor: Bool
    ) throws(BuildError) {
        self.claim = claim
        var recipe = recipe
        scratch = try BuildError.about(
            recipe.request.id, BuildCause.place, try PackageScratch.claim(recipe))
        if let scratch { recipe.method.scratch = scratch.pathForCompilers }
        self.recipe = recipe
        self.inputs = inputs
        let request = recipe.request
        // The compiler finds by their names what is written there.
        let outputs = try BuildError.about(
            request.id,
            { (error: PlaceError) in
                if case .system(let reason) = error { return request.unwritable(reason) }
                return .place(error)
            }, try request.trust.openWorkplace(Path.parent(of: request.output)))
        let interfaceFolders = try InterfaceCache.searchFolders(for: recipe.interfaces, request)
        var sources = recipe.sources.swiftPaths
        do throws(SystemError) {
            folder = try WorkFolder(in: outputs, for: "build")
            linkerOptions = Path.join(folder.path, "linker.cfg")
            try OpenFile(creating: linkerOptions, mode: 0o600)
                .write(CompileCommand.linkerOptions(recipe.configuration).utf8)
            let shownPath = EntryPoint.shownPath(for: request)
            let text = recipe.method.entryPoint?
                .source(shownAs: shownPath, importing: recipe.importedByEntryPoint?.module)
            if let text {
                let path = Path.join(folder.path, Self.entryPointName)
                try OpenFile(creating: path, mode: 0o600).write(text.utf8)
                sources.append(path)
            }
        } catch {
            throw BuildError(request.id, request.unwritable(error))
        }
        file = Path.join(folder.path, "module.so")
        let note = recipe.note(inputs)
        let (tools, configuration) = (recipe.tools, recipe.configuration)
        var compile = CompileCommand(
            sdk: recipe.tools.sdk, toolchain: recipe.tools.toolchain,
            configuration: recipe.configuration, moduleName: recipe.moduleName,
            note: note, sources: sources, usesColor: usesColor, interfaceFolders: interfaceFolders)
        let varying = [(folder.path, "build")] + interfaceFolders.map { ($0, "interfaces") }
        compile.folderNames = (scratch == nil ? varying : []) + recipe.folderNames
        var commands: [ChildCommand] = []
        var origin: String?
        switch recipe.method {
        case .swift where recipe.isInterface:
            commands = [InterfaceCommand(base: compile, folder: folder.path).compilation]
        case .swift(_, let cSources):
            compile.additions = cSources.swiftArguments + recipe.c.swiftArguments
            if !cSources.files.isEmpty {
                let object = Path.join(folder.path, "c.o")
                compile.additions.append(object)
                commands.append(
                    cSources.objectCommand(
                        try tools.clang(for: request.id), recipe: recipe, compile, output: object))
            }
            compile.additions += recipe.c.swiftLinkArguments + cSources.runtimeArguments
            commands.append(
                compile.command(
                    output: file, linkerOptions: linkerOptions, temporaryFolder: folder.path))
        case .c(let cSources):
            EditorFile(ofSourcesInC: request.folder, clang: cSources.searchArguments(recipe))
                .write(request.trust)
            commands.append(
                cSources.moduleCommand(
                    try tools.clang(for: request.id), recipe: recipe, compile, output: file))
        case .package(let package, _):
            try BuildError.about(
                request.id, BuildCause.place,
                try PlaceError.wrapping(try package.search.update(to: interfaceFolders)))
            EditorFile(
                ofPackage: package.folder,
                swift: package.searchPaths(compile) + recipe.c.swiftArguments
            ).write(request.trust)
            isFetching = package.needsFetching(recipe.sources, since: request.records.record)
            if isFetching { commands.append(package.fetchCommand(recipe)) }
            commands.append(package.buildCommand(compile, recipe))
            if !recipe.isInterface { unlinked = package }
        case .crate(let crate):
            commands = [crate.command(recipe: recipe, note: note, usesColor: usesColor)]
            origin = crate.output(configuration)
        }
        command = Self.prepared(commands.removeFirst(), folder)
        laterSteps = commands
        self.compile = compile
        if recipe.isInterface {
            interface = InterfaceSteps(compile, recipe, inputs, in: folder.path)
        }
        self.origin = origin
        self.sources = sources
    }

    var request: BuildRequest { recipe.request }

    /// Prepares the next run after one that went well, or was optional.
    mutating func advance(failed: Bool = false) throws(BuildError) -> Progress {
        if isFetching {
            isFetching = false
            if try changedFile() != nil { return .fetched }
        }
        if laterSteps.isEmpty, let package = unlinked {
            unlinked = nil
            laterSteps = try steps(after: package)
        }
        let next =
            laterSteps.isEmpty
            ? try interface?.next(failed: failed, output: file, linkerOptions: linkerOptions)
            : laterSteps.removeFirst()
        guard let next else { return .done }
        command = Self.prepared(next, folder)
        return .running
    }

    /// The steps that make a module of what SwiftPM has built: its entry point and its resources are compiled, and all is
    /// linked.
    private func steps(after package: PackageBuild) throws(BuildError) -> [ChildCommand] {
        var steps: [ChildCommand] = []
        var objects: [String] = []
        if let target = recipe.importedByEntryPoint {
            objects.append(Path.join(folder.path, "entry.o"))
            steps.append(
                try package.entryCommand(
                    target, Path.join(folder.path, Self.entryPointName), output: objects[0],
                    compile,
                    recipe))
        }
        if let (step, options) = try resources(of: package) {
            steps.append(step)
            objects += options
        }
        return steps + [
            try package.linkCommand(
                to: file, with: objects, note: compile.note, linkerOptions: linkerOptions, compile,
                recipe)
        ]
    }

    /// The step that compiles the code for the resources of a package, and the options with which the linker takes both.
    private func resources(
        of package: PackageBuild
    ) throws(BuildError) -> (ChildCommand, [String])? {
        guard recipe.tools.versions.interface.serves(InterfaceVersion(major: 1, minor: 1)) else {
            return nil
        }
        let configuration = recipe.configuration
        let (source, code, section) = (
            Path.join(folder.path, "resources.swift"), Path.join(folder.path, "resources.o"),
            Path.join(folder.path, "bundles.o")
        )
        do {
            guard
                let resources = try PackageResources(
                    in: package.buildFolder(configuration), of: package.output(configuration))
            else { return nil }
            try OpenFile(creating: source, mode: 0o600).write(resources.source.utf8)
            let object = try ELFSectionObject(
                section: ModuleResources.section, content: resources.resources.content,
                like: Files.read(
                    package.object(configuration), limit: FileStatus.moduleSizeLimit))
            try OpenFile(creating: section, mode: 0o600).write(object.bytes)
        } catch let error as ELFError {
            throw BuildError(request.id, .badBinary(error))
        } catch {
            let error = error as? SystemError ?? SystemError(.create, section)
            throw BuildError(request.id, .unreadable(error))
        }
        return (
            package.resourcesCommand(source, output: code, compile),
            [code, section] + PackageResources.linkerOptions
        )
    }

    private static func prepared(_ command: ChildCommand, _ folder: WorkFolder) -> ChildCommand {
        var command = command
        command.environment["TMPDIR"] = folder.path
        // A compiler that outlives this process keeps the folder in use.
        command.inherited = folder.descriptor
        return command
    }

    /// Keeps the interfaces of an interface module for the modules that name it. Without them, they are
    /// taken out of the module's file, and modules compile more slowly. Those of a package always are.
    func keepInterface() {
        guard let interface, let text = interface.text, case .swift = recipe.method else { return }
        try? InterfaceCache(nextTo: request.output, request.trust).store(
            text, of: recipe.moduleName, binary: interface.command.binaryInterface)
    }

    /// The error to report for one that the compiler caused: a full disk is not a mistake in the sources.
    func explained(_ error: BuildError, by output: String) -> BuildError {
        switch error.cause {
        case .compilation, .crash: break
        default: return error
        }
        guard let errno = CompilerOutput(output).failedWrite(besides: sources) else { return error }
        return BuildError(
            request.id, .compilerCannotWrite(output: request.shownOutput, errno))
    }
}

/// The steps after linking: the file is checked, and gets the output's name.
extension Compilation {
    /// The descriptor of the protocol `Module`, which only the host's interface has.
    private static let moduleProtocol = "$s14EavesInterface6ModuleMp"

    /// Checks that the linked file is a module that a host can call.
    func check() throws(BuildError) {
        try takeOrigin()
        let report = try BuildError.about(
            request.id, BuildCause.badBinary, try BinaryReport(of: file))
        if recipe.isInterface {
            guard !report.hasEntry else {
                throw BuildError(
                    request.id, .interfaces([.hasEntry(folder: request.shownFolder)]))
            }
        } else if !report.hasEntry {
            let folder = request.shownFolder
            throw BuildError(
                request.id,
                recipe.method.hasSwift
                    ? .entry(.undefined(folder: folder, type: ModuleName.type(of: request)))
                    : .entry(.undefinedInC(folder: folder)))
        }
        if case .swift = recipe.method { return try takeAuthorsName() }
        // The sources of others may have a note, or a copy of the interface, of their own.
        guard ModuleContent(file).tag?.inputs == inputs else {
            throw BuildError(request.id, .otherNote(folder: request.shownFolder))
        }
        guard !report.definedNames().contains(Self.moduleProtocol) else {
            throw BuildError(
                request.id, .dependency(.carriesInterface(folder: request.shownFolder)))
        }
        try checkInterfacesAreNotCarried(report)
    }

    /// Cuts the digest off the name that the file's types have for their module. Symbols keep it, and hold two generations
    /// apart; what the runtime prints, stores and looks up is the author's name, the same in each build.
    private func takeAuthorsName() throws(BuildError) {
        guard
            let place = try BuildError.about(
                request.id, BuildCause.badBinary,
                try ELFFile(file).swiftModules()[compile.abiName])
        else { return }
        try BuildError.about(
            request.id, request.unwritable,
            try OpenFile(changing: file).write([0], at: place + compile.moduleName.utf8.count))
    }

    /// Checks that no package in the file is one that an interface module brings.
    private func checkInterfacesAreNotCarried(_ report: BinaryReport) throws(BuildError) {
        for interface in recipe.interfaces where !interface.isLinked {
            // The module may add members to the interface's types, so that only what the file has, too, is a copy.
            let types = Set(
                interface.stamp.symbolPrefixes.flatMap(report.definedNames(startingWith:))
                    .filter { $0.hasSuffix("Mn") || $0.hasSuffix("Mp") })
            guard !types.isEmpty, let file = try? BinaryReport(of: interface.path),
                let copied = file.definedNames().first(where: types.contains)
            else { continue }
            let stamp = interface.stamp
            let module = zip(stamp.modules, stamp.symbolPrefixes).first { _, prefix in
                copied.hasPrefix(prefix)
            }
            throw BuildError(
                request.id,
                .dependency(
                    .carriesModule(
                        module?.0 ?? stamp.module, interface: interface.id,
                        folder: request.shownFolder)))
        }
    }

    /// The warning about definitions that the module cannot have to itself, with the author's lines; `nil` if it has none.
    var processWideWarning: Diagnostic? {
        let definitions = (try? ELFFile(file).processWideDefinitions()) ?? []
        // A process loads an interface once.
        guard !recipe.isInterface, !definitions.isEmpty else { return nil }
        let sources = ((try? recipe.sources.contents()) ?? []).filter(\.isSwift)
        let lines = sources.flatMap { source in
            source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .enumerated().map { number, line in
                    (
                        place: Path.join(request.shownFolder, source.name) + ":\(number + 1)",
                        text: String(decoding: line, as: UTF8.self)
                    )
                }
        }.filter { $0.text.includes("@retroactive") }
        var warning = Diagnostic(definitions) { definition in
            let names = definition.writtenNames
            return lines.first { !names.isEmpty && names.allSatisfy($0.text.includes) }?.place
        }
        warning.message = "\(request.id): \(warning.message)"
        return warning
    }

    /// Copies the file that another build program has written. Its own file stays where it expects it.
    private func takeOrigin() throws(BuildError) {
        guard let origin else { return }
        let bytes = try BuildError.about(
            request.id, BuildCause.unreadable,
            try Files.read(origin, limit: FileStatus.moduleSizeLimit))
        try BuildError.about(
            request.id, request.unwritable,
            try OpenFile(creating: file, mode: 0o644).write(bytes))
    }

    /// The first file that has changed since before the compiler read it; `nil` if none has.
    func changedFile() throws(BuildError) -> String? {
        let contents: [SourceFiles.Content]
        do throws(PlaceError) {
            let now = try SourceFiles(
                request.folder, dependencies: recipe.sources.dependencies,
                checkedBy: request.trust)
            let changed = Set(now.files).symmetricDifference(recipe.sources.files)
            if let name = changed.map(\.name).min() { return Path.join(request.shownFolder, name) }
            // A change within one tick of the file system's clock shows in the content alone.
            contents = try recipe.sources.contents()
        } catch {
            throw BuildError(request.id, .source(error))
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
            try folder.publish(Path.name(of: file), as: Path.name(of: request.output))
            // Renaming changes a time of the file. Another process may have replaced it already.
            let published = try FileStatus(path: request.output)
            guard published.inode == inode else { return built }
            return BuiltFile(identity: BuildIdentity(published), sha256: built.sha256)
        } catch {
            throw BuildError(request.id, request.unwritable(error))
        }
    }
}
