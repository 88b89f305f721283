// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesProcess
import EavesSystem
import EavesTrust
import Synchronization

/// A module that is a Swift package: SwiftPM builds its dynamic library, with all packages linked in.
///
/// An interface module is compiled for library evolution, with all that it depends on: the compiler then writes textual
/// interfaces, and modules that were built against an earlier version go on to work.
///
/// SwiftPM compiles into a ``PackageScratch``, where it finds again what has not changed. It hands its options to macros and other
/// tools of the build as well, so that what is meant for the module alone is left to another link: the note, the entry
/// point, and a file without a run path. The host's interface stays undefined, as in any other module. The package stays
/// the one that SwiftPM starts from: as a part of a package around it, it would have other versions, mirrors and a
/// `Package.resolved` elsewhere.
struct PackageBuild: Hashable, Sendable {
    /// The folder of the package, and its name in messages.
    let folder: String
    /// The dynamic library that is the module.
    let product: String
    /// The Swift modules of the library, with the folders of their sources relative to ``folder``.
    let targets: [Target]
    /// The folders of packages on this machine that it depends on, directly or not, relative to ``folder``. Sorted.
    let dependencies: [String]
    /// Whether SwiftPM fetches some of its packages, or libraries that they name.
    let isPartlyElsewhere: Bool
    private let swift: String
    private let isInterface: Bool
    /// The folder that SwiftPM compiles into: one in the package's own, unless the package shares another one.
    var scratch: String

    struct Target: Hashable, Sendable {
        var name: String
        var folder: String

        /// The name of the Swift module, which SwiftPM makes of the target's.
        var module: String { ModuleName.identifier(name) ?? name }
    }

    /// Asks SwiftPM what the package has. It runs the manifests of the package and of those on this machine
    /// that it depends on, each after it was checked who can change it.
    ///
    /// - Parameter isInterface: Whether other modules are compiled against the module.
    init(
        _ request: BuildRequest, _ tools: BuildTools, isInterface: Bool
    ) throws(BuildError) {
        folder = request.folder
        scratch = Path.join(request.folder, ".build/eaves")
        self.isInterface = isInterface
        swift = try tools.swift(for: request.id)
        let root = try PackageManifest(request.folder, request, tools, swift)
        (product, targets) = try root.library(for: request)
        var waiting = root.dependencies
        var isElsewhere = root.isPartlyElsewhere
        var found: Set<String> = []
        while let path = waiting.popLast() {
            guard found.insert(path).inserted else { continue }
            _ = try BuildError.about(
                request.id, BuildCause.source, try SourceFiles(path, checkedBy: request.trust))
            let manifest = try PackageManifest(path, request, tools, swift)
            waiting += manifest.dependencies
            isElsewhere = isElsewhere || manifest.isPartlyElsewhere
        }
        isPartlyElsewhere = isElsewhere
        let start = Files.resolved(folder) ?? folder
        dependencies = found.map { Path.climb(from: start, to: $0) }.sorted()
    }

    /// Whether SwiftPM may have something to fetch. To ask it takes a second, which every build of a saved source would
    /// wait for.
    ///
    /// - Parameters:
    ///   - sources: The files of the module as they are.
    ///   - record: The last build of the module. It had everything, so that nothing is to be fetched with the same
    ///     manifests and the same choice of versions.
    func needsFetching(_ sources: SourceFiles, since record: BuildRecord?) -> Bool {
        // The file in which SwiftPM notes what it has fetched.
        let state = Path.join(scratch, "workspace-state.json")
        guard isPartlyElsewhere, let record, (try? FileStatus(path: state)) != nil else {
            return isPartlyElsewhere
        }
        return Self.deciding(sources.files) != Self.deciding(record.files)
    }

    private static func deciding(_ files: [SourceFiles.File]) -> [SourceFiles.File] {
        files.filter { file in
            let name = Path.name(of: file.name)
            return PackageManifest.isManifest(name) || name == "Package.resolved"
        }
    }

