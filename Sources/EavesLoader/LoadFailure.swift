// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// Why a module could not be loaded, or did not register.
package enum LoadFailure: Error, Hashable, Sendable {
    /// It needs a symbol that neither the host nor a library has. Mangled.
    case undefinedSymbol(String)
    /// It needs a library that is not there.
    case missingLibrary(String)
    /// It exports no `eaves_register`.
    case noEntryPoint
    /// Its entry point said no, or registered what cannot be; with its own words, if it gave any.
    case refused(message: String?, code: Int32)
    /// The dynamic linker does not take it, for this reason.
    case notLoadable(String)

    /// Tells what the dynamic linker means from its message.
    ///
    /// - Parameters:
    ///   - message: glibc's words, which begin with the file concerned.
    ///   - file: The file that was to be loaded, as the linker was given it.
    init(linkerMessage message: String, file: String) {
        if let symbol = message.part(after: "undefined symbol: ")?.prefix(while: Self.isOfSymbol) {
            self = .undefinedSymbol(String(symbol))
        } else if message.includes(": cannot open shared object file"),
            !message.hasPrefix(file),
            let colon = message.firstIndex(of: ":")
        {
            self = .missingLibrary(String(message[..<colon]))
        } else {
            let prefix = file + ": "
            self = .notLoadable(
                message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
        }
    }

    /// The linker puts a comma and a version behind some.
    private static func isOfSymbol(_ character: Character) -> Bool {
        character != "," && character != " "
    }
}
