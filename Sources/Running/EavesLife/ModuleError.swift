// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesELF
import EavesLoader
import EavesRegistry
import EavesRules
import EavesSystem

/// A module could not be loaded. Nothing of it is registered.
package struct ModuleError: Error, Sendable {
    package let entry: CatalogEntry
    package var id: String { entry.id }
    /// The module's file, as people see it.
    package var path: String { entry.path }
    package let reason: any Error

    /// A file that was damaged after the catalog looked at it gets the catalog's words.
    package init(_ entry: CatalogEntry, _ error: any Error) {
        self.entry = entry
        switch error {
        case let error as ELFError:
            reason = UnusableModuleError(entry: entry, .binary(error))
        case let error as SystemError where error.path == entry.loadedFile:
            reason = UnusableModuleError(entry: entry, .binary(.unreadable(error)))
        default:
            reason = error
        }
    }

    /// Whether the file was another one than the catalog knows. Nothing was tried with it.
    package var meansChanging: Bool { reason is ChangingFileError }

    /// Whether the host has too little room for it now.
    var meansWantOfRoom: Bool {
        if case .exhausted? = reason as? LoadError { return true }
        if case .tooMany? = reason as? SwapObstacle { return true }
        return false
    }

    /// The interface that the module was built with a newer file of than the process has; `nil` if that is not the reason.
    var awaitedInterface: String? {
        if case .awaits(_, let interface)? = reason as? SwapObstacle { interface } else { nil }
    }

    /// The same error as it is with these files.
    func renewed(by disk: Outlook) -> ModuleError {
        (reason as? SwapObstacle).map { ModuleError(entry, $0.renewed(by: disk)) } ?? self
    }

    package var meansHang: Bool {
        if case .hangs? = reason as? LoadError { true } else { false }
    }

    /// Whether the module is as it was when it was refused. Its signature, and the lists that decide whether that counts,
    /// matter only if it was refused for them.
    func concerns(_ now: CatalogEntry?) -> Bool {
        var refused = entry
        if !isOfSignature { refused.seal = now?.seal }
        return refused == now
    }

    package var isOfSignature: Bool {
        (reason as? BinaryError)?.problems.contains {
            if case .signature = $0 { true } else { false }
        } == true
    }

    package static func naming<Result>(
        _ entry: CatalogEntry, _ step: () throws -> Result
    ) throws(ModuleError) -> Result {
        do {
            return try step()
        } catch {
            throw ModuleError(entry, error)
        }
    }
}

extension ModuleError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        switch reason {
        case let reason as UnusableModuleError:
            reason.diagnostics
        case let reason as BinaryError:
            reason.diagnostics
        case let reason as LoadError:
            [reason.diagnostic(of: id).naming(id, path)]
        case let reason as any Diagnosable:
            reason.diagnostics.map { $0.naming(id, path) }
        case let reason as RegistrationError:
            reason.problems.map { problem in
                Diagnostic(
                    "registers \(Capability(problem.registration.request)) twice: "
                        + "at \(problem.earlier.place) and at \(problem.registration.place)",
                    fix: "register each thing once, or under different names", code: .badData
                ).naming(id, path)
            }
        default:
            [Diagnostic(String(describing: reason), code: .badData).naming(id, path)]
        }
    }
}

/// The catalog knows, or would know, a problem of the module.
package struct UnusableModuleError: Error, DiagnosableList {
    private(set) var entry: CatalogEntry

    /// - Parameter problem: `nil` for the one that the entry has.
    package init(entry: CatalogEntry, _ problem: CatalogProblem? = nil) {
        self.entry = entry
        if let problem { self.entry.problem = problem }
    }

    package var diagnostics: [Diagnostic] { entry.diagnostics }
}
