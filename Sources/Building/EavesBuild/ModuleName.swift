// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesSystem

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
