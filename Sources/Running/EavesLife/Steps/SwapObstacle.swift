// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesELF

/// The reason why a running host does not take a new file of a module, although a host that starts now would.
package enum SwapObstacle: Error, Hashable, Sendable {
    /// The module's types have the same names as those of the build that is loaded.
    case sameTypes(String)
    /// It is an interface, whose types other modules hold. The files of these modules were built with the new one.
    case interface(String, waiting: [String] = [])
    /// It was built with a newer file of an interface than the one that the process has.
    case awaits(String, interface: String)
    /// It no longer provides these services or features, which the running host was asked for.
    case takesAway(String, [String])
    /// Objects of too many generations of the module are still in use.
    case tooMany(String, alive: Int, limit: Int)
    /// The process has these definitions of its file already, and keeps them: those of an earlier build, or of the module
    /// with the second id. Never empty.
    case processWide(String, of: String, [ProcessWideDefinition])
}

extension SwapObstacle: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .sameTypes(let id):
            Diagnostic(
                "the running host cannot load this file next to the one that it has loaded: its note "
                    + "has no digest of its inputs, so the types of both may have the same names",
                fix:
                    "build it with 'eaves build', which gives each build names of its own, or start "
                    + "the host again to use this file of '\(id)'", code: .incompatible)
        case .interface(let id, let waiting):
            Diagnostic(
                "a running host cannot exchange an interface that it has loaded: modules hold its "
                    + "types"
                    + (waiting.isEmpty
                        ? ""
                        : "; new files that were built with it wait for a fresh process: "
                            + waiting.map { "'\($0)'" }.abridged(by: ", ", limit: 10)),
                fix: "start the host again to use the new '\(id)'", code: .configuration)
        case .awaits(let id, let interface):
            Diagnostic(
                "it was built with another '\(interface)' than the one that the process has, and "
                    + "waits for a fresh process",
                fix: "start the host again to use this file of '\(id)'", code: .incompatible)
        case .takesAway(let id, let lost):
            Diagnostic(
                "it no longer provides \(lost.abridged(by: ", ")), which the running host gives to "
                    + "others",
                fix:
                    "bind \(lost.count == 1 ? "it" : "them") to another module first, or start the "
                    + "host again to use this file of '\(id)'", code: .noProvider)
        case .tooMany(let id, let alive, let limit):
            Diagnostic(
                "objects of \(alive) generations of '\(id)' are in use, and \(limit) are allowed",
                fix:
                    "'generations' counts them; drop them in the program, or start the host again",
                code: .configuration)
        case .processWide(let id, let definer, let definitions) where id == definer:
            Diagnostic(
                "the process keeps \(definitions.map(\.description).abridged(by: ", ")) of the build that "
                    + "it has loaded, so that the new code would run with the old one",
                fix: "start the host again to use this file of '\(id)', or \(definitions[0].fix)",
                code: .incompatible)
        case .processWide(_, let other, let definitions):
            Diagnostic(definitions, besides: [other])
        }
    }
}

extension SwapObstacle {
    /// The module besides the obstacle's own whose definitions the process keeps; `nil` if that is not the obstacle.
    package var definer: String? {
        if case .processWide(let id, let definer, _) = self, id != definer { definer } else { nil }
    }

    /// The same obstacle to a module whose definitions another one had: if that one's present file has them no longer,
    /// a fresh process would take on the module.
    package func renewed(by disk: Outlook) -> SwapObstacle {
        guard let definer, case .processWide(let id, _, let definitions) = self else { return self }
        if let entry = disk.catalog.entry(definer), entry.isEnabled, !entry.isIsolated,
            // The host may have loaded the module that stands from another file than the present one.
            ModuleContent(entry.loadedFile).note?.declaration.id == definer,
            let present = try? ELFFile(entry.loadedFile).processWideDefinitions(),
            present.contains(where: definitions.contains)
        {
            return self
        }
        return .processWide(id, of: id, definitions)
    }
}

extension GenerationBook {
    /// The reason why the module must not get a further generation; `nil` if it may.
    func obstacle(to module: String) -> SwapObstacle? {
        let alive = living.count
        return alive < Self.limit ? nil : .tooMany(module, alive: alive, limit: Self.limit)
    }
}

/// The reason why a running host does not swap something that is on probation.
package enum ProbationObstacle: Error, Hashable, Sendable {
    /// The service was bound to the first module a short time ago, and is to be bound to the second one.
    case binding(String, judged: String, wanted: String)
    /// The module has a newer file than the one that is judged.
    case file(String)
    /// The module's file was judged, and the one before serves again.
    case bad(String)
}

extension ProbationObstacle: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .binding(let service, let judged, let wanted):
            Diagnostic(
                "\(service) cannot go to '\(wanted)' yet: '\(judged)' is on probation there",
                fix:
                    "go back with 'eaves rollback', or wait: the host takes the change on when "
                    + "the probation ends", code: .configuration)
        case .bad(let id):
            Diagnostic(
                "the file of '\(id)' was bad on probation, and the one before serves",
                fix: "mend it: 'eaves quarantine' says what was wrong", code: .configuration)
        case .file(let id):
            Diagnostic(
                "the newer file of '\(id)' has to wait: the one before is on probation, and the "
                    + "manifest allows one at a time",
                fix: "wait: the host takes it on when the probation ends",
                code: .configuration)
        }
    }
}
