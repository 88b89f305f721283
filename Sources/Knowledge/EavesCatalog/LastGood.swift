// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesManifest
package import EavesQuarantine
package import EavesSystem
import EavesTrust

// The last good file of a module whose own file is kept out.
extension CatalogEntry {
    /// A file that takes the place of the module's own.
    package struct StandIn: Hashable, Sendable {
        package let file: LastGoodFile
        fileprivate let own: CatalogEntry
    }

    /// The last good file, if a host loads that in the place of the module's own, which is kept out. Everything else
    /// that the entry says is about this file then, except ``path`` and ``file``.
    package var standIn: StandIn? { boxedStandIn?.value }

    /// The file that a host loads, as an absolute path.
    package var loadedFile: String { standIn?.file.path ?? file }

    /// The module with its own file, also if that is kept out.
    package var own: CatalogEntry { standIn?.own ?? self }

    /// The warning that a module's own file is kept out, and which one is loaded instead; `nil` for a module whose own
    /// file is loaded.
    package var standInWarning: Diagnostic? {
        guard let standIn, let reason = standIn.own.diagnostics.first else { return nil }
        return Diagnostic(
            "\(reason.message); the last good file takes its place: \(standInWords)",
            fix: reason.fix, code: reason.code)
    }

    /// The version of the last good file, and since when it is kept: `version 1.0.0, kept since …`. Empty for a module
    /// whose own file is loaded.
    package var standInWords: String {
        guard let standIn else { return "" }
        let version = declaration?.version ?? ""
        return "version \(version), kept since \(WallClock.text(of: standIn.file.since))"
    }

    /// The module when its own file is kept out. Its last good file takes the place of it, if there is one, if a host
    /// would load it, and if the manifest demands no other bytes.
    func keptOut(
        because record: QuarantineRecord, for host: ScanningHost,
        knowing findings: inout ScanFindings
    ) -> CatalogEntry {
        var own = self
        own.problem = .quarantined(record)
        guard let (file, content) = findings.lastGoodFiles.find(id),
            sha256 == nil || sha256 == file.digest.hex,
            findings.quarantine.obstacle(to: id, file.digest) == nil,
            let declaration = content.note?.declaration, declaration.id == id,
            content.problem(in: host.profile) == nil
        else { return own }
        let version = ModuleVersion(declaration.version)
        if let least = host.manifest.entry(id)?.leastVersion, version.isOlder(than: least) {
            return own
        }
        var entry = self
        entry.take(content)
        entry.boxedStandIn = Boxed(StandIn(file: file, own: own))
        return entry
    }
}

/// The last good files of a manifest's modules, each read and compared with its digest once.
struct LastGoodFiles: Sendable {
    typealias Found = (file: LastGoodFile, content: ModuleContent)

    private let store: LastGoodStore
    private var known: [String: Found?] = [:]

    init(_ manifest: Manifest) {
        store = LastGoodStore(manifest.store)
    }

    mutating func find(_ id: String) -> Found? {
        if let known = known[id] { return known }
        let found = store.file(of: id).map { ($0, ModuleContent($0.path)) }
        known[id] = .some(found)
        return found
    }
}

extension Catalog {
    /// A module as hosts would have it if its own file were kept out, and its last good file took its place.
    ///
    /// - Parameters:
    ///   - reason: Why the file were kept out.
    ///   - digest: The digest of the file.
    /// - Returns: `nil` if no host would load a last good file, or if that is the module's own one.
    package func entry(
        _ id: String, keptOutBecause reason: String, _ digest: SHA256Digest
    ) -> CatalogEntry? {
        guard let entry = entry(id), entry.standIn == nil else { return nil }
        let record = QuarantineRecord(
            keepingOut: id, entry.path, digest, since: WallClock.second, because: reason)
        var findings = ScanFindings(host.manifest)
        let kept = entry.keptOut(because: record, for: host, knowing: &findings)
        guard let standIn = kept.standIn, standIn.file.digest != digest else { return nil }
        return kept
    }
}
