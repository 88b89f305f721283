// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The Swift module name of a module: its folder's name, as an identifier.
enum ModuleName {
    /// What a module imports, or what those import in turn. The compiler's own folders are asked
    /// for the rest.
    private static let reserved: Set<String> = [
        "CEaves", "EavesInterface", "Swift", "SwiftShims", "SwiftGlibc", "SwiftOnoneSupport",
        "_SwiftConcurrencyShims", "_Concurrency", "_StringProcessing", "Builtin",
    ]

    /// A folder without any letter of ASCII in its name takes the id instead.
    static func of(
        _ request: BuildRequest, compiler: Compiler
    ) throws(BuildError) -> String {
        let name =
            identifier(Path.name(of: request.folder)) ?? identifier(request.id) ?? "Module"
        let isTaken =
            reserved.contains(name)
            || compiler.moduleFolders.contains {
                FileStamp(path: Path.join($0, "\(name).swiftmodule")) != nil
            }
        guard !isTaken else {
            throw BuildError(request.id, .reservedName(folder: request.shownFolder, name: name))
        }
        return name
    }

    /// Letters, digits and `_` of ASCII, not beginning with a digit; `nil` if nothing would be left
    /// of the text but `_`.
    static func identifier(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
            return isKept ? scalar : "_"
        }
        guard let first = scalars.first, scalars.contains(where: { $0 != "_" }) else { return nil }
        let name = String(String.UnicodeScalarView(scalars))
        return isDigit(first) ? "_" + name : name
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }
}
