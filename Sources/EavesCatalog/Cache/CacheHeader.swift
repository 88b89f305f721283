// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The first bytes of a cache's content: for whom it is, and where its tables are.
///
/// The tables follow each other: the index, sorted by key; the files; then texts of any length, with
/// the directories behind.
struct CacheHeader {
    /// Where it ends. In bytes.
    static let end = CacheSeal.start + 56
    static let keySize = 8
    static let fileSize = 64

    /// The program that read the files: another one may read them in another way.
    var reader: FileIdentity
    var keyCount: Int
    var fileCount: Int
    /// Where the directories stand, and how many they are.
    var directoryStart: Int
    var directoryCount: Int

    var keyStart: Int { Self.end }
    var fileStart: Int { keyStart + keyCount * Self.keySize }
    var textStart: Int { fileStart + fileCount * Self.fileSize }

    init(
        reader: FileIdentity, keyCount: Int, fileCount: Int, directoryStart: Int,
        directoryCount: Int
    ) {
        self.reader = reader
        self.keyCount = keyCount
        self.fileCount = fileCount
        self.directoryStart = directoryStart
        self.directoryCount = directoryCount
    }

    /// `nil` if it is not all there.
    init?(_ bytes: CacheBytes) {
        var cursor = CacheCursor(bytes: bytes, offset: CacheSeal.start)
        guard let reader = cursor.identity(),
            let keyCount = cursor.integer(as: UInt32.self),
            let fileCount = cursor.integer(as: UInt32.self),
            let directoryStart = cursor.integer(as: UInt32.self),
            let directoryCount = cursor.integer(as: UInt32.self)
        else { return nil }
        self.init(
            reader: reader, keyCount: Int(keyCount), fileCount: Int(fileCount),
            directoryStart: Int(directoryStart), directoryCount: Int(directoryCount))
        guard textStart <= bytes.end else { return nil }
    }

    /// The whole cache.
    ///
    /// - Parameter tables: What stands behind the header.
    func image(_ tables: CacheText) -> [UInt8] {
        var content = CacheText()
        content.add(reader)
        for number in [keyCount, fileCount, directoryStart, directoryCount] {
            content.add(UInt32(number))
        }
        content.add(tables)
        return CacheSeal.sealed(content.bytes)
    }
}