    /// The Swift module that other modules name if the package is an interface module: the one that `module.json` names,
    /// else the only one of the library, else the one that is named like the folder.
    func module(
        named given: String?, _ request: BuildRequest
    ) throws(BuildError) -> String {
        let modules = targets.map(\.module)
        if given == nil, modules.count == 1 { return modules[0] }
        let name = given ?? ModuleName.identifier(Path.name(of: folder)) ?? request.id
        guard modules.contains(name) else {
            throw BuildError(
                request.id,
                .dependency(
                    .noModule(
                        name, product: product, modules: modules, isNamed: given != nil)))
        }
        return name
    }

    func target(of source: String) -> Target? {
        targets.first { source.hasPrefix($0.folder + "/") }
    }

    func flags(_ configuration: BuildConfiguration) -> [String] {
        ["swift build", configuration.rawValue] + options(configuration) + Self.linkOptions + [
            product
        ]
    }

    var search: PackageSearch { PackageSearch(in: scratch) }

    /// The options of SwiftPM that make a difference to the module.
    private func options(_ configuration: BuildConfiguration) -> [String] {
        let options = [
            // The list of commands that TargetImports reads is the one of this system.
            "--build-system", "native", "--quiet", "-c", configuration.rawValue,
            "-Xswiftc", "-use-ld=lld",
        ]
        // The added entry point names the module's type, which need not be public. In debug builds, SwiftPM itself lets
        // others see what is internal.
        let access = configuration == .release ? ["-enable-testing"] : []
        let release = configuration == .release ? configuration.flags : []
        return options
            + (release + (isInterface ? InterfaceCommand.packageOptions : access))
            .flatMap(Self.compiler)
    }

    private static let linkOptions = ["-no-toolchain-stdlib-rpath"]

    func output(_ configuration: BuildConfiguration) -> String {
        Path.join(buildFolder(configuration), "lib\(product).so")
    }

    func buildFolder(_ configuration: BuildConfiguration) -> String {
        Path.join(scratch, configuration.rawValue)
    }

    func commandList(_ configuration: BuildConfiguration) -> String {
        Path.join(scratch, "\(configuration.rawValue).yaml")
    }

    /// The folder that the compiler writes descriptions of an interface module's declarations into.
    var graphFolder: String { Path.join(scratch, "graph") }

    /// Makes the command by which SwiftPM fetches dependencies that are not on this machine. It writes `Package.resolved`, which is one of
    /// the inputs: a build begins with it, so that no build changes what it is made of.
    func fetchCommand(_ recipe: BuildRecipe) -> ChildCommand {
        ChildCommand(
            swift, ["package", "--package-path", folder, "--scratch-path", scratch, "resolve"],
            environment: recipe.tools.toolchain.environment)
    }

    /// Compiles the added entry point. It imports the target of the module's type, in the same way as SwiftPM's compiler
    /// has found what that one imports, modules of C included. Can be asked for when SwiftPM has built the target.
    func entryCommand(
        _ target: Target, _ source: String, output object: String, _ compile: CompileCommand,
        _ recipe: BuildRecipe
    ) throws(BuildError) -> ChildCommand {
        let imports = try known(target.name, recipe) {
            TargetImports(of: target.module, inCommands: $0)
        }
        return compile.toolchain.call(
            [
                "-c", "-parse-as-library", "-wmo", "-swift-version", "6", "-module-name",
                "\(target.module)_eaves_entry", compile.color, source, "-o", object,
                "-debug-prefix-map", "\(Path.parent(of: source))=build",
            ] + compile.namesInSwift + imports.arguments + recipe.configuration.flags)
    }

