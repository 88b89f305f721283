// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesJSON
import EavesProcess
import EavesSystem

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
        get throws(SystemError) { try package?.object() ?? moduleObject }
    }
    private var moduleObject: String { Path.join(folder, "module.o") }
    var symbolGraph: String {
        package?.symbolGraph ?? Path.join(graphFolder, "\(base.moduleName).symbols.json")
    }
    private var graphFolder: String { Path.join(folder, "graph") }
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
        command(
            Self.flags(base.configuration) + [
                CompileCommand.inOneProcess, "-module-name", base.moduleName,
                "-emit-module-path", binaryInterface,
                "-emit-module-interface-path", textualInterface,
                base.usesColor ? "-color-diagnostics" : "-no-color-diagnostics",
            ] + Self.symbolGraphOptions(in: graphFolder) + base.namesInSwift + base.searchPaths
                + ["-o", moduleObject] + base.sources)
    }

    static func symbolGraphOptions(in folder: String) -> [String] {
        [
            "-emit-symbol-graph", "-emit-symbol-graph-dir", folder,
            "-symbol-graph-minimum-access-level", "public",
            "-symbol-graph-skip-synthesized-members", "-symbol-graph-skip-inherited-docs",
        ]
    }

    /// Compiles the calls to another process. They are optimised in debug builds, too: a person steps through sources.
    func calls(as module: String, linkerOptions: String) -> ChildCommand {
        command(
            [
                "-emit-library", "-parse-as-library", "-wmo", "-swift-version", "6", "-O",
                "-suppress-warnings", "-use-ld=lld", "-no-toolchain-stdlib-rpath",
                "-module-name", module, "-Xclang-linker", "--config=\(linkerOptions)",
                "-Xlinker", "--strip-all",
            ] + BuildConfiguration.sameBytes + (package?.imports ?? ["-I", folder]) + [
                base.usesColor ? "-color-diagnostics" : "-no-color-diagnostics"
            ] + base.searchPaths + ["-o", callsLibrary, callsSource])
    }

    func link(
        to output: String, note: ModuleNote, linkerOptions: String, sections: [String]
    ) -> ChildCommand {
        command(
            [
                "-emit-library", "-use-ld=lld", "-no-toolchain-stdlib-rpath",
                "-Xclang-linker", "--config=\(linkerOptions)",
                "-Xlinker", CompileCommand.metadata(note), "-o", output, moduleObject,
            ] + sections)
    }

    private func command(_ arguments: [String]) -> ChildCommand {
        var environment = base.toolchain.environment
        environment["TMPDIR"] = folder
        return ChildCommand(base.toolchain.swiftc, arguments, environment: environment)
    }
}
