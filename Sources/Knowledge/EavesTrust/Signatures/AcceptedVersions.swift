// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesSystem

/// The newest version of each signed module that a host has loaded: `.eaves/accepted.json`.
///
/// An old signature stays valid for ever, so a signed module could be replaced by an older one that has a
/// known fault. That is refused, unless the manifest pins the very bytes of the older one.
package struct AcceptedVersions: Sendable {
    private static let name = "accepted.json"
    private static let format = 1
    /// How long to wait for another process that writes the file.
    private static let patience = Duration.seconds(10)
    /// A limit for the size of the file, so that a wrong file cannot exhaust memory. In bytes.
    private static let sizeLimit = 16 << 20

    private let store: Store

    package init(in store: Store) {
        self.store = store
    }

    /// The file's path, for messages.
    package var path: String { store.path(of: Self.name) }

    package func newest(of module: String) throws(AcceptedVersionsError) -> ModuleVersion? {
        switch try open() {
        case .some(let folder): return try read(folder).first { $0.module == module }?.version
        case .none: return nil
        }
    }

    /// Remembers that a version was accepted, unless it is older than the one that is known.
    package func accept(
        _ version: ModuleVersion, of module: String
    ) throws(AcceptedVersionsError) {
        if let newest = try newest(of: module), !newest.isOlder(than: version) { return }
        do {
            let folder = try store.make()
            try FileLock.holding(
                PathHandle.ownPath(of: folder.descriptor), within: Self.patience,
                orThrow: { AcceptedVersionsError.locked(store.path) }
            ) {
                // Another process may have accepted a newer one meanwhile.
                guard let versions = Self.accepting(version, of: module, by: try read(folder))
                else { return }
                try folder.replace(Self.name, with: Self.bytes(of: versions), mode: 0o600)
            }
        } catch let error as AcceptedVersionsError {
            throw error
        } catch let error as PlaceError {
            throw .store(error)
        } catch {
            throw .store(.system(error as? SystemError ?? SystemError(.write, path)))
        }
    }

    /// The versions once one of them was accepted; `nil` if a version as new is known already.
    static func accepting(
        _ version: ModuleVersion, of module: String,
        by known: [(module: String, version: ModuleVersion)]
    ) -> [(module: String, version: ModuleVersion)]? {
        var versions = known
        if let index = versions.firstIndex(where: { $0.module == module }) {
            guard versions[index].version.isOlder(than: version) else { return nil }
            versions[index].version = version
        } else {
            versions.append((module, version))
        }
        return versions
    }

    private func open() throws(AcceptedVersionsError) -> OpenFolder? {
        do throws(PlaceError) { return try store.open() } catch { throw .store(error) }
    }

    /// Reads the file in the open store, and no link. A missing one holds no versions.
    private func read(
        _ folder: borrowing OpenFolder
    ) throws(AcceptedVersionsError) -> [(module: String, version: ModuleVersion)] {
        let bytes: [UInt8]
        do {
            let file = try OpenFile(
                reading: Self.name, in: folder, path: path, followsLink: false)
            let status = try file.status()
            let seen = PathHandle.ownPath(of: file.descriptor)
            let place = TrustPlace(path, .store)
            if let error = TrustRule.error(of: status, at: place, .own, seenAs: seen) {
                throw error
            }
            guard status.kind == .file, status.size <= Self.sizeLimit else {
                throw AcceptedVersionsError.damaged(path)
            }
            bytes = try file.bytes(at: 0, count: status.size)
        } catch let error as AcceptedVersionsError {
            throw error
        } catch let error as TrustError {
            throw .store(.untrusted(error))
        } catch {
            let error = error as? SystemError ?? SystemError(.read, path)
            if error.errno == .noSuchFile { return [] }
            throw .store(.system(error))
        }
        guard let root = try? JSONNode.parse(bytes), root["accepted"]?.integer == Self.format,
            let members = root["modules"]?.members
        else { throw .damaged(path) }
        var versions: [(module: String, version: ModuleVersion)] = []
        for member in members {
            guard let text = member.value.string else { throw .damaged(path) }
            versions.append((member.name, ModuleVersion(text)))
        }
        return versions
    }

    private static func bytes(of versions: [(module: String, version: ModuleVersion)]) -> [UInt8] {
        let modules = versions.map { JSON.Member(name: $0.module, value: .string($0.version.text)) }
        let json: JSON = ["accepted": .integer(format), "modules": .object(modules)]
        return Array((json.text(pretty: true) + "\n").utf8)
    }
}

/// The reason why the accepted versions cannot be read or written.
package enum AcceptedVersionsError: Error, Hashable, Sendable {
    case store(PlaceError)
    case damaged(String)
    /// Another process held the lock of the store all the time.
    case locked(String)
}

extension AcceptedVersionsError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .store(let error): error.diagnostic
        case .damaged(let path):
            Diagnostic(
                "\(path): expected the versions that eaves accepted, found something else",
                fix: "remove it, and eaves begins a new one: 'rm \(path.shellPath)'",
                code: .untrusted)
        case .locked(let path):
            Diagnostic(
                "another process has locked \(path) for longer than 10 seconds",
                fix: "wait until it has ended, or end it", code: .inputOutput)
        }
    }
}
