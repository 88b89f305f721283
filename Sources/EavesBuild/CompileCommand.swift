// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesJSON
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

    /// What stands in every command line and makes a difference to what comes out.
    ///
    /// Whole-module: one compiler process a module is the quickest for a few files, and leaves the
    /// other cores to other modules. The linker is the toolchain's, so that it is the same on every
    /// machine; and no run path: a module finds the Swift libraries where its host found them.
    static func flags(_ configuration: BuildConfiguration) -> [String] {
        [
            "-emit-library", "-parse-as-library", "-wmo", "-swift-version", "6",
        ] + configuration.flags + ["-use-ld=lld", "-no-toolchain-stdlib-rpath"]
    }

    /// The linker's first words. They hold for the libraries behind them, and `swiftc` puts whatever
    /// it is told for the linker behind its own libraries: only a file of options comes first.
    ///
    /// A module is linked to the libraries that it uses. Swift names more, such as the two for regular
    /// expressions, and all that are named are loaded with the module.
    static let linkerOptions = "-Wl,--as-needed\n"

    /// - Parameters:
    ///   - output: The file to write.
    ///   - linkerOptions: A file with ``linkerOptions``.
    ///   - folder: Where the compiler puts its own temporary files, so that they go with it.
    func command(
        output: String, linkerOptions: String, temporaryFolder folder: String
    ) -> ChildCommand {
        // A name of its own for each content: two generations of a module can be loaded side by
        // side, and a look-up by name finds the right one.
        let abiName = "\(moduleName)_\((note.tag.inputs ?? "").prefix(12))"
        let metadata = Self.percentEncoded(note.json.text(pretty: false))
        var environment = toolchain.environment
        environment["TMPDIR"] = folder
        return ChildCommand(
            toolchain.swiftc,
            Self.flags(configuration) + [
                "-module-name", moduleName, "-module-abi-name", abiName,
                usesColor ? "-color-diagnostics" : "-no-color-diagnostics",
                "-Xclang-linker", "--config=\(linkerOptions)",
                "-I", sdk.moduleFolder, "-Xcc", "-fmodule-map-file=\(sdk.moduleMap)",
                "-Xlinker", "--package-metadata=\(metadata)", "-o", output,
            ] + sources,
            environment: environment)
    }

    /// As lld wants it: it takes `%` and two digits for a byte. Quotes and spaces are encoded as
    /// well, so that no response file on the way to the linker has to keep them apart.
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
