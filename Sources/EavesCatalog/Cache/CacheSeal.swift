// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What tells whether the bytes of a cache are as they were written, block by block: who needs little of
/// a long one reads and checks little.
///
/// Before the content stand four words: what it is, the version of the format, the size of everything,
/// and a checksum of the table. The table stands behind the content: a checksum of each block.
package struct CacheSeal: Sendable {
    /// Where the content begins. In bytes.
    static let start = 32
    static let blockSize = 4096
    /// Read as text: `eavesCat`.
    private static let magic: UInt64 = 0x7461_4373_6576_6165
    /// To be raised with every change of the format.
    private static let format: UInt64 = 3

    /// Where the content ends.
    let end: Int
    /// Of each block.
    private let sums: [UInt64]

    var blockCount: Int { sums.count }

    /// - Parameters:
    ///   - size: How many bytes there are.
    ///   - read: Gives the bytes of a place, or `nil`.
    /// - Returns: `nil` for what is no cache, is one of another version, or has another table.
    init?(size: Int, _ read: (Range<Int>) -> [UInt8]?) {
        let rest = size - Self.start
        let count = (rest + Self.blockSize + 7) / (Self.blockSize + 8)
        let end = size - count * 8
        guard rest > 0, Self.blocks(of: end - Self.start) == count, let head = read(0..<Self.start),
            head.integer(at: 0) == Self.magic, head.integer(at: 8) == Self.format,
            head.integer(at: 16) == UInt64(size), let table = read(end..<size),
            head.integer(at: 24) == CacheChecksum.sum(table[...])
        else { return nil }
        self.end = end
        sums = (0..<count).compactMap { table.integer(at: $0 * 8) }
    }

    /// Where a block stands.
    func block(_ index: Int) -> Range<Int> {
        let start = Self.start + index * Self.blockSize
        return start..<min(end, start + Self.blockSize)
    }

    /// Whether these are the bytes of a block.
    func holds(_ index: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == block(index).count && CacheChecksum.sum(bytes) == sums[index]
    }

    /// The bytes of a whole cache.
    package static func sealed(_ content: [UInt8]) -> [UInt8] {
        var table = CacheText()
        for index in 0..<blocks(of: content.count) {
            let block = content.dropFirst(index * blockSize).prefix(blockSize)
            table.add(CacheChecksum.sum(block))
        }
        var whole = CacheText()
        whole.add(magic)
        whole.add(format)
        whole.add(UInt64(start + content.count + table.bytes.count))
        whole.add(CacheChecksum.sum(table.bytes[...]))
        return whole.bytes + content + table.bytes
    }

    private static func blocks(of count: Int) -> Int { (count + blockSize - 1) / blockSize }
}
