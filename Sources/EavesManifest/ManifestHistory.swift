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

    /// The changes of this manifest, the newest one first.
    func changes() throws(HistoryError) -> [PastChange] {
        try read().filter { $0.manifest == manifest }.reversed().map(\.past)
    }

    /// Keeps a change that is made now.
    func append(_ change: ManifestChange) throws(HistoryError) {
        let past = PastChange(change: change, time: time(nil))
        try update { changes in
            changes.append((manifest, past))
            changes.removeFirst(max(0, changes.count - Self.limit))
        }
    }

    /// Forgets the newest changes of this manifest.
    func removeLast(_ count: Int) throws(HistoryError) {
        try update { changes in
            for _ in 0..<count {
                guard let index = changes.lastIndex(where: { $0.manifest == manifest }) else {
                    return
                }
                changes.remove(at: index)
            }
        }
    }

    private typealias Element = (manifest: String, past: PastChange)

    /// Changes the history while no other process does: a manifest that is a link is locked where its
    /// target is, and another one in this folder is locked here.
    private func update(_ body: (inout [Element]) -> Void) throws(HistoryError) {
        do {
            let folder = try store.make()
            let taken = { SystemError(.lock, store.path, .tryAgain) }
            try FileLock.holding(folder.ownPath, within: .seconds(10), orThrow: taken) {
                var changes = try read(in: folder)
                body(&changes)
                try write(changes, in: folder)
            }
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw error as? HistoryError ?? .damaged(path)
        }
    }

    private func read() throws(HistoryError) -> [Element] {
        let folder: OpenFolder?
        do throws(StoreError) { folder = try store.open() } catch { throw .store(error) }
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
            changes.append((named, past))
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
        _ changes: [Element], in folder: borrowing OpenFolder
    ) throws(SystemError) {
        let list = changes.map { manifest, past -> JSON in
            var members = [JSON.Member(name: "manifest", value: .string(manifest))]
            if let time = past.time {
                members.append(JSON.Member(name: "time", value: .integer(time)))
            }
            return .object(members + past.change.members)
        }
        let json: JSON = ["schema": 2, "changes": .array(list)]
        // Settings may hold secrets, so nobody else may read this file.
        let text = json.text(pretty: true) + "\n"
        try folder.replace(Self.name, with: Array(text.utf8), mode: 0o600)
    }
}

extension Manifest {
    /// The changes of this manifest that can be undone, the newest one first.
    ///
    /// - Throws: ``HistoryError`` if the history cannot be read.
    package func pastChanges() throws(HistoryError) -> [PastChange] { try history.changes() }

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
    case store(StoreError)
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
