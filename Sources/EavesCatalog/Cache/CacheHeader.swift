// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The first bytes of a cache: what it is, for whom, and where its tables are.
///
/// The tables follow each other: the index, sorted by key; the files; then texts of any length, with
/// the directories behind.
struct CacheHeader {
    /// In bytes.
    static let size = 88
    static let keySize = 8
    static let fileSize = 64
    /// The checksum is of everything from here on.
    static let checkedFrom = 32
    /// Read as text: `eavesCat`.
    private static let magic: UInt64 = 0x7461_4373_6576_6165
    /// To be raised with every change of the format.
    private static let format: UInt64 = 2

    /// The program that read the files: another one may read them in another way.
    var reader: FileIdentity
    var keyCount: Int
    var fileCount: Int
    /// Where the directories stand, and how many they are.
    var directoryStart: Int
    var directoryCount: Int

    var keyStart: Int { Self.size }
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

    /// `nil` for what is no cache, is one of another version, or is damaged.
    init?(_ bytes: [UInt8]) {
        var cursor = CacheCursor(bytes: bytes, offset: 0)
        guard bytes.count >= Self.size, cursor.integer() == Self.magic,
            cursor.integer() == Self.format, cursor.integer() == UInt64(bytes.count),
            cursor.integer() == CacheChecksum.sum(bytes[Self.checkedFrom...]),
            let reader = cursor.identity(),
            let keyCount = cursor.integer(as: UInt32.self),
            let fileCount = cursor.integer(as: UInt32.self),
            let directoryStart = cursor.integer(as: UInt32.self),
            let directoryCount = cursor.integer(as: UInt32.self)
        else { return nil }
        self.init(
            reader: reader, keyCount: Int(keyCount), fileCount: Int(fileCount),
            directoryStart: Int(directoryStart), directoryCount: Int(directoryCount))
        guard textStart <= bytes.count else { return nil }
    }

    /// The whole cache.
    ///
    /// - Parameter content: What stands behind the header.
    func image(_ content: CacheText) -> [UInt8] {
        var checked = CacheText()
        checked.add(reader)
        for number in [keyCount, fileCount, directoryStart, directoryCount] {
            checked.add(UInt32(number))
        }
        checked.add(content)
        var image = CacheText()
        image.add(Self.magic)
        image.add(Self.format)
        image.add(UInt64(Self.checkedFrom + checked.bytes.count))
        image.add(CacheChecksum.sum(checked.bytes[...]))
        image.add(checked)
        return image.bytes
    }
}
