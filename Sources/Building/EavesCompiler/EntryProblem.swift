// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesELF

/// The reason why a module gets no entry point.
package enum EntryProblem: Hashable, Sendable {
    /// The sources have no entry point, and not the type that one could be added for.
    ///
    /// - Parameters:
    ///   - isNamed: Whether `module.json` names the expected type.
    ///   - others: The types that the sources do have.
    case noModuleType(folder: String, expected: String, isNamed: Bool, others: [String])
    /// The compiler does not accept the type in the entry point that the build adds.
    ///
    /// - Parameter place: The file and the line that declare the type.
    case badModuleType(name: String, place: String, reason: String)
    /// The linked file has no entry point, although a source seems to define it.
    ///
    /// - Parameter type: The type that the build would add an entry point for.
    case undefined(folder: String, type: String)
    /// No source in C or Rust defines the entry point.
    case undefinedInC(folder: String)
}

// MARK: - Words

extension EntryProblem {
    /// The problem in the words of a message, without the module's id.
    var what: String {
        switch self {
        case .noModuleType(let folder, let expected, let isNamed, _):
            "expected a type '\(expected)'\(isNamed ? " (named in module.json)" : "") that conforms "
                + "to Module, or the function \(BinaryReport.entryName), in \(folder); found neither"
        case .badModuleType(let name, let place, let reason):
            reason.hasSuffix("conform to 'Module'")
                ? "'\(name)' does not conform to Module (\(place))"
                : "'\(name)' cannot be registered: \(reason) (\(place))"
        case .undefined(let folder, _):
            "the code in \(folder) that names \(BinaryReport.entryName) does not define it"
        case .undefinedInC(let folder):
            "expected the function \(BinaryReport.entryName) in \(folder); found none"
        }
    }

    var fix: String {
        switch self {
        case .noModuleType(_, let expected, _, let others):
            Self.fix(forMissing: expected, others: others)
        case .badModuleType(let name, _, _):
            "declare '\(name)' without generic parameters, visible in the whole module, and with "
                + "': Module', or name another type in module.json with \"entry\""
        case .undefined(_, let type):
            """
            remove it, and 'eaves build' adds it for the type '\(type)'; or define it like this:

                import CEaves
                import EavesInterface

                @c(eaves_register)
                public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
                    register(\(type).self, with: host)
                }
            """
        case .undefinedInC:
            """
            define it, as in this source in C:

                #include "eaves.h"

                int32_t eaves_register(const eaves_host *host) {
                    return 0;
                }
            """
        }
    }

    /// How to give the module a type that registers it.
    private static func fix(forMissing expected: String, others: [String]) -> String {
        var candidates = NearMatch.suggestions(for: expected, among: others)
        candidates += others.filter { $0.hasSuffix("Module") && !candidates.contains($0) }
        if let first = candidates.first {
            let list = candidates.map { "'\($0)'" }.joined(separator: ", ")
            return "name the type in module.json, as in \"entry\": \"\(first)\"; "
                + "the sources declare \(list)"
        }
        guard !expected.contains(".") else {
            return "declare it, or name another type in module.json with \"entry\""
        }
        return """
            declare it in one of the sources, or name another type in module.json with "entry":

                import EavesInterface

                enum \(expected): Module {
                    static func register(in registrar: any Registrar) throws {
                    }
                }
            """
    }
}
