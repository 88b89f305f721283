// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesJSON
import EavesProcess
import EavesSystem

/// The runs of the compiler after the one that compiles an interface module: one compiles the code of its calls to
/// another process, if it has such calls, and one links all.
struct InterfaceSteps {
    private enum Step {
        case sources
        case calls
        case linking
    }

    private var step = Step.sources
    let command: InterfaceCommand
    private let recipe: BuildRecipe
    private let inputs: String
    /// The textual interface, once the sources are compiled.
    private(set) var text: InterfaceText?
    private var report = WallReport()
    /// Whether the compiler has refused the code of the calls.
    private(set) var lacksCalls = false

    init(
        _ compile: CompileCommand, _ recipe: BuildRecipe, _ inputs: String, in folder: String
    ) {
        var command = InterfaceCommand(base: compile, folder: folder)
        if case .package(let package, _) = recipe.method {
            command.package = PackageInterface(
                package: package, configuration: recipe.configuration, module: recipe.moduleName)
        }
        self.command = command
        self.recipe = recipe
        self.inputs = inputs
    }

    /// Whether the module is made without what the current run makes, if that fails.
    var isOptional: Bool { step == .calls }

    /// The next run after one that has ended well, or was optional; `nil` if there is none.
    ///
    /// - Parameter linkerOptions: A file with the options that the linker reads first.
    mutating func next(
        failed: Bool, output: String, linkerOptions: String
    ) throws(BuildError) -> ChildCommand? {
        do {
            switch step {
            case .sources:
                text = try BuildError.about(
                    recipe.request.id, BuildCause.unreadable,
                    try command.text().namingModulesAsBodiesDo)
                if let source = try callsSource() {
                    try OpenFile(creating: command.callsSource, mode: 0o600).write(
                        source.source.utf8)
                    step = .calls
                    return command.calls(as: source.swiftModule, linkerOptions: linkerOptions)
                }
            case .calls:
                if failed {
                    lacksCalls = true
                    obstruct("the compiler refuses the code of its calls, as 'eaves build' tells")
                }
            case .linking:
                return nil
            }
            step = .linking
            return try link(to: output, linkerOptions: linkerOptions)
        } catch let error as ELFError {
            throw BuildError(recipe.request.id, .badBinary(error))
        } catch let error as BuildError {
            throw error
        } catch {
            let unnamed = SystemError(.create, command.object(of: InterfaceSection.name))
            let error = error as? SystemError ?? unnamed
            throw BuildError(recipe.request.id, recipe.request.unwritable(error))
        }
    }

    /// The code of the calls; `nil` if no protocol has such calls.
    private mutating func callsSource() throws -> CrossingCode? {
        let bytes = try Files.read(command.symbolGraph, limit: FileStatus.moduleSizeLimit)
        // A compiler that writes another form is one that this program does not know.
        guard let text, let graph = SymbolGraph(bytes, without: text.otherModules) else {
            return nil
        }
        let foreignTypes = WallReport.types(ofFiles: recipe.interfaces.map(\.path))
        let remote = RemoteProtocols(graph, foreignTypes: foreignTypes)
        report = remote.report
        guard report.hasCalls else { return nil }
        guard recipe.tools.versions.interface.serves(Self.firstInterface) else {
            obstruct(
                "the host that it is built for has interface \(recipe.tools.versions.interface), and "
                    + "calls to another process began with \(Self.firstInterface)")
            return nil
        }
        return CrossingCode(remote, of: recipe.moduleName, importing: text.imports)
    }

    /// The interface between host and modules that first had what the code of the calls uses.
    private static let firstInterface = InterfaceVersion(major: 1, minor: 1)

    private mutating func obstruct(_ reason: String) {
        for name in report.protocols.keys where report.protocols[name]?.isEmpty == true {
            report.protocols[name] = [
                .init(place: Path.name(of: recipe.request.folder), reason: reason)
            ]
        }
    }

    private func link(to output: String, linkerOptions: String) throws -> ChildCommand {
        guard let text else { preconditionFailure("the sources are compiled first") }
        let object = try Files.read(command.object, limit: FileStatus.moduleSizeLimit)
        var sections = [
            (InterfaceSection.name, text.bytes),
            (WallReport.section, Array(report.json.text(pretty: false).utf8)),
        ]
        if report.hasCalls {
            let code = try Files.read(command.callsLibrary, limit: WallReport.sizeLimit)
            sections.append((WallReport.codeSection, code))
        }
        if !text.companions.isEmpty {
            sections.append((InterfaceSection.companions, text.companionSection))
        }
        let objects = try sections.map { name, content in
            let section = try ELFSectionObject(section: name, content: content, like: object)
            let file = command.object(of: name)
            try OpenFile(creating: file, mode: 0o600).write(section.bytes)
            return file
        }
        let content = InterfaceContent(
            module: recipe.moduleName, protocols: text.protocols(of: recipe.moduleName),
            otherModules: text.otherModules)
        let note = recipe.note(inputs, content: content)
        if case .package(let package, _) = recipe.method {
            return try package.linkCommand(
                to: output, with: objects, note: note, linkerOptions: linkerOptions, command.base,
                recipe)
        }
        return command.link(
            to: output, note: note, linkerOptions: linkerOptions, sections: objects)
    }