    /// Reads the list of commands that SwiftPM has written.
    ///
    /// - Parameter name: The target or product in question.
    private func known<Found>(
        _ name: String, _ recipe: BuildRecipe, in read: ([UInt8]) -> Found?
    ) throws(BuildError) -> Found {
        let list = commandList(recipe.configuration)
        let commands = try BuildError.about(
            recipe.request.id, BuildCause.unreadable, try Files.read(list))
        if let found = read(commands) { return found }
        let file = Path.relative(list, to: recipe.request.base)
        throw BuildError(
            recipe.request.id, .dependency(.unknownCommands(file: file, target: name)))
    }

    /// Makes the command that links the module: the one by which SwiftPM has linked its library, with more options.
    ///
    /// - Parameters:
    ///   - objects: Options of the linker, such as object files that SwiftPM does not know: the added entry point, or the
    ///     sections of an interface module.
    ///   - linkerOptions: A file with the options that the linker reads first.
    func linkCommand(
        to output: String, with objects: [String], note: ModuleNote, linkerOptions: String,
        _ compile: CompileCommand, _ recipe: BuildRecipe
    ) throws(BuildError) -> ChildCommand {
        let arguments = try known(product, recipe) {
            PackageCommands(text: $0).linking(Path.name(of: self.output(recipe.configuration)))
        }
        return compile.toolchain.call(
            arguments + Self.linkOptions + recipe.c.swiftLinkArguments
                + ["-Xclang-linker", "--config=\(linkerOptions)"]
                + ([CompileCommand.metadata(note)] + objects).flatMap { ["-Xlinker", $0] }
                + ["-o", output])
    }

    /// Compiles the function by which the targets of the package find their resources in a host.
    func resourcesCommand(
        _ source: String, output object: String, _ compile: CompileCommand
    ) -> ChildCommand {
        compile.toolchain.call(
            [
                "-c", "-parse-as-library", "-wmo", "-swift-version", "6", "-O", "-module-name",
                "\(targets.first?.module ?? "Package")_eaves_resources", compile.color,
            ] + BuildConfiguration.sameBytes + compile.searchPaths + [source, "-o", object])
    }

    /// An object file of the library's targets, which SwiftPM has compiled.
    func object(_ configuration: BuildConfiguration) throws(SystemError) -> String {
        let build = buildFolder(configuration)
        for target in targets {
            let folder = Path.join(build, target.name + ".build")
            let names = Folder.names(in: folder).sorted()
            if let name = names.first(where: { $0.hasSuffix(".o") }) {
                return Path.join(folder, name)
            }
        }
        throw SystemError(.open, Path.join(build, product + ".o"), .noSuchFile)
    }

    /// An option of the Swift compiler, as SwiftPM takes it.
    private static func compiler(_ option: String) -> [String] { ["-Xswiftc", option] }

    /// Makes the command by which SwiftPM builds the library, and all that it needs for that.
    func buildCommand(_ compile: CompileCommand, _ recipe: BuildRecipe) -> ChildCommand {
        ChildCommand(
            swift,
            [
                "build", "--package-path", folder, "--scratch-path", scratch,
                // No editor looks into this scratch path, and the compiler would write an index of the system's
                // modules with every target, which takes longer than the target itself.
                "--disable-index-store",
            ] + options(recipe.configuration)
                + (isInterface ? InterfaceCommand.symbolGraphOptions(in: graphFolder) : [])
                .flatMap(Self.compiler)
                + (compile.namesInSwift + searchPaths(compile)).flatMap(Self.compiler)
                + (compile.namesInC + recipe.c.clangArguments).flatMap { ["-Xcc", $0] } + [
                    "-Xcc", "-I\(Path.parent(of: compile.sdk.header))", "--product", product,
                ],
            environment: recipe.tools.toolchain.environment)
    }

    /// The arguments with which the Swift compiler finds modules of Eaves.
    func searchPaths(_ compile: CompileCommand) -> [String] {
        CompileCommand.searchPaths(compile.sdk, search.folders(for: compile.interfaceFolders))
    }
}

