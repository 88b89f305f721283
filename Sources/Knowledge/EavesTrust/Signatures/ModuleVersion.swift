// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesSystem

/// A module's version, as `module.json` has it.
///
/// Versions have the order of Semantic Versioning: the parts between the dots count one by one, numbers
/// as numbers; `1.0` is `1.0.0`; `1.0.0-beta` is older than `1.0.0`; what follows a `+` does not count.
package struct ModuleVersion: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package func isOlder(than other: ModuleVersion) -> Bool {
        let (mine, theirs) = (parts, other.parts)
        let count = max(mine.release.count, theirs.release.count)
        for index in 0..<count {
            let order = Self.order(
                index < mine.release.count ? mine.release[index] : "0",
                index < theirs.release.count ? theirs.release[index] : "0")
            if order != 0 { return order < 0 }
        }
        guard let preview = mine.preview else { return false }
        guard let others = theirs.preview else { return true }
        for (mine, other) in zip(preview, others) {
            let order = Self.order(mine, other)
            if order != 0 { return order < 0 }
        }
        return preview.count < others.count
    }

    /// The parts before the first dash and behind it, without what follows a plus.
    private var parts: (release: [Substring], preview: [Substring]?) {
        let counted = text.prefix { $0 != "+" }
        let release = counted.prefix { $0 != "-" }
        let preview = counted.dropFirst(release.count + 1)
        return (
            release.split(separator: ".", omittingEmptySubsequences: false),
            release.count == counted.count
                ? nil : preview.split(separator: ".", omittingEmptySubsequences: false)
        )
    }

    /// Negative if one part comes before another, 0 if they are equal. Numbers come before words.
    private static func order(_ left: Substring, _ right: Substring) -> Int {
        guard let left = number(left) else {
            return number(right) != nil ? 1 : left == right ? 0 : left < right ? -1 : 1
        }
        guard let right = number(right) else { return -1 }
        if left.count != right.count { return left.count - right.count }
        return left == right ? 0 : left < right ? -1 : 1
    }

    /// The digits without leading zeros, however many; `nil` for anything else.
    private static func number(_ part: Substring) -> Substring? {
        guard !part.isEmpty, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return part.drop { $0 == "0" }
    }

    package var description: String { text }
}

/// The reason why a module's version is not accepted.
package enum VersionError: Error, Hashable, Sendable, Diagnosable {
    case tooOld(found: ModuleVersion, least: ModuleVersion)
    /// The module has to be signed, and a newer version of it was loaded before.
    case replaced(module: String, found: ModuleVersion, newest: ModuleVersion)
    /// The bytes that were checked do not tell the version of this module.
    case unknown(module: String)
    /// The file with the versions that were accepted before cannot be used.
    case store(PlaceError)
    /// The file that should have them holds something else.
    case damaged(String)

    package var diagnostic: Diagnostic {
        switch self {
        case .tooOld(let found, let least):
            Diagnostic(
                "expected version \(least) or newer, as the manifest asks, found \(found)",
                fix: "put the newer version back, or correct 'leastVersion' in the manifest if "
                    + "the older one is meant",
                code: .untrusted)
        case .replaced(let module, let found, let newest):
            Diagnostic(
                "expected version \(newest) or newer, which was loaded before, found \(found)",
                fix: "put the newer version back; to go back on purpose, pin the older one: "
                    + "'eaves pin \(module.shellWord)'",
                code: .untrusted)
        case .unknown(let module):
            Diagnostic(
                "expected the version of '\(module)' in its note, found none",
                fix: "put the module back that was there, or build it again", code: .untrusted)
        case .store(let error): error.diagnostic
        case .damaged(let path):
            Diagnostic(
                "\(path): expected the versions that eaves accepted, found something else",
                fix: "put a copy back; else run 'rm \(path.shellPath)', and older versions count",
                code: .untrusted)
        }
    }
}

/// The newest version of each signed module that a host has loaded: `.eaves/accepted.json`.
///
/// An old signature stays valid for ever, so a signed module could be replaced by an older one that has a
/// known fault. That is refused, unless the manifest pins the very bytes of the older one.
package struct AcceptedVersions: Sendable {
    private static let name = "accepted.json"
    private static let format = 1
    /// A limit for the size of the file, so that a wrong file cannot exhaust memory. In bytes.
    private static let sizeLimit = 16 << 20

    private let store: Store

    package init(in store: Store) {
        self.store = store
    }

    /// The file's path, for messages.
    package var path: String { store.path(of: Self.name) }

    package func newest(of module: String) throws(VersionError) -> ModuleVersion? {
        do {
            guard let folder = try store.open() else { return nil }
            return try read(folder)[module]
        } catch {
            throw versionError(error)
        }
    }

    /// Remembers that a version was accepted, unless it is older than the one that is known.
    package func accept(_ version: ModuleVersion, of module: String) throws(VersionError) {
        if let newest = try newest(of: module), !newest.isOlder(than: version) { return }
        do {
            let folder = try store.make()
            let taken = { SystemError(.lock, store.path, .tryAgain) }
            try FileLock.holding(folder.ownPath, within: .seconds(10), orThrow: taken) {
                var versions = try read(folder)
                // Another process may have accepted a newer one meanwhile.
                if let newest = versions[module], !newest.isOlder(than: version) { return }
                versions[module] = version
                try folder.replace(Self.name, with: Self.bytes(of: versions), mode: 0o600)
            }
        } catch {
            throw versionError(error)
        }
    }

    private func versionError(_ error: any Error) -> VersionError {
        switch error {
        case let error as VersionError: error
        case let error as PlaceError: .store(error)
        default: .store(.system(error as? SystemError ?? SystemError(.write, path)))
        }
    }

    /// Reads the file in the open store, and no link. A missing one holds no versions.
    private func read(_ folder: borrowing OpenFolder) throws -> [String: ModuleVersion] {
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(reading: Self.name, in: folder, path: path, followsLink: false)
        } catch {
            if error.errno == .noSuchFile { return [:] }
            throw error
        }
        let status = try file.status()
        let error = TrustCheck.own.error(
            of: status, at: TrustPlace(path, .store),
            seenAs: PathHandle.ownPath(of: file.descriptor))
        if let error { throw PlaceError.untrusted(error) }
        guard status.kind == .file, status.size <= Self.sizeLimit else {
            throw VersionError.damaged(path)
        }
        let bytes = try file.bytes(at: 0, count: status.size)
        guard let root = try? JSONNode.parse(bytes), root["accepted"]?.integer == Self.format,
            let members = root["modules"]?.members
        else { throw VersionError.damaged(path) }
        var versions: [String: ModuleVersion] = [:]
        for member in members {
            guard let text = member.value.string else { throw VersionError.damaged(path) }
            versions[member.name] = ModuleVersion(text)
        }
        return versions
    }

    private static func bytes(of versions: [String: ModuleVersion]) -> [UInt8] {
        let modules = versions.sorted { $0.key < $1.key }.map {
            JSON.Member(name: $0.key, value: .string($0.value.text))
        }
        let json: JSON = ["accepted": .integer(format), "modules": .object(modules)]
        return Array((json.text(pretty: true) + "\n").utf8)
    }
}