    /// Says that calls cannot go to another process although they might.
    func warning(about id: String) -> Diagnostic? {
        guard lacksCalls else { return nil }
        return Diagnostic(
            "module '\(id)': the compiler refuses the code that hands its calls to another process, so no "
                + "module that provides or requires its services can be isolated",
            fix: "tell the authors of Eaves which declaration the compiler names",
            code: .incompatible)
    }
}

/// The command lines that make an interface module: one compiles it and writes its textual interface, one compiles the
/// code of its calls to another process, and one links all into one file. SwiftPM does the first and the last for a
/// package.
struct InterfaceCommand {
    /// The command line that any module is compiled with.
    let base: CompileCommand
    /// The private folder of the compilation.
    let folder: String
    /// The package as SwiftPM has compiled it; `nil` if the compiler is run for a folder of sources.
    var package: PackageInterface?

    private var textualInterface: String {
        Path.join(folder, base.moduleName + InterfaceText.suffix)
    }

    func text() throws(SystemError) -> InterfaceText {
        if let package { return try package.text() }
        return InterfaceText(try Files.read(textualInterface, limit: InterfaceSection.sizeLimit))
    }

    var binaryInterface: String { Path.join(folder, "\(base.moduleName).swiftmodule") }
    /// The object file with the module's code, or with some of a package's.
    var object: String {
        get throws(SystemError) { try package?.object ?? moduleObject }
    }
    private var moduleObject: String { Path.join(folder, "module.o") }
    /// The compiler's description of all declarations of the module.
    var symbolGraph: String { Path.join(graphFolder, "\(base.moduleName).symbols.json") }
    private var graphFolder: String {
        package?.package.graphFolder ?? Path.join(folder, "graph")
    }
    /// The source of the calls to another process, and the library that is made of it.
    var callsSource: String { Path.join(folder, "calls.swift") }
    var callsLibrary: String { Path.join(folder, "calls.so") }
    /// The object file with one section: the textual interface, what a package brings besides, the report on the calls,
    /// or the calls.
    func object(of section: String) -> String { Path.join(folder, "section\(section).o") }

    /// The options that make a difference to the module. The names of its symbols are the same from build
    /// to build, and the layout of its types may change: modules that are built already stay usable. The textual
    /// interface names modules by aliases, so that it means the module, too, where a type has the module's name.
    private static func flags(_ configuration: BuildConfiguration) -> [String] {
        ["-c", "-parse-as-library", "-wmo", "-swift-version", "6"] + configuration.flags
            + ["-emit-module"] + evolution
    }

    private static let evolution = [
        "-enable-library-evolution", "-no-verify-emitted-module-interface",
        "-Xfrontend", "-alias-module-names-in-module-interface",
    ]

    /// The options that SwiftPM passes on for all targets of a package.
    static let packageOptions = evolution + ["-emit-module-interface"]

    var compilation: ChildCommand {
        base.toolchain.call(
            Self.flags(base.configuration) + [
                CompileCommand.inOneProcess, "-module-name", base.moduleName,
                "-emit-module-path", binaryInterface,
                "-emit-module-interface-path", textualInterface,
                base.color,
            ] + Self.symbolGraphOptions(in: graphFolder) + base.namesInSwift + base.searchPaths
                + ["-o", moduleObject] + base.sources)
    }

    static func symbolGraphOptions(in folder: String) -> [String] {
        [
            "-emit-symbol-graph", "-emit-symbol-graph-dir", folder,
            "-symbol-graph-minimum-access-level", "private",
            "-symbol-graph-skip-synthesized-members", "-symbol-graph-skip-inherited-docs",
        ]
    }

    /// Compiles the calls to another process. They are optimised in debug builds, too: a person steps through sources.
    func calls(as module: String, linkerOptions: String) -> ChildCommand {
        base.toolchain.call(
            [
                "-emit-library", "-parse-as-library", "-wmo", "-swift-version", "6", "-O",
                "-suppress-warnings", "-use-ld=lld", "-no-toolchain-stdlib-rpath",
                "-module-name", module, "-Xclang-linker", "--config=\(linkerOptions)",
                "-Xlinker", "--strip-all",
            ] + BuildConfiguration.sameBytes + (package?.imports ?? ["-I", folder]) + [
                base.color
            ] + base.searchPaths + ["-o", callsLibrary, callsSource])
    }

    func link(
        to output: String, note: ModuleNote, linkerOptions: String, sections: [String]
    ) -> ChildCommand {
        base.toolchain.call(
            [
                "-emit-library", "-use-ld=lld", "-no-toolchain-stdlib-rpath",
                "-Xclang-linker", "--config=\(linkerOptions)",
                "-Xlinker", CompileCommand.metadata(note), "-o", output, moduleObject,
            ] + sections)
    }
}
