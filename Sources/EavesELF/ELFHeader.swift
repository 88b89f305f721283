// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The first 64 bytes of a 64-bit little-endian ELF file.
package struct ELFHeader: Hashable, Sendable {
    /// Where a table of equally large entries stands in the file.
    package struct Table: Hashable, Sendable {
        package var offset: UInt64
        package var entrySize: UInt64
        package var count: UInt64
    }

    /// In bytes.
    static let size = 64
    /// The four bytes that every ELF file starts with.
    static let magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]

    package let kind: ELFKind
    package let machine: ELFMachine
    package let segments: Table
    package let sections: Table

    /// - Parameter start: The start of the file, up to its first page.
    init(start: ArraySlice<UInt8>) throws(ELFError) {
        guard start.starts(with: Self.magic.prefix(start.count)) else {
            throw .notELF(start: Array(start.prefix(8)))
        }
        guard start.count >= Self.size else {
            throw .truncated(needs: UInt64(Self.size), has: UInt64(start.count))
        }
        let bytes = ELFBytes(start.prefix(Self.size))
        try Self.checkIdentity(bytes)
        kind = ELFKind(rawValue: bytes.integer(at: 16))
        machine = ELFMachine(rawValue: bytes.integer(at: 18))
        segments = Table(
            offset: bytes.integer(at: 32),
            entrySize: UInt64(bytes.integer(at: 54, as: UInt16.self)),
            count: UInt64(bytes.integer(at: 56, as: UInt16.self)))
        sections = Table(
            offset: bytes.integer(at: 40),
            entrySize: UInt64(bytes.integer(at: 58, as: UInt16.self)),
            count: UInt64(bytes.integer(at: 60, as: UInt16.self)))
    }

    private static func checkIdentity(_ bytes: ELFBytes) throws(ELFError) {
        let fileClass: UInt8 = bytes.integer(at: 4)
        guard fileClass == 2 else {
            throw fileClass == 1 ? .wrongClass : .malformed(.header)
        }
        let byteOrder: UInt8 = bytes.integer(at: 5)
        guard byteOrder == 1 else {
            throw byteOrder == 2 ? .wrongByteOrder : .malformed(.header)
        }
        let versions = (
            bytes.integer(at: 6, as: UInt8.self), bytes.integer(at: 20, as: UInt32.self)
        )
        guard versions == (1, 1) else { throw .malformed(.header) }
    }
}
