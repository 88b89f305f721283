// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One program header: a part of the file and its place in memory.
package struct ELFSegment: Hashable, Sendable {
    package enum Kind: UInt32, Sendable {
        case load = 1, dynamic = 2, interpreter = 3, note = 4, programHeaders = 6, threadLocal = 7
        /// The table by which exceptions find their way through the stack.
        case unwindTable = 0x6474_e550
        /// Says by its access whether code on the stack can be run.
        case stack = 0x6474_e551
        /// Memory that becomes read-only once everything is linked.
        case readOnlyLater = 0x6474_e552
        case property = 0x6474_e553
    }

    /// The ways in which code may use a segment's memory.
    package struct Access: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let execute = Access(rawValue: 1)
        package static let write = Access(rawValue: 2)
        package static let read = Access(rawValue: 4)
    }

    /// The size of an entry in the file's table, in bytes.
    static let size = 56

    /// `nil` for the kinds that the reader does not use.
    package let kind: Kind?
    package let access: Access
    package let offset: UInt64
    package let address: UInt64
    package let fileSize: UInt64
    package let memorySize: UInt64
    package let alignment: UInt64

    /// - Parameter bytes: Exactly ``size`` bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = ELFBytes(bytes)
        kind = Kind(rawValue: bytes.integer(at: 0))
        access = Access(rawValue: bytes.integer(at: 4))
        offset = bytes.integer(at: 8)
        address = bytes.integer(at: 16)
        fileSize = bytes.integer(at: 32)
        memorySize = bytes.integer(at: 40)
        alignment = bytes.integer(at: 48)
    }

    /// The place in the file that is mapped to an address, and the number of bytes from there to the
    /// segment's end; `nil` if the address is not in this segment.
    func place(of address: UInt64) -> (offset: UInt64, room: UInt64)? {
        guard address >= self.address, address - self.address <= fileSize else { return nil }
        let start = address - self.address
        let (offset, overflows) = self.offset.addingReportingOverflow(start)
        return overflows ? nil : (offset, fileSize - start)
    }
}

/// One section header: a part of the file as the linker sees it. The dynamic linker needs none, and
/// tools like `sstrip` remove the whole table.
struct ELFSection {
    enum Kind: UInt32 {
        /// Bytes whose meaning only the section's name tells.
        case content = 1
        /// The linker's own table of symbols, which also has private functions, unless it was
        /// stripped.
        case symbols = 2
        /// The dynamic linker's table of symbols.
        case dynamicSymbols = 11
    }

    /// The size of an entry in the file's table, in bytes.
    static let size = 64

    /// `nil` for the kinds that the reader does not use.
    let kind: Kind?
    /// Where the section's name begins, in the section of the names.
    let name: UInt32
    let address: UInt64
    let offset: UInt64
    let fileSize: UInt64
    /// The index of another section: for a table of symbols, that of its names.
    let link: UInt32
    let alignment: UInt64
    /// Whether the section has bytes in the file. Memory that is zeros at the start has none, nor has the empty
    /// entry that a table begins with.
    let isInFile: Bool

    /// The kinds without bytes: `SHT_NULL` and `SHT_NOBITS`.
    private static let kindsWithoutBytes: [UInt32] = [0, 8]

    /// - Parameter bytes: At least ``size`` bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = ELFBytes(bytes)
        name = bytes.integer(at: 0)
        kind = Kind(rawValue: bytes.integer(at: 4))
        address = bytes.integer(at: 16)
        offset = bytes.integer(at: 24)
        fileSize = bytes.integer(at: 32)
        link = bytes.integer(at: 40)
        alignment = bytes.integer(at: 48)
        isInFile = !Self.kindsWithoutBytes.contains(bytes.integer(at: 4))
    }
}

extension ELFFile {
    /// Reads the table of sections; empty if the file has none.
    func sections() throws(ELFError) -> [ELFSection] { try source.sections(header) }
}

extension ELFSource {
    /// Reads the table of sections; empty if the file has none.
    func sections(_ header: ELFHeader) throws(ELFError) -> [ELFSection] {
        let table = header.sections
        guard table.offset > 0, table.entrySize == ELFSection.size else { return [] }
        let length = table.count * table.entrySize
        let bytes = try bytes(at: table.offset, count: length, limit: length, of: .header)
        return stride(from: 0, to: bytes.count, by: ELFSection.size).map {
            ELFSection(bytes.dropFirst($0))
        }
    }
}
