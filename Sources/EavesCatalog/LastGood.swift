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
        /// The module with its own file.
        fileprivate let own: CatalogEntry
    }

    /// The last good file, if a host loads that in the place of the module's own, which is kept out. Everything else
    /// that the entry says is about this file then, but for ``path`` and ``file``.
    package var standIn: StandIn? { boxedStandIn?.value }

    /// The file that a host loads, as an absolute path.
    package var loadedFile: String { standIn?.file.path ?? file }

    /// The module with its own file, also if that is kept out.
    package var own: CatalogEntry { standIn?.own ?? self }

    /// Says that a module's own file is kept out, and what is loaded instead; `nil` for a module whose own file is.
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

    /// The module with its last good file in the place of its own, which is kept out.
    ///
    /// - Returns: `nil` if there is none, if a host would not load it, or if the manifest demands other bytes.
    func standingIn(
        because record: QuarantineRecord, for host: ScanningHost, unless quarantine: QuarantineCheck
    ) -> CatalogEntry? {
        let manifest = host.manifest
        guard let good = LastGoodStore(manifest.store).file(of: id),
            sha256 == nil || sha256 == good.digest.hex, !quarantine.keepsOut(id, good.digest)
        else { return nil }
        let content = ModuleContent(good.path)
        guard let declaration = content.note?.declaration, declaration.id == id,
            content.problem(in: host.profile) == nil
        else { return nil }
        let version = ModuleVersion(declaration.version)
        if let least = manifest.entry(id)?.leastVersion, version.isOlder(than: least) { return nil }
        var own = self
        own.problem = .quarantined(record)
        var entry = self
        entry.take(content)
        entry.boxedStandIn = Boxed(StandIn(file: good, own: own))
        return entry
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
        let quarantine = QuarantineCheck(QuarantineStore(host.manifest.store))
        let standingIn = entry.standingIn(because: record, for: host, unless: quarantine)
        return standingIn?.standIn?.file.digest == digest ? nil : standingIn
    }
}