/// The parts of a `Package.swift` that a build looks at, as `swift package dump-package` prints them.
struct PackageManifest {
    private let root: JSONNode
    private let folder: String
    private let path: String

    init(
        _ folder: String, _ request: BuildRequest, _ tools: BuildTools, _ swift: String
    ) throws(BuildError) {
        self.folder = folder
        path = Path.relative(Path.join(folder, SourceKind.packageManifest), to: request.base)
        let command = ChildCommand(
            swift, ["package", "--package-path", folder, "dump-package"],
            environment: tools.toolchain.environment)
        let key = Key(command, tools, folder)
        if let known = Self.known.withLock({ $0[key] }) {
            root = known
            return
        }
        let root = try tools.description(by: "SwiftPM", command, for: request.id, shown: path)
        // The description is of this text, unless a program has written another one meanwhile.
        if Key(command, tools, folder) == key { Self.known.withLock { $0[key] = root } }
        self.root = root
    }

    /// The descriptions that this process has asked for: SwiftPM itself takes the same one for the same text.
    private static let known = Mutex<[Key: JSONNode]>([:])

    private struct Key: Hashable {
        let command: ChildCommand
        let compiler: BuildIdentity?
        /// The manifest, and those for other versions of Swift, by their names.
        var texts: [String: [UInt8]] = [:]

        init(_ command: ChildCommand, _ tools: BuildTools, _ folder: String) {
            self.command = command
            compiler = tools.compilerIdentity
            for entry in (try? Folder(folder).entries) ?? []
            where PackageManifest.isManifest(entry.name) {
                texts[entry.name] = try? Files.read(Path.join(folder, entry.name))
            }
        }
    }

    static func isManifest(_ name: String) -> Bool {
        name == SourceKind.packageManifest || name.hasPrefix("Package@swift-")
    }

    /// The folders of the packages on this machine that this one depends on.
    var dependencies: [String] {
        (root["dependencies"]?.elements ?? []).flatMap { dependency in
            (dependency["fileSystem"]?.elements ?? []).compactMap { $0["path"]?.string }
        }
    }

    /// Whether SwiftPM has to fetch a package or a library that this one names.
    var isPartlyElsewhere: Bool {
        (root["dependencies"]?.elements ?? []).contains { $0["fileSystem"] == nil }
            || (root["targets"]?.elements ?? []).contains { $0["url"]?.string != nil }
    }

    /// The only dynamic library, or the one that is named like the folder or the module.
    func library(
        for request: BuildRequest
    ) throws(BuildError) -> (product: String, targets: [PackageBuild.Target]) {
        let products = root["products"]?.elements ?? []
        let libraries = products.filter {
            $0["type"]?["library"]?.elements?.first?.string == "dynamic"
        }
        let names = [Path.name(of: request.folder), request.id]
        let chosen =
            libraries.count == 1
            ? libraries.first
            : names.firstNonNil { name in libraries.first { $0["name"]?.string == name } }
        guard let chosen, let product = chosen["name"]?.string else {
            throw BuildError(
                request.id,
                .dependency(
                    .noProduct(
                        manifest: path, dynamic: libraries.compactMap { $0["name"]?.string },
                        others: products.compactMap { $0["name"]?.string },
                        target: root["targets"]?.elements?.first?["name"]?.string ?? request.id)))
        }
        let targets = (chosen["targets"]?.elements ?? []).compactMap(\.string)
        return (product, targets.map { .init(name: $0, folder: folder(of: $0)) })
    }

    private func folder(of target: String) -> String {
        let node = root["targets"]?.elements?.first { $0["name"]?.string == target }
        let usual = "Sources/\(target)"
        // The only target of a package can have its sources directly in the folder.
        let isThere = (try? FileStatus(path: Path.join(folder, usual))) != nil
        return node?["path"]?.string ?? (isThere ? usual : "Sources")
    }
}
