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

    private enum Step {
        case run(ChildCommand)
        /// Compiles the added entry point of a package, with arguments that the run before it has left.
        case packageEntry(PackageBuild, PackageBuild.Target, source: String, object: String)
    }

    /// The file name of the added entry point. The compiler takes no two sources of one name.
    private static let entryPointName = "eaves_register.added.swift"

    private static let linkerOptionsName = "linker.cfg"

    let recipe: BuildRecipe
    let inputs: String
    private(set) var command: ChildCommand
    /// The runs after it, except an interface module's later ones.
    private var laterSteps: [Step]
    /// Whether the current run only fetches what the module is built from.
    private(set) var isFetching = false
    /// The object file of the added entry point of a package; `nil` if there is none.
    private let entryObject: String?
    /// Whether the resources of a package are in the module, if it has any.
    private var hasResources = false
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
        if let scratch, case .package(var package, let entryPoint) = recipe.method {
            package.scratch = scratch.path
            recipe.method = .package(package, entryPoint)
        }
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
        var added: String?
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
                added = path
                sources.append(path)
            }
        } catch {
            throw BuildError(request.id, request.unwritable(error))
        }
        if let scratch = recipe.method.scratch {
            // Others could change there what was compiled.
            _ = try BuildError.about(
                request.id, BuildCause.place,
                try request.trust.makeFolder(scratch, mode: 0o755))
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
        var packageSteps: [Step] = []
        var origin: String?
        var object: String?
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
                try package.prepare(request, finding: interfaceFolders, configuration))
            EditorFile(ofPackage: package.folder, swift: package.searchArguments(compile, recipe))
                .write(request.trust)
            isFetching = package.needsFetching(recipe.sources, since: request.records.record)
            if isFetching { commands.append(package.fetchCommand(recipe)) }
            if let added, let target = recipe.importedByEntryPoint {
                // With all that the target depends on.
                commands.append(package.command(["--target", target.name], compile, recipe))
                let path = Path.join(folder.path, "entry.o")
                packageSteps.append(.packageEntry(package, target, source: added, object: path))
                object = path
            }
            packageSteps.append(
                .run(
                    package.linkCommand(
                        with: [object].compactMap(\.self), note: note, compile, recipe)))
            origin = package.output(configuration)
        case .crate(let crate):
            commands = [crate.command(recipe: recipe, note: note, usesColor: usesColor)]
            origin = crate.output(configuration)
        }
        var steps = commands.map(Step.run) + packageSteps
        command = try Self.command(of: steps.removeFirst(), compile, recipe, folder)
        laterSteps = steps
        self.compile = compile
        entryObject = object
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

    /// Whether the module is made without what the current run makes, if that fails.
    var isOptional: Bool { interface?.isOptional ?? false }

    /// The textual interface of an interface module, after the first run.
    var text: InterfaceText? { interface?.text }

    /// Prepares the next run after one that went well, or was optional.
    mutating func advance(failed: Bool = false) throws(BuildError) -> Progress {
        if isFetching {
            isFetching = false
            if try changedFile() != nil { return .fetched }
        }
        if try takeStep() { return .running }
        if !hasResources {
            hasResources = true
            try addResources()
            if try takeStep() { return .running }
        }
        let next = try interface?.next(
            failed: failed, output: file,
            linkerOptions: Path.join(folder.path, Self.linkerOptionsName))
        guard var next else { return .done }
        next.inherited = command.inherited
        command = next
        return .running
    }

    /// Takes the next of the later steps.
    ///
    /// - Returns: Whether there is one.
    private mutating func takeStep() throws(BuildError) -> Bool {
        guard !laterSteps.isEmpty else { return false }
        command = try Self.command(of: laterSteps.removeFirst(), compile, recipe, folder)
        return true
    }

    /// Adds the steps that put the resources of a package into the module, which SwiftPM has just linked without them.
    private mutating func addResources() throws(BuildError) {
        guard case .package(let package, _) = recipe.method, !recipe.isInterface,
            recipe.tools.versions.interface.serves(InterfaceVersion(major: 1, minor: 1))
        else { return }
        let configuration = recipe.configuration
        let (source, code, section) = (
            Path.join(folder.path, "resources.swift"), Path.join(folder.path, "resources.o"),
            Path.join(folder.path, "bundles.o")
        )
        do {
            guard
                let resources = try PackageResources(
                    in: package.buildFolder(configuration), of: package.output(configuration))
            else { return }
            let example = try entryObject ?? package.object(configuration)
            try OpenFile(creating: source, mode: 0o600).write(resources.source.utf8)
            let object = try ELFSectionObject(
                section: ModuleResources.section, content: resources.resources.content,
                like: Files.read(example, limit: FileStatus.moduleSizeLimit))
            try OpenFile(creating: section, mode: 0o600).write(object.bytes)
        } catch let error as ELFError {
            throw BuildError(request.id, .badBinary(error))
        } catch {
            let error = error as? SystemError ?? SystemError(.create, section)
            throw BuildError(request.id, .unreadable(error))
        }
        laterSteps = [
            .run(package.resourcesCommand(source, output: code, compile)),
            .run(
                package.linkCommand(
                    with: [entryObject, code, section].compactMap(\.self), note: compile.note,
                    compile, recipe, options: PackageResources.linkerOptions)),
        ]
    }

    private static func command(
        of step: Step, _ compile: CompileCommand, _ recipe: BuildRecipe, _ folder: WorkFolder
    ) throws(BuildError) -> ChildCommand {
        var command: ChildCommand
        switch step {
        case .run(let prepared): command = prepared
        case .packageEntry(let package, let target, let source, let object):
            command = try package.entryCommand(target, source, output: object, compile, recipe)
        }
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
}
