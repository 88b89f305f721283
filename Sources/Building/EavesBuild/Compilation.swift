// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
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

    private static let linkerOptionsName = "linker.cfg"

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
    private(set) var scratch: PackageScratch?
    /// The right to compile this output, until the compilation is dropped.
    private let claim: BuildClaim?
    /// The private folder, next to the output.
    let folder: WorkFolder
    /// All sources that the compiler gets. Absolute.
    private let sources: [String]
    /// The file to publish, in the private folder.
    let file: String
    /// The file that another build program writes, if it is not the one to publish.
    let origin: String?

    /// Creates the private folder and writes what the compiler needs besides the sources.
    ///
    /// - Throws: If the folder's name is taken by another Swift module, or the private folder cannot be
    ///   written.
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
        let linkerOptions: String
        do throws(SystemError) {
            folder = try WorkFolder(in: outputs, for: "build")
            linkerOptions = Path.join(folder.path, Self.linkerOptionsName)
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
                request.id, BuildCause.place, try package.prepare(finding: interfaceFolders))
            EditorFile(ofPackage: package.folder, swift: package.searchArguments(compile, recipe))
                .write(request.trust)
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
            interface = InterfaceSteps(
                Self.interfaceCommand(compile, recipe, folder), compile, recipe, inputs)
        }
        self.origin = origin
        self.sources = sources
    }

    var request: BuildRequest { recipe.request }

    /// Lets go of the folder of a package: its file has been copied.
    mutating func release() { scratch = nil }

    var isOptional: Bool { interface?.isOptional ?? false }

    var text: InterfaceText? { interface?.text }

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
        let linkerOptions = linkerOptions
        let next =
            laterSteps.isEmpty
            ? try interface?.next(failed: failed, output: file, linkerOptions: linkerOptions)
            : laterSteps.removeFirst()
        guard let next else { return .done }
        command = Self.prepared(next, folder)
        return .running
    }

    private var linkerOptions: String { Path.join(folder.path, Self.linkerOptionsName) }

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

    private static func interfaceCommand(
        _ compile: CompileCommand, _ recipe: BuildRecipe, _ folder: WorkFolder
    ) -> InterfaceCommand {
        var command = InterfaceCommand(base: compile, folder: folder.path)
        if case .package(let package, _) = recipe.method {
            command.package = PackageInterface(
                package: package, configuration: recipe.configuration, module: recipe.moduleName)
        }
        return command
    }

    /// Keeps the interfaces of an interface module for the modules that name it. Without them, they are
    /// taken out of the module's file, and modules compile more slowly. Those of a package always are.
    func keepInterface() {
        guard let text, case .swift = recipe.method else { return }
        let files = InterfaceCommand(base: compile, folder: folder.path)
        try? InterfaceCache(nextTo: request.output, request.trust).store(
            text, of: recipe.moduleName, binary: files.binaryInterface)
    }

    /// The prefix of the compiler's lines about the added entry point, if there is one.
    var entryPrefix: String? { recipe.method.entryPoint?.shownPrefix(for: request) }

    /// The error to report for one that the compiler caused: a full disk is not a mistake in the
    /// sources.
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
