// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesDeclaration
import EavesJSON
package import EavesProcess
import EavesSystem

package struct CompileCommand {
    package let sdk: SDK
    package let toolchain: Toolchain
    package let configuration: BuildConfiguration
    package let moduleName: String
    package let note: ModuleNote
    package let sources: [String]
    package let usesColor: Bool
    /// The folders with the interfaces that the module is compiled against.
    package let interfaceFolders: [String]
    /// The arguments for the module's C libraries, module maps and objects.
    package var additions: [String] = []
    /// The names that folders of this machine have in what a release build writes, so that the same sources make the same
    /// bytes in any folder. Folders within others of the list come first.
    package var folderNames: [(folder: String, name: String)] = []

    package init(
        sdk: SDK, toolchain: Toolchain, configuration: BuildConfiguration, moduleName: String,
        note: ModuleNote, sources: [String], usesColor: Bool, interfaceFolders: [String]
    ) {
        self.sdk = sdk
        self.toolchain = toolchain
        self.configuration = configuration
        self.moduleName = moduleName
        self.note = note
        self.sources = sources
        self.usesColor = usesColor
        self.interfaceFolders = interfaceFolders
    }

    /// The options of every command line that make a difference to the module.
    ///
    /// The module is compiled as a whole: one compiler process is the fastest for a few files, and leaves the other
    /// cores to other modules. The linker is the toolchain's own, so that it is the same on every machine. There is no
    /// run path, because a module finds the Swift libraries where its host found them.
    package static func flags(_ configuration: BuildConfiguration) -> [String] {
        [
            "-emit-library", "-parse-as-library", "-wmo", "-swift-version", "6",
        ] + configuration.flags + ["-use-ld=lld", "-no-toolchain-stdlib-rpath"]
    }

    /// The compiler writes the binary interface and the code at once, instead of reading all sources a second time
    /// in a process of its own. It makes no difference to the module, and a third of the work less. The binary
    /// interface needs a path: it might else be written to the folder in which the compiler starts.
    package static let inOneProcess = "-no-emit-module-separately-wmo"

    /// The options that the linker reads first. They apply to the libraries after them, and `swiftc` puts the linker
    /// options of its command line after its own libraries: only a file of options comes first.
    ///
    /// A module is linked to the libraries that it uses. Swift names more, such as the two for regular
    /// expressions, and all named libraries would be loaded with the module.
    package static func linkerOptions(_ configuration: BuildConfiguration) -> String {
        "-Wl,\(linkerWords(configuration).joined(separator: ","))\n"
    }

    /// The options with which the linker makes every module. The module's code calls the module's own functions, also those of
    /// which the program or a library has others of the same names: without `-Bsymbolic`, these would go first.
    package static func linkerWords(_ configuration: BuildConfiguration) -> [String] {
        ["--as-needed", "-Bsymbolic"]
            + (configuration == .release ? ["--compress-debug-sections=zlib"] : [])
    }

    /// - Parameters:
    ///   - linkerOptions: A file with ``linkerOptions(_:)``.
    ///   - folder: The folder for the compiler's temporary files, so that they are removed with it.
    package func command(
        output: String, linkerOptions: String, temporaryFolder folder: String
    ) -> ChildCommand {
        toolchain.call(
            Self.flags(configuration) + [
                Self.inOneProcess, "-emit-module-path",
                Path.join(folder, "\(moduleName).swiftmodule"),
                "-module-name", moduleName, "-module-abi-name", abiName, color,
                "-Xclang-linker", "--config=\(linkerOptions)",
            ] + namesInSwift + searchPaths + [
                "-Xlinker", Self.metadata(note), "-o", output,
            ] + sources + additions)
    }

    /// The option that says whether the compiler colours its messages.
    package var color: String { usesColor ? "-color-diagnostics" : "-no-color-diagnostics" }

    /// The module's name in symbols. Each content has its own: two generations of a module can be loaded at the same time.
    package var abiName: String { "\(moduleName)_\((note.tag.inputs ?? "").prefix(12))" }

    /// The options by which the Swift compiler writes ``folderNames``. It takes the first one that fits, and clang the last.
    package var namesInSwift: [String] {
        guard configuration == .release else { return [] }
        return ["-file-compilation-dir", "."]
            + folderNames.flatMap { ["-debug-prefix-map", "\($0.folder)=\($0.name)"] }
    }

    package var namesInC: [String] {
        guard configuration == .release else { return [] }
        return folderNames.reversed().map { "-ffile-prefix-map=\($0.folder)=\($0.name)" }
    }

    /// Where the compiler finds the interfaces that the module is compiled against.
    package var searchPaths: [String] { Self.searchPaths(sdk, interfaceFolders) }

    /// Where the compiler finds the host's interface, and those of interface modules.
    ///
    /// The folder of the module map is there for the compiler that a compiler starts to compile a textual
    /// interface: it gets the folders, and no other option.
    package static func searchPaths(_ sdk: SDK, _ interfaceFolders: [String]) -> [String] {
        // Next to the program may stand an older form of an interface module, which it was tested with.
        let folders = interfaceFolders + [sdk.moduleFolder]
        let maps = interfaceFolders.isEmpty ? [] : [Path.parent(of: sdk.moduleMap)]
        return (folders + maps).flatMap { ["-I", $0] } + [
            "-Xcc", "-fmodule-map-file=\(sdk.moduleMap)",
        ]
    }

    /// The option by which the linker writes a note. Bytes are encoded as `%` and two digits, which lld decodes: quotes and
    /// spaces, too, so that no response file on the way to the linker can split the text at them.
    package static func metadata(_ note: ModuleNote) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in note.json.text(pretty: false).utf8 {
            if byte.isPartOfWord || "-.:".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return "--package-metadata=" + String(decoding: encoded, as: UTF8.self)
    }
}

/// The way in which modules are compiled. Hosts of either kind load modules of either kind.
public enum BuildConfiguration: String, CaseIterable, Sendable {
    /// Fast to compile, and can be stepped through in a debugger.
    case debug
    /// Optimised. A crash has its lines, and a debugger no variables.
    case release

    package var flags: [String] {
        switch self {
        case .debug: ["-Onone", "-g"] + Self.sameBytes
        case .release:
            ["-O", "-gline-tables-only", "-Xfrontend", "-no-clang-module-breadcrumbs"]
                + Self.sameBytes
        }
    }

    /// Without it, the compiler writes a digest of all that it was told, temporary folders included.
    package static let sameBytes = ["-Xfrontend", "-disable-incremental-llvm-codegen"]
}
