// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesCatalog
package import EavesDiagnostics
import EavesLoader

extension BinaryFault: Diagnosable {
    /// Without the module, which ``ModuleError`` names.
    package var diagnostics: [Diagnostic] { [diagnostic] }

    private var diagnostic: Diagnostic {
        switch self {
        case .digest(let expected, let found):
            Diagnostic(
                "expected SHA-256 \(expected), found \(found)",
                fix: "put back the module that was pinned, or correct 'sha256' in the "
                    + "manifest if the new one is meant",
                code: .untrusted)
        case .carriesInterface(let symbols):
            Diagnostic(
                "carries a copy of EavesInterface of its own, whose types would not be this "
                    + "host's (\(symbols.count) symbols, such as "
                    + "'\(HostSymbols.demangled(symbols[0]))')",
                fix: "build it with 'eaves build', which does not link the interface",
                code: .incompatible)
        case .needsOtherInterface(let symbols):
            Diagnostic(
                "needs what this host's EavesInterface does not have: "
                    + symbols.map { "'\(HostSymbols.demangled($0))'" }.sorted()
                    .joined(separator: ", "),
                fix: "rebuild it against this host's interface with 'eaves build', "
                    + "or use a host that has it",
                code: .incompatible)
        case .missingLibraries(let libraries, let beside):
            Diagnostic(
                libraries.count == 1 && libraries[0].neededBy == nil
                    ? "needs the library '\(libraries[0].name)', which is not on this machine"
                    : "needs libraries that are not on this machine: "
                        + libraries.map(Self.text).joined(separator: ", "),
                fix: beside.isEmpty
                    ? "install \(Self.quoted(libraries.map(\.name))), "
                        + "or add \(libraries.count == 1 ? "its folder" : "their folders") to LD_LIBRARY_PATH"
                    : "a module is loaded from a copy, so $ORIGIN does not lead to "
                        + "\(Self.quoted(beside)) beside it: add the folder to LD_LIBRARY_PATH, "
                        + "or link with '-rpath' and the folder's whole path",
                code: .incompatible)
        case .linksModules(let modules):
            Diagnostic(
                "is linked to another module: "
                    + modules.map { "'\($0.library)'" + ($0.module.map { " is '\($0)'" } ?? "") }
                    .joined(separator: ", ")
                    + "; modules share nothing but the interface",
                fix: "ask for what it needs as a service, and build it with 'eaves build'",
                code: .badData)
        case .usesModules(let symbols):
            Diagnostic(
                "uses what is another module's own: "
                    + symbols.map { "'\(HostSymbols.demangled($0.symbol))' of '\($0.module)'" }
                    .joined(separator: ", ")
                    + "; modules share nothing but the interface",
                fix: "ask for it as a service, or move what both need into the interface",
                code: .badData)
        case .lacksSymbols(let symbols):
            Diagnostic(
                "needs \(Self.list(symbols)), which neither this host nor a loaded library has",
                fix: "rebuild it with 'eaves build' against this host's interface, "
                    + "or link the library that has \(symbols.count == 1 ? "it" : "them")",
                code: .incompatible)
        case .usesFeatures(let needs):
            Diagnostic(
                "its layer is 'core', and it uses what only features provide: "
                    + needs.map(\.description).joined(separator: ", "),
                fix: LayerRule.fix, code: .badData)
        }
    }

    /// As people write them.
    private static func list(_ symbols: [String]) -> String {
        symbols.map { "'\(HostSymbols.demangled($0))'" }.sorted().joined(separator: ", ")
    }

    private static func quoted(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }

    private static func text(_ library: MissingLibrary) -> String {
        "'\(library.name)'" + (library.neededBy.map { " (for '\($0)')" } ?? "")
    }
}
