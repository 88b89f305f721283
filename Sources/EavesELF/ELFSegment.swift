// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One program header: a part of the file and where it goes in memory.
package struct ELFSegment: Hashable, Sendable {
    package enum Kind: UInt32, Sendable {
        case load = 1, dynamic = 2, interpreter = 3, note = 4
    }

    /// In bytes, as the file's table has them.
    static let size = 56

    /// `nil` for the kinds that say nothing to us.
    package let kind: Kind?
    package let offset: UInt64
    package let address: UInt64
    package let fileSize: UInt64
    package let memorySize: UInt64
    package let alignment: UInt64

    /// - Parameter bytes: Exactly ``size`` bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = ELFBytes(bytes)
        kind = Kind(rawValue: bytes.integer(at: 0))
        offset = bytes.integer(at: 8)
        address = bytes.integer(at: 16)
        fileSize = bytes.integer(at: 32)
        memorySize = bytes.integer(at: 40)
        alignment = bytes.integer(at: 48)
    }

    /// Where what will stand at `address` is in the file, and how many bytes the segment has from
    /// there on; `nil` if it is not in this segment.
    func place(of address: UInt64) -> (offset: UInt64, room: UInt64)? {
        guard address >= self.address, address - self.address <= fileSize else { return nil }
        let start = address - self.address
        let (offset, overflows) = self.offset.addingReportingOverflow(start)
        return overflows ? nil : (offset, fileSize - start)
    }
}
