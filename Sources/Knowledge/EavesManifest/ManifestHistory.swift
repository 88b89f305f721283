// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesSystem
package import EavesTrust
import Glibc

/// The edits that can be undone: the file `history.json` in the store, with the last edit at its
/// end. Manifests in the same folder share the store, so each edit names its manifest.
struct ManifestHistory: Sendable {
    let store: Store
    let manifest: String
    private static let name = "history.json"
    var path: String { store.path(of: Self.name) }
    /// The history forgets older edits.
    private static let limit = 100

    /// The edits of this manifest that count, the newest one first.
    ///
    /// - Parameter text: A function that reads the present text of the manifest. Called only if a process was killed while it
    ///   changed the manifest.
    func edits(of text: () -> [UInt8]?) throws(HistoryError) -> [ManifestEdit] {
        let elements = try read().filter { $0.manifest == manifest }
        let digest = elements.contains { $0.intent != nil } ? Self.digest(text()) : nil
        return elements.filter { $0.counts(at: digest) }.reversed().map(\.edit)
    }

    // A save writes three times: what it is about to do, the manifest, and that it is done. Killed in between,
    // it leaves an intent, which is true or not by the text that the manifest has then: the old one or the new.

    /// Notes an edit that is about to be made.
    func willAppend(_ edit: ManifestEdit, to text: [UInt8]) throws(HistoryError) {
        let digest = Self.digest(text)
        try update { elements in
            settle(&elements, at: digest)
            elements.append(
                Element(manifest: manifest, edit: edit, intent: digest.map(Intent.append)))
            elements.removeFirst(max(0, elements.count - Self.limit))
        }
    }

    /// Notes that the newest edits of this manifest are about to be undone.
    func willRemoveLast(_ count: Int, from text: [UInt8]) throws(HistoryError) {
        let digest = Self.digest(text)
        try update { elements in
            settle(&elements, at: digest)
            let own = elements.indices.filter { elements[$0].manifest == manifest }
            for index in own.suffix(count) { elements[index].intent = digest.map(Intent.remove) }
        }
    }

    func removeLast(_ count: Int) throws(HistoryError) {
        try update { elements in
            let own = elements.indices.filter { elements[$0].manifest == manifest }
            for index in own.suffix(count).reversed() { elements.remove(at: index) }
        }
    }

    /// Notes what has become of the intents. A process that is killed before leaves that to the next one, so
    /// no process waits for the disk.
    func settle(at text: [UInt8]) throws(HistoryError) {
        try update(lasting: false) { settle(&$0, at: Self.digest(text)) }
    }

    private func settle(_ elements: inout [Element], at digest: String?) {
        elements.removeAll { $0.manifest == manifest && !$0.counts(at: digest) }
        for index in elements.indices where elements[index].manifest == manifest {
            elements[index].intent = nil
        }
    }

    private static func digest(_ text: [UInt8]?) -> String? {
        text.map { SHA256.digest(of: $0).hex }
    }

    private struct Element {
        let manifest: String
        let edit: ManifestEdit
        /// `nil` for an edit that was made.
        var intent: Intent?

        /// Whether the edit was made and not undone, if the manifest has this digest.
        func counts(at digest: String?) -> Bool {
            switch intent {
            case nil: true
            case .append(let before): digest != before
            case .remove(let before): digest == before
            }
        }
    }

    /// An intent to change the manifest, with the digest of its text before.
    private enum Intent {
        case append(to: String)
        case remove(from: String)
    }

    /// Changes the history while no other process does: a manifest that is a link is locked where its
    /// target is, and another one in this folder is locked here.
    private func update(
        lasting lasts: Bool = true, _ body: (inout [Element]) -> Void
    ) throws(HistoryError) {
        do {
            let folder = try store.make()
            let taken = { SystemError(.lock, store.path, .tryAgain) }
            try FileLock.holding(folder.ownPath, within: .seconds(10), orThrow: taken) {
                var elements = try read(in: folder)
                body(&elements)
                try write(elements, in: folder, lasting: lasts)
            }
        } catch let error as SystemError {
            throw .store(.system(error))
        } catch let error as PlaceError {
            throw .store(error)
        } catch {
            throw error as? HistoryError ?? .damaged(path)
        }
    }

    private func read() throws(HistoryError) -> [Element] {
        let folder: OpenFolder?
        do throws(PlaceError) { folder = try store.open() } catch { throw .store(error) }
        switch consume folder {
        case .some(let folder): return try read(in: folder)
        // There was no edit yet.
        case .none: return []
        }
    }

