// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON
import EavesProcess
import EavesSystem

/// The compiler's command line for one module.
struct CompileCommand {
    let sdk: SDK
    let toolchain: Toolchain
    let configuration: BuildConfiguration
    let moduleName: String
    let note: ModuleNote
    let sources: [String]
    let usesColor: Bool
    /// The folders with the interfaces that the module is compiled against.
    var interfaceFolders: [String] = []
    /// The arguments for the module's C libraries, module maps and objects.
    var additions: [String] = []

    /// The options of every command line that make a difference to the module.
    ///
    /// The module is compiled as a whole: one compiler process is the fastest for a few files, and
    /// leaves the other cores to other modules. The linker is the toolchain's own, so that it is the
    /// same on every machine. There is no run path, because a module finds the Swift libraries where
    /// its host found them.
    static func flags(_ configuration: BuildConfiguration) -> [String] {
        [
            "-emit-library", "-parse-as-library", "-wmo", "-swift-version", "6",
        ] + configuration.flags + ["-use-ld=lld", "-no-toolchain-stdlib-rpath"]
    }

    /// The compiler writes the binary interface and the code at once, instead of reading all sources a second time
    /// in a process of its own. It makes no difference to the module, and a third of the work less. The binary
    /// interface needs a path: it might else be written to the folder in which the compiler starts.
    static let inOneProcess = "-no-emit-module-separately-wmo"

    /// The options that the linker reads first. They apply to the libraries after them, and `swiftc`
    /// puts the linker options of its command line after its own libraries: only a file of options
    /// comes first.
    ///
    /// A module is linked to the libraries that it uses. Swift names more, such as the two for regular
    /// expressions, and all named libraries would be loaded with the module.
    static let linkerOptions = "-Wl,\(linkerWords.joined(separator: ","))\n"

    /// The options with which the linker makes every module. The module's code calls the module's own functions, also those of
    /// which the program or a library has others of the same names: without `-Bsymbolic`, these would go first.
    static let linkerWords = ["--as-needed", "-Bsymbolic"]

    /// - Parameters:
    ///   - output: The file to write.
    ///   - linkerOptions: A file with ``linkerOptions``.
    ///   - folder: The folder for the compiler's temporary files, so that they are removed with it.
    func command(
        output: String, linkerOptions: String, temporaryFolder folder: String
    ) -> ChildCommand {
        // Each content has its own name for symbols: two generations of a module can be loaded at the
        // same time, and a look-up by name finds the right one.
        let abiName = "\(moduleName)_\((note.tag.inputs ?? "").prefix(12))"
        let metadata = Self.percentEncoded(note.json.text(pretty: false))
        var environment = toolchain.environment
        environment["TMPDIR"] = folder
        return ChildCommand(
            toolchain.swiftc,
            Self.flags(configuration) + [
                Self.inOneProcess, "-emit-module-path",
                Path.join(folder, "\(moduleName).swiftmodule"),
                "-module-name", moduleName, "-module-abi-name", abiName,
                usesColor ? "-color-diagnostics" : "-no-color-diagnostics",
                "-Xclang-linker", "--config=\(linkerOptions)",
            ] + searchPaths + [
                "-Xlinker", "--package-metadata=\(metadata)", "-o", output,
            ] + sources + additions,
            environment: environment)
    }

    /// Where the compiler finds the interfaces that the module is compiled against.
    var searchPaths: [String] { Self.searchPaths(sdk, interfaceFolders) }

    /// Where the compiler finds the host's interface, and those of interface modules.
    ///
    /// The folder of the module map is there for the compiler that a compiler starts to compile a textual
    /// interface: it gets the folders, and no other option.
    static func searchPaths(_ sdk: SDK, _ interfaceFolders: [String]) -> [String] {
        // Next to the program may stand an older form of an interface module, which it was tested with.
        let folders = interfaceFolders + [sdk.moduleFolder]
        let maps = interfaceFolders.isEmpty ? [] : [Path.parent(of: sdk.moduleMap)]
        return (folders + maps).flatMap { ["-I", $0] } + [
            "-Xcc", "-fmodule-map-file=\(sdk.moduleMap)",
        ]
    }

    /// Encodes bytes as `%` and two digits, which lld decodes. Quotes and spaces are encoded as well,
    /// so that no response file on the way to the linker can split the text at them.
    static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: ":"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

/// The Swift names that follow from the name of a module's folder.
enum ModuleName {
    /// Modules that are not in the compiler's own folders. All others are looked up there.
    private static let reserved: Set<String> = [
        "CEaves", InterfaceStamp.hostModule, "Builtin",
    ]

    /// The name of the Swift module: the one that the `module.json` of an interface module names, else the
    /// folder's name as an identifier of ASCII characters. The id
    /// takes its place if the folder's name has no letter or digit of ASCII. Keywords are as good as
    /// other names: the compiler takes any identifier.
    ///
    /// - Throws: If a module that comes with the compiler has the same name.
    static func module(
        of request: BuildRequest, named given: String? = nil, compiler: Compiler
    ) throws(BuildError) -> String {
        let name =
            given ?? identifier(Path.name(of: request.folder)) ?? identifier(request.id) ?? "Module"
        guard !reserved.contains(name), !compiler.hasModule(named: name) else {
            throw BuildError(request.id, .reservedName(folder: request.shownFolder, name: name))
        }
        return name
    }

    /// The name of the type that conforms to `Module`: `SunnyModule` for the folder `Sunny`, and
    /// `VerySunnyModule` for `very-sunny`.
    static func type(of request: BuildRequest) -> String {
        let words = [Path.name(of: request.folder), request.id].lazy.map(capitalized)
        let name = (words.first { !$0.isEmpty } ?? "") + "Module"
        return name.first?.isNumber == true ? "_" + name : name
    }

    /// Replaces all but letters, digits and `_` of ASCII by `_`. `nil` if no letter or digit is left.
    static func identifier(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
            return isKept ? scalar : "_"
        }
        guard let first = scalars.first, scalars.contains(where: { $0 != "_" }) else { return nil }
        let name = String(String.UnicodeScalarView(scalars))
        return isDigit(first) ? "_" + name : name
    }

    /// The words of a text, each with a capital letter first, in one. Only letters and digits make a
    /// word.
    private static func capitalized(_ text: String) -> String {
        text.split { !$0.isLetter && !$0.isNumber }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }
}
