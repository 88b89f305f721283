// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesSystem
package import EavesTrust

/// The reason why an edit was not undone, or not made because it could not be undone later.
package enum HistoryError: Error, Hashable, Sendable {
    case nothingToUndo
    /// So many steps were to be undone, and the history has only these.
    case tooFew(asked: Int, found: Int)
    /// An edit behind the newest one cannot be undone; `number` says which one, as the history counts them.
    indirect case step(number: Int, of: Int, HistoryError)
    /// A place of the manifest is not as the last edit left it, and has another text, or none. `history` is the file that
    /// keeps the edit.
    case changedSince(ManifestEdit, ManifestEdit.Part, found: String?, history: String)
    /// The file of the history, at this path, is not what Eaves wrote.
    case damaged(String)
    case store(PlaceError)
}

extension HistoryError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .nothingToUndo:
            Diagnostic(
                "there is no swap or removal to undo",
                fix: "bind a service with 'eaves swap SERVICE MODULE'", code: .notFound)
        case .tooFew(let asked, let found):
            Diagnostic(
                "there \(found == 1 ? "is 1 change" : "are \(found) changes") to undo, and "
                    + "\(asked) were asked for; nothing was undone",
                fix: "see them with 'eaves history'", code: .notFound)
        case .step(let number, let count, let reason):
            Diagnostic(
                "change \(number) of \(count) cannot be undone, so none was: "
                    + reason.diagnostic.message, fix: reason.diagnostic.fix,
                code: reason.diagnostic.code)
        case .changedSince(let edit, let part, let found, let history):
            Diagnostic(
                Self.words(edit, part, found), fix: Self.fix(edit, part, history),
                code: .configuration)
        case .damaged(let path):
            Diagnostic(
                "\(path): expected the history that eaves wrote, found something else",
                fix: "remove it; the manifest stays as it is", code: .badData)
        case .store(let error): error.diagnostic
        }
    }

    private static func words(
        _ edit: ManifestEdit, _ part: ManifestEdit.Part, _ found: String?
    ) -> String {
        guard let service = part.service else {
            return
                "modules.\(edit.module): expected no entry, as 'eaves remove \(edit.module)' left it, "
                + "found one"
        }
        let quoted = { (text: String?) in text.map { "'\($0)'" } ?? "no binding" }
        switch edit.kind {
        case .swap:
            let (expected, found) = (part.bindingAfter?.words, found.map { BindingText($0).words })
            return
                "\(service): expected it bound to \(quoted(expected)), as the last swap left it, "
                + "found \(quoted(found))"
        case .removal:
            // The weights as they are written: those that differ may be the same in words.
            let shown = { (text: String?) in text.map { BindingText($0).module ?? $0 } }
            return "bindings.\(service): expected \(quoted(shown(part.after))), as "
                + "'eaves remove \(edit.module)' left it, found \(quoted(shown(found)))"
        }
    }

    private static func fix(
        _ edit: ManifestEdit, _ part: ManifestEdit.Part, _ history: String
    ) -> String {
        let file = Path.relative(history, to: Path.current)
        guard let service = part.service else {
            return "keep the new entry, and copy what it lacks from \(file)"
        }
        let before = part.bindingBefore
        switch edit.kind {
        case .swap:
            guard let before else { return "remove the binding from the manifest" }
            return before.module.map { "choose with 'eaves swap \(service) \($0)'" }
                ?? "to go back, write the weights into the manifest: \(before.text.quoted)"
        case .removal where before?.module == nil:
            return "write the weights that you want into the manifest; \(file) has the old ones"
        case .removal:
            return "remove the binding from the manifest, and run 'eaves rollback' again"
        }
    }
}
