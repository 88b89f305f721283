// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesQuarantine
import EavesTrust
package import EavesDiagnostics
import EavesJSON
import EavesSystem

extension CatalogEntry {
    /// What is wrong with the module, one message each. Empty if nothing is.
    package var diagnostics: [Diagnostic] {
        guard let problem else { return [] }
        switch problem {
        case .declaration(let error): return error.diagnostics
        case .note(.declaration(let problems)): return problems.map(noteDiagnostic)
        case .unknownModule(let place, let known):
            let question = NearMatch.suffix(for: id, among: known)
            return [
                Diagnostic(
                    "\(place): no module \(id.quoted) is there\(question)",
                    fix: "put it into a directory of 'directories', name its 'library', "
                        + "or run 'eaves remove \(id)'",
                    code: .notFound)
            ]
        case .otherID(let own, let place):
            return [
                Diagnostic(
                    "\(place): expected a module \(id.quoted), found \(own.quoted) "
                        + "(\(path.printable))",
                    fix: "list it as \(own.quoted), or name the library of \(id.quoted)",
                    code: .badData)
            ]
        case .cannotIsolate(let place):
            return [
                Diagnostic(
                    "\(place): \(id) wants a process of its own, which this eaves cannot give it",
                    fix: "remove its 'isolation' to run it in the host's process, "
                        + "or run 'eaves disable \(id)'",
                    code: .configuration)
            ]
        case .untrusted(let fault):
            return [fault.diagnostic(ofModule: id, path: path, file: file)]
        default:
            let message = "\(id): \(problem.what) (\(path.printable))"
            return [Diagnostic(message, fix: fix(for: problem), code: problem.code)]
        }
    }

    private func noteDiagnostic(_ problem: DeclarationProblem) -> Diagnostic {
        Diagnostic(
            "\(id): its note is wrong: \(problem.message) (\(path.printable))", fix: rebuild,
            code: .badData)
    }

    /// How to come by a better file.
    private var rebuild: String {
        isBuildable
            ? "run 'eaves build \(id)'"
            : "build it again with 'eaves build FOLDER', or remove \(path.printable)"
    }

    private func fix(for problem: CatalogProblem) -> String {
        switch problem {
        case .binary(.unreadable(let error)) where error.errno == .permissionDenied:
            "check the owner and permissions of \(path.printable)"
        case .binary(.unreadable(let error)) where error.errno.meansMissing:
            "build it, or correct the path in the manifest"
        case .binary(.notAFile): "move it away, or give it a name without '.so'"
        case .binary(.empty), .binary(.notELF), .binary(.truncated), .binary(.malformed):
            isBuildable ? rebuild : "copy it again from where it was built, or remove it"
        case .notBuilt: "run 'eaves build \(id)'"
        case .incompatible(.machine(_, let host)):
            isBuildable ? rebuild : "get a build of it for \(host)"
        case .incompatible(.compiler(let built, _, _)) where !isBuildable:
            HostProfile.seriesName(of: built).map {
                rebuild + ", or allow its compiler in the manifest: \"compilers\": [\"\($0)\"]"
            } ?? rebuild
        case .duplicateID(let used):
            "remove \(used.printable) or \(path.printable), "
                + "or name the one to use in the manifest: modules.\(id).library"
        case .layer: LayerRule.fix
        case .quarantined:
            "mend it and \(isBuildable ? "run 'eaves build \(id)'" : "put it in place again"), "
                + "or let it in as it is with 'eaves quarantine clear \(id)'"
        default: rebuild
        }
    }
}

extension CatalogProblem {
    fileprivate var what: String {
        switch self {
        case .binary(let problem): problem.message
        case .note(let problem): problem.message
        case .incompatible(let problem): problem.message
        case .notBuilt: "it is not built yet"
        case .duplicateID(let used): "another module has this id: \(used.printable) is used"
        case .layer(let needs):
            "its layer is 'core', and it requires what only features provide: "
                + needs.map(\.description).joined(separator: ", ")
        case .quarantined(let record): record.message
        // These have words of their own above.
        case .declaration, .unknownModule, .otherID, .cannotIsolate, .untrusted: ""
        }
    }

    fileprivate var code: FailureCode {
        switch (self, state) {
        case (.binary(.unreadable(let error)), _): error.diagnostics.first?.code ?? .inputOutput
        case (_, .incompatible): .incompatible
        case (_, .missing): .notFound
        case (_, .quarantined): .crashed
        default: .badData
        }
    }
}
