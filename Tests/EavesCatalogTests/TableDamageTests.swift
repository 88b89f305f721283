// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesCatalog

@Suite("A table that is not as it should be")
struct TableDamageTests {
    private let folder: TemporaryFolder
    private let expected: Catalog

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            #"{ "manifest": 1, "modules": { "l": { "library": "vendor/l.so" } } }"#,
            to: "manifest.json")
        try folder.add(.sample("users", provides: ["UserService"], features: ["users"]))
        try folder.add(.sample("l", requires: ["UserService"]), as: "vendor/l.so")
        try folder.createFolder("Plugins/Empty")
        expected = try folder.catalogWithoutTable()
        #expect(expected.entries.map(\.state) == [.ready, .ready])
        _ = try folder.catalogLater()
        #expect(try folder.catalogLater().readCount == 0)
    }

    private func expectSame(with bytes: some Collection<UInt8>) throws {
        try folder.putTable(bytes)
        #expect(NarrowModules(try folder.load()) == nil, "a launch believes it")
        let catalog = try folder.catalogLater()
        #expect(catalog.readCount == 2)
        #expect(catalog.entries == expected.entries)
    }

    @Test("one that was cut anywhere is made anew")
    func truncated() throws {
        let bytes = try Files.read(folder.table)
        for length in Soak.sample(bytes.indices, every: 20) {
            try expectSame(with: bytes[..<length])
        }
        try expectSame(with: bytes + [0])
    }

    @Test("one with a byte that differs anywhere is made anew")
    func flipped() throws {
        let bytes = try Files.read(folder.table)
        for index in Soak.sample(bytes.indices, every: 20) {
            var damaged = bytes
            damaged[index] ^= 1 << UInt8(index % 8)
            try expectSame(with: damaged)
        }
        #expect(try Files.read(folder.table) == bytes)
    }

    @Test("one that is wrong everywhere and has a right checksum crashes nothing")
    func resealed() throws {
        let bytes = try Files.read(folder.table)
        for index in Soak.sample(content(of: bytes).indices, every: 20) {
            var damaged = content(of: bytes)
            damaged[index] = [0, 0x7F, 0xFF][index % 3]
            try folder.putTable(sealed(damaged))
            let narrow = NarrowModules(try folder.load())
            _ = narrow?.modules(offering: "users")
            let catalog = try folder.catalogLater()
            _ = (catalog.modules(offering: "users"), catalog.entries)
        }
    }

    /// Everything that the checksum protects.
    private func content(of bytes: [UInt8]) -> [UInt8] {
        Array(bytes[CatalogTable.Head.checksumEnd...])
    }

    /// A whole table with this content and a right checksum.
    private func sealed(_ content: [UInt8]) -> [UInt8] {
        var bytes = [
            CatalogTable.Head.magic, UInt64(CatalogTable.Head.checksumEnd + content.count),
        ]
        .flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
        let whole = bytes + [UInt8](repeating: 0, count: 8) + content
        let checksum = CatalogTable.checksum(of: whole)
        bytes += withUnsafeBytes(of: checksum) { Array($0) }
        return bytes + content
    }

    @Test("a whole table that is sealed again is believed")
    func sealedAgain() throws {
        try folder.putTable(sealed(content(of: Files.read(folder.table))))
        #expect(try folder.catalogLater().readCount == 0)
    }

    @Test("rows have no padding, so that equal tables have equal bytes")
    func rowsWithoutPadding() {
        func expectDense<Row>(_ row: Row) {
            let members = Mirror(reflecting: row).children.map { size(of: $0.value) }
            #expect(members.reduce(0, +) == MemoryLayout<Row>.stride, "\(Row.self)")
        }
        func size(of value: Any) -> Int {
            func size<Value>(_ value: Value) -> Int { MemoryLayout<Value>.size }
            return _openExistential(value, do: size)
        }
        expectDense(CatalogTable.Head(program: .none))
        expectDense(CatalogTable.KeyRow(hash: 0, file: 0))
        expectDense(CatalogTable.FileRow(kind: 0, record: 0))
    }

    @Test("one of an older or a newer version, or of another program, is made anew")
    func otherVersions() throws {
        let bytes = try Files.read(folder.table)
        let version = bytes[0]
        for other in [version - 1, version + 1] {
            var bytes = bytes
            bytes[0] = other
            try expectSame(with: bytes)
            #expect(try Files.read(folder.table)[0] == version)
        }
        for place in [0, 24] {
            var other = content(of: bytes)
            other[place] ^= 99
            try expectSame(with: sealed(other))
            #expect(try Files.read(folder.table) == bytes)
        }
    }

    @Test("one that others could have written is not believed")
    func writableByOthers() throws {
        for mode: mode_t in [0o620, 0o602, 0o666] {
            #expect(chmod(folder.table, mode) == 0)
            #expect(try folder.catalogLater().readCount == 2)
            // It was replaced by one that only we can write.
            #expect(try FileStatus(path: folder.table).mode == 0o600)
            #expect(try folder.catalogLater().readCount == 0)
        }
    }

    @Test(
        "one that belongs to somebody else is not believed",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        #expect(chown(folder.table, 12_345, 12_345) == 0)
        #expect(try folder.catalogLater().readCount == 2)
        #expect(try FileStatus(path: folder.table).owner == 0)
    }

    @Test("no store is made in somebody else's folder", .enabled(if: geteuid() == 0, "needs root"))
    func foreignFolder() throws {
        try Files.removeTree(Path.join(folder.path, ".eaves"))
        #expect(chown(folder.path, 12_345, 12_345) == 0)
        // The gate is before the store.
        #expect(throws: ManifestError.self) { try folder.catalogLater() }
        #expect((try? FileStatus(path: Path.join(folder.path, ".eaves"))) == nil)
    }

    @Test("where there can be none, everything is as with one")
    func unwritable() throws {
        let store = Path.join(folder.path, ".eaves")
        try Files.removeTree(store)
        try folder.write("in the way", to: ".eaves")
        for _ in 0..<2 { #expect(try folder.catalogLater().entries == expected.entries) }
        try Files.remove(store)
        try folder.createFolder(".eaves/catalog")
        for _ in 0..<2 { #expect(try folder.catalogLater().entries == expected.entries) }
        #expect(try Folder(store).entries.map(\.name) == ["catalog"])
    }
}