    private func read(in folder: borrowing OpenFolder) throws(HistoryError) -> [Element] {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard let found = try folder.bytes(of: Self.name) else { return [] }
            bytes = found
        } catch {
            // A folder, a link or a pipe in its place is not what Eaves wrote, either.
            if (try? folder.status(link: Self.name))?.kind != .file { throw .damaged(path) }
            throw .store(.system(error))
        }
        guard let root = try? JSONNode.parse(bytes), let schema = root["schema"]?.integer,
            let nodes = Self.nodes(of: root, schema)
        else { throw .damaged(path) }
        var elements: [Element] = []
        for node in nodes {
            // Until schema 2 there was only one manifest.
            let named = schema == 1 ? manifest : node["manifest"]?.string
            let edit = schema < 3 ? ManifestEdit(ofSchema2: node) : ManifestEdit(node)
            guard let named, let edit else { throw .damaged(path) }
            let intent =
                node["appendsTo"]?.string.map(Intent.append)
                ?? node["removesFrom"]?.string.map(Intent.remove)
            elements.append(Element(manifest: named, edit: edit, intent: intent))
        }
        return elements
    }

    private static func nodes(of root: JSONNode, _ schema: Int) -> [JSONNode]? {
        switch schema {
        case 1: root["swaps"]?.elements
        case 2: root["changes"]?.elements
        case 3: root["edits"]?.elements
        default: nil
        }
    }

    private func write(
        _ elements: [Element], in folder: borrowing OpenFolder, lasting lasts: Bool
    ) throws(SystemError) {
        let list = elements.map { element -> JSON in
            var members = [JSON.Member(name: "manifest", value: .string(element.manifest))]
            switch element.intent {
            case nil: break
            case .append(let before): members += [.init(name: "appendsTo", value: .string(before))]
            case .remove(let before):
                members += [.init(name: "removesFrom", value: .string(before))]
            }
            return .object(members + element.edit.members)
        }
        let json: JSON = ["schema": 3, "edits": .array(list)]
        // Settings may hold secrets, so no other user may read this file.
        let text = json.text(pretty: true) + "\n"
        try folder.replace(Self.name, with: Array(text.utf8), mode: 0o600, lasts: lasts)
    }
}

extension Manifest {
    /// The edits of this manifest that can be undone, the newest one first.
    package func pastEdits() throws(HistoryError) -> [ManifestEdit] {
        try history.edits { try? Manifest.read(path).bytes }
    }

    var history: ManifestHistory {
        ManifestHistory(store: store, manifest: Path.name(of: path))
    }
}

extension ManifestEdit {
    fileprivate init?(_ node: JSONNode) {
        guard let kind = node["kind"]?.string.flatMap(Kind.init),
            let module = node["module"]?.string,
            let elements = node["parts"]?.elements
        else { return nil }
        let parts = elements.compactMap(Part.init)
        guard parts.count == elements.count, !parts.isEmpty else { return nil }
        self.init(
            kind, module, parts, because: node["reason"]?.string, at: node["time"]?.integer)
    }

    /// Takes an edit from the file of an earlier version, which kept swaps and removals in other words.
    fileprivate init?(ofSchema2 node: JSONNode) {
        let bound = { (module: String) in BindingText(of: module).text }
        let time = node["time"]?.integer
        if let service = node["service"]?.string, let to = node["to"]?.string {
            let part = Part(
                [.bindings, service],
                from: node["from"]?.string.map(bound) ?? node["weights"]?.string,
                to: node["share"]?.string ?? bound(to))
            self.init(.swap, to, [part], because: node["reason"]?.string, at: time)
        } else if let module = node["removed"]?.string, let elements = node["services"]?.elements {
            var parts = [Part([.modules, module], from: node["entry"]?.string, to: nil)]
            for service in elements {
                guard let service = service.string else { return nil }
                parts.append(Part([.bindings, service], from: bound(module), to: nil))
            }
            for share in node["shares"]?.elements ?? [] {
                guard let service = share["service"]?.string, let before = share["before"]?.string
                else { return nil }
                parts.append(
                    Part([.bindings, service], from: before, to: share["after"]?.string))
            }
            self.init(.removal, module, parts, at: time)
        } else {
            return nil
        }
    }

    fileprivate var members: [JSON.Member] {
        JSON.members(present: [
            "kind": .string(kind.rawValue), "module": .string(module),
            "parts": .array(parts.map(\.json)), "reason": reason.map(JSON.string),
            "time": time.map(JSON.integer),
        ])
    }
}

extension ManifestEdit.Part {
    fileprivate init?(_ node: JSONNode) {
        guard let elements = node["path"]?.elements else { return nil }
        let path = elements.compactMap(\.string)
        guard path.count == elements.count, !path.isEmpty else { return nil }
        self.init(path, from: node["before"]?.string, to: node["after"]?.string)
    }

    fileprivate var json: JSON {
        ["path": .texts(path), "before": .text(before), "after": .text(after)]
    }
}

/// The reason why an edit was not undone, or not made because it could not be undone later.
package enum HistoryError: Error, Hashable, Sendable, Diagnosable {
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
