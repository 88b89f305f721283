// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

extension TemporaryFolder {
    /// The catalog's table in the store of this folder's manifest.
    var table: String { Path.join(path, ".eaves/catalog") }

    func load() throws -> Manifest {
        try Manifest.load(Path.join(path, "manifest.json"))
    }

    /// Returns the catalog by the table, a minute from now, when all files have settled.
    func catalogLater() throws -> Catalog {
        let manifest = try load()
        return catalog(manifest, at: WallClock.now + 60_000_000_000)
    }

    func catalogWithoutTable() throws -> Catalog {
        let catalog = Catalog(
            manifest: try load(), profile: .sample, table: nil, clock: { WallClock.now })
        _ = catalog.readCount
        return catalog
    }

    /// A catalog that has looked at all files, at this time.
    func catalog(_ manifest: Manifest, at time: Int64) -> Catalog {
        let catalog = Catalog(
            manifest: manifest, profile: .sample, table: TableFile(in: manifest.store),
            clock: { time })
        _ = catalog.readCount
        return catalog
    }

    /// Writes a table, without waiting for the disk.
    func putTable(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        let file = try #require(fopen(table, "w"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
    }

    /// Replaces what is in a file and leaves the file as it is otherwise; ends when the file system's
    /// clock has ticked.
    func overwrite(_ bytes: [UInt8], in path: String) throws {
        let before = try FileStatus(path: path).changed
        repeat {
            let file = try #require(fopen(path, "r+"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        } while try FileStatus(path: path).changed == before
    }
}

/// Both say the same of everything.
func expectSame(
    _ catalog: Catalog, _ other: Catalog, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(catalog.entries == other.entries, sourceLocation: sourceLocation)
    #expect(catalog.diagnostics == other.diagnostics, sourceLocation: sourceLocation)
    for entry in other.entries {
        #expect(catalog.entry(entry.id) == other.entry(entry.id), sourceLocation: sourceLocation)
    }
}
