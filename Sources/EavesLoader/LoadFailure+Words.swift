// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

extension LoadFailure {
    /// What is wrong, without the module's name and file.
    ///
    /// - Parameter id: The module's, for the fix.
    package func diagnostic(of id: String) -> Diagnostic {
        switch self {
        case .undefinedSymbol(let symbol):
            Diagnostic(
                "needs '\(HostSymbols.demangled(symbol))', "
                    + "which neither this host nor a loaded library has",
                fix: "rebuild it with 'eaves build' against this host's interface, "
                    + "or link the library that has it",
                code: .incompatible)
        case .missingLibrary(let library):
            Diagnostic(
                "needs the library '\(library)', which is not on this machine",
                fix: "install '\(library)', or add its folder to LD_LIBRARY_PATH",
                code: .incompatible)
        case .noEntryPoint:
            Diagnostic(
                "expected an exported function 'eaves_register', found none",
                fix: "add an entry point, as Documentation/WritingAModule.md shows",
                code: .badData)
        case .refused(let message, let code):
            Diagnostic(
                message.map { "refused to register: \($0)" }
                    ?? "refused to register, with code \(code) and no message",
                fix: (message == nil ? "ask its author" : "mend what it names")
                    + ", or switch the module off with 'eaves disable \(id)'",
                code: .badData)
        case .notLoadable(let reason):
            Diagnostic(
                "the dynamic linker does not take it: \(reason)",
                fix: "rebuild the module for this machine", code: .badData)
        }
    }
}
