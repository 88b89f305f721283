// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
package import EavesSystem
package import EavesTrust
import Glibc

/// The changes that can be undone: the file `history.json` in the store, with the last change at its
/// end. Manifests in the same folder share the store, so each change names its manifest.
struct ManifestHistory: Sendable {
    private let store: Store
    /// The file name of the manifest.
    private let manifest: String
    private static let name = "history.json"
    var path: String { store.path(of: Self.name) }
    /// The history forgets older changes.
    private static let limit = 100

    init(store: Store, manifest: String) {
        self.store = store
        self.manifest = manifest
    }

    /// The changes of this manifest that count, the newest one first.
    ///
    /// - Parameter text: Reads the text that the manifest has now. Asked only if a process was killed while it
    ///   changed the manifest.
    func changes(of text: () -> [UInt8]?) throws(HistoryError) -> [PastChange] {
        let elements = try read().filter { $0.manifest == manifest }
        let digest = elements.contains { $0.intent != nil } ? Self.digest(text()) : nil
        return elements.filter { $0.counts(at: digest) }.reversed().map(\.past)
    }

    // A save writes three times: what it is about to do, the manifest, and that it is done. Killed in between,
    // it leaves an intent, which is true or not by the text that the manifest has then: the old one or the new.

    /// Notes a change that is about to be made.
    ///
    /// - Parameter text: The text of the manifest before it.
    func willAppend(_ change: ManifestChange, to text: [UInt8]) throws(HistoryError) {
        let digest = Self.digest(text)
        try update { elements in
            settle(&elements, at: digest)
            let past = PastChange(change: change, time: time(nil))
            elements.append(
                Element(manifest: manifest, past: past, intent: digest.map(Intent.append)))
            elements.removeFirst(max(0, elements.count - Self.limit))
        }
    }

    /// Notes that the newest changes of this manifest are about to be undone.
    ///
    /// - Parameter text: The text of the manifest before that.
    func willRemoveLast(_ count: Int, from text: [UInt8]) throws(HistoryError) {
        let digest = Self.digest(text)
        try update { elements in
            settle(&elements, at: digest)
            let own = elements.indices.filter { elements[$0].manifest == manifest }
            for index in own.suffix(count) { elements[index].intent = digest.map(Intent.remove) }
        }
    }

    /// Forgets the newest changes of this manifest.
    func removeLast(_ count: Int) throws(HistoryError) {
        try update { elements in
            let own = elements.indices.filter { elements[$0].manifest == manifest }
            for index in own.suffix(count).reversed() { elements.remove(at: index) }
        }
    }

    /// Notes what has become of the intents. A process that is killed before leaves that to the next one, so
    /// nobody waits for the disk.
    ///
    /// - Parameter text: The text that the manifest has now.
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

    /// A change in the file.
    private struct Element {
        let manifest: String
        let past: PastChange
        /// `nil` for a change that was made.
        var intent: Intent?

        /// Whether the change was made and not undone, if the manifest has this digest.
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
                var changes = try read(in: folder)
                body(&changes)
                try write(changes, in: folder, lasting: lasts)
            }
        } catch let error as SystemError {
            throw .system(error)
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
        // There was no change yet.
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
            throw .system(error)
        }
        guard let root = try? JSONNode.parse(bytes), let elements = Self.elements(of: root) else {
            throw .damaged(path)
        }
        var changes: [Element] = []
        for element in elements {
            let named = root["schema"]?.integer == 1 ? manifest : element["manifest"]?.string
            guard let named, let change = ManifestChange(element) else { throw .damaged(path) }
            let past = PastChange(change: change, time: element["time"]?.integer)
            let intent =
                element["appendsTo"]?.string.map(Intent.append)
                ?? element["removesFrom"]?.string.map(Intent.remove)
            changes.append(Element(manifest: named, past: past, intent: intent))
        }
        return changes
    }

    /// The changes in the text of a history. Until schema 2 there were only swaps, and only one manifest.
    private static func elements(of root: JSONNode) -> [JSONNode]? {
        switch root["schema"]?.integer {
        case 1: root["swaps"]?.elements
        case 2: root["changes"]?.elements
        default: nil
        }
    }

    private func write(
        _ changes: [Element], in folder: borrowing OpenFolder, lasting lasts: Bool
    ) throws(SystemError) {
        let list = changes.map { element -> JSON in
            var members = [JSON.Member(name: "manifest", value: .string(element.manifest))]
            if let time = element.past.time {
                members.append(JSON.Member(name: "time", value: .integer(time)))
            }
            switch element.intent {
            case nil: break
            case .append(let before):
                members.append(JSON.Member(name: "appendsTo", value: .string(before)))
            case .remove(let before):
                members.append(JSON.Member(name: "removesFrom", value: .string(before)))
            }
            return .object(members + element.past.change.members)
        }
        let json: JSON = ["schema": 2, "changes": .array(list)]
        // Settings may hold secrets, so nobody else may read this file.
        let text = json.text(pretty: true) + "\n"
        try folder.replace(Self.name, with: Array(text.utf8), mode: 0o600, lasts: lasts)
    }
}

extension Manifest {
    /// The changes of this manifest that can be undone, the newest one first.
    ///
    /// - Throws: ``HistoryError`` if the history cannot be read.
    package func pastChanges() throws(HistoryError) -> [PastChange] {
        try history.changes { try? Manifest.read(path).bytes }
    }

    /// The history of the changes of this manifest.
    var history: ManifestHistory {
        ManifestHistory(store: store, manifest: Path.name(of: path))
    }
}

extension ManifestChange {
    fileprivate init?(_ node: JSONNode) {
        if let service = node["service"]?.string, let to = node["to"]?.string {
            self = .swap(
                Swap(
                    service: service, from: node["from"]?.string,
                    weights: node["weights"]?.string, to: to, share: node["share"]?.string,
                    reason: node["reason"]?.string))
        } else if let module = node["removed"]?.string, let elements = node["services"]?.elements {
            let services = elements.compactMap(\.string)
            let shared = node["shares"]?.elements ?? []
            let shares = shared.compactMap(Removal.Share.init)
            guard services.count == elements.count, shares.count == shared.count else { return nil }
            self = .removal(
                Removal(
                    module: module, entry: node["entry"]?.string, services: services,
                    shares: shares))
        } else {
            return nil
        }
    }

    fileprivate var members: [JSON.Member] {
        switch self {
        case .swap(let swap):
            [
                JSON.Member(name: "service", value: .string(swap.service)),
                JSON.Member(name: "from", value: swap.from.map { .string($0) } ?? .null),
                JSON.Member(name: "weights", value: swap.weights.map { .string($0) } ?? .null),
                JSON.Member(name: "to", value: .string(swap.to)),
            ] + swap.share.map { [JSON.Member(name: "share", value: .string($0))] }.orEmpty
                + swap.reason.map { [JSON.Member(name: "reason", value: .string($0))] }.orEmpty
        case .removal(let removal):
            [
                JSON.Member(name: "removed", value: .string(removal.module)),
                JSON.Member(name: "entry", value: removal.entry.map { .string($0) } ?? .null),
                JSON.Member(name: "services", value: .array(removal.services.map { .string($0) })),
                JSON.Member(name: "shares", value: .array(removal.shares.map(\.json))),
            ]
        }
    }
}

extension [JSON.Member]? {
    fileprivate var orEmpty: [JSON.Member] { self ?? [] }
}

extension Removal.Share {
    fileprivate init?(_ node: JSONNode) {
        guard let service = node["service"]?.string, let before = node["before"]?.string else {
            return nil
        }
        self.init(service: service, before: before, after: node["after"]?.string)
    }

    fileprivate var json: JSON {
        [
            "service": .string(service), "before": .string(before),
            "after": after.map { .string($0) } ?? .null,
        ]
    }
}

/// The reason why a change was not undone, or not made because it could not be undone later.
package enum HistoryError: Error, Hashable, Sendable {
    case nothingToUndo
    /// So many steps were to be undone, and the history has only these.
    case tooFew(asked: Int, found: Int)
    /// A change behind the newest one cannot be undone; `number` says which one, as the history counts them.
    indirect case step(number: Int, of: Int, HistoryError)
    /// The manifest is not as the last change left it. `history` is the file that keeps the change.
    case changedSince(ManifestChange, HistoryDifference, history: String)
    /// The file of the history, at this path, is not what Eaves wrote.
    case damaged(String)
    /// The store cannot be used.
    case store(PlaceError)
    case system(SystemError)
}

extension HistoryError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .nothingToUndo:
            [
                Diagnostic(
                    "there is no swap or removal to undo",
                    fix: "bind a service with 'eaves swap SERVICE MODULE'", code: .notFound)
            ]
        case .tooFew(let asked, let found):
            [
                Diagnostic(
                    "there \(found == 1 ? "is 1 change" : "are \(found) changes") to undo, and "
                        + "\(asked) were asked for; nothing was undone",
                    fix: "see them with 'eaves history'", code: .notFound)
            ]
        case .step(let number, let count, let reason):
            reason.diagnostics.map { diagnostic in
                Diagnostic(
                    "change \(number) of \(count) cannot be undone, so none was: "
                        + diagnostic.message, fix: diagnostic.fix, code: diagnostic.code)
            }
        case .changedSince(let change, let found, let history):
            [
                Diagnostic(
                    Self.words(change, found), fix: Self.fix(change, found, history),
                    code: .configuration)
            ]
        case .damaged(let path):
            [
                Diagnostic(
                    "\(path): expected the history that eaves wrote, found something else",
                    fix: "remove it; the manifest stays as it is", code: .badData)
            ]
        case .store(let error): error.diagnostics
        case .system(let error): error.diagnostics
        }
    }

    private static func words(_ change: ManifestChange, _ found: HistoryDifference) -> String {
        let binding =
            if case .binding(_, let module?) = found { "'\(module)'" } else { "no binding" }
        switch (change, found) {
        case (.swap(let swap), _):
            let expected = swap.sharesAfter ?? swap.to
            return "\(swap.service): expected it bound to '\(expected)', as the last swap left it, "
                + "found \(binding)"
        case (.removal(let removal), .entry):
            return "modules.\(removal.module): expected no entry, as 'eaves remove "
                + "\(removal.module)' left it, found one"
        case (.removal(let removal), .binding(let service, _)):
            let left = removal.shares.first { $0.service == service }?.after
            return "bindings.\(service): expected \(left.map { "'\($0)'" } ?? "no binding"), as "
                + "'eaves remove \(removal.module)' left it, found \(binding)"
        }
    }

    private static func fix(
        _ change: ManifestChange, _ found: HistoryDifference, _ history: String
    ) -> String {
        let file = Path.relative(history, to: Path.current)
        switch (change, found) {
        case (.swap(let swap), _):
            if let weights = swap.weights {
                return "to go back, write the weights into the manifest: \(weights.quoted)"
            }
            return swap.from.map { "choose with 'eaves swap \(swap.service) \($0)'" }
                ?? "remove the binding from the manifest"
        case (.removal, .entry):
            return "keep the new entry, and copy what it lacks from \(file)"
        case (.removal(let removal), .binding(let service, _))
        where removal.shares.contains { $0.service == service }:
            return "write the weights that you want into the manifest; \(file) has the old ones"
        case (.removal, .binding):
            return "remove the binding from the manifest, and run 'eaves rollback' again"
        }
    }
}
