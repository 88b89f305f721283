// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The first 64 bytes of a 64-bit little-endian ELF file.
package struct ELFHeader: Hashable, Sendable {
    /// The place of a table in the file, all of whose entries have one size.
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
    let sectionNames: Int

    /// Reads the header and checks that the file is of the one class, byte order and version that this reader knows.
    ///
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
        sectionNames = Int(bytes.integer(at: 62, as: UInt16.self))
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
        try checkSystem(bytes)
    }

    /// Checks the system that the file is built for, and that the rest of the identity is empty.
    ///
    /// The dynamic linker of Linux loads files for any Unix (0) and for Linux (3); files for Linux may need a
    /// later version of its ABI, of which there have been four.
    private static func checkSystem(_ bytes: ELFBytes) throws(ELFError) {
        let (anyUnix, linux): (UInt8, UInt8) = (0, 3)
        let system: UInt8 = bytes.integer(at: 7)
        guard system == anyUnix || system == linux else { throw .wrongSystem(system) }
        let version: UInt8 = bytes.integer(at: 8)
        guard version == 0 || (system == linux && version < 4),
            // With the version, eight bytes; the other seven are reserved.
            bytes.integer(at: 8, as: UInt64.self) == UInt64(version)
        else { throw .malformed(.header) }
    }
}

/// The purpose of an ELF file: `e_type` of its header.
package struct ELFKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let object = ELFKind(rawValue: 1)
    package static let executable = ELFKind(rawValue: 2)
    package static let sharedObject = ELFKind(rawValue: 3)
    package static let coreDump = ELFKind(rawValue: 4)

    package var description: String {
        switch self {
        case .object: "an object file that is not linked"
        case .executable: "an executable"
        case .sharedObject: "a shared object"
        case .coreDump: "a core dump"
        default: "an ELF file of type \(rawValue)"
        }
    }
}

/// The processor that a binary is built for: `e_machine` of its header.
package struct ELFMachine: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let x86 = ELFMachine(rawValue: 3)
    package static let powerPC64 = ELFMachine(rawValue: 21)
    package static let s390 = ELFMachine(rawValue: 22)
    package static let arm = ELFMachine(rawValue: 40)
    package static let x86_64 = ELFMachine(rawValue: 62)
    package static let aarch64 = ELFMachine(rawValue: 183)
    package static let riscv = ELFMachine(rawValue: 243)

    /// The processor that this host is built for.
    package static var current: ELFMachine {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .aarch64
        #elseif arch(riscv64)
            .riscv
        #else
            #error("name this processor's e_machine here")
        #endif
    }

    /// Whether the dynamic linker makes stacks executable for a file that says nothing about them.
    ///
    /// glibc does so on x86-64 and not on AArch64. On all other machines, this supposes the worse.
    var hasExecutableStackByDefault: Bool { self != .aarch64 }

    /// The name in target triples: `x86_64`, `aarch64`.
    package var description: String {
        switch self {
        case .x86: "i386"
        case .powerPC64: "powerpc64"
        case .s390: "s390x"
        case .arm: "arm"
        case .x86_64: "x86_64"
        case .aarch64: "aarch64"
        case .riscv: "riscv64"
        default: "machine \(rawValue)"
        }
    }
}

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

/// Checks the table of segments as far as the dynamic linker believes it.
///
/// The linker maps what the table says, and then reads and writes there without looking again: a wrong number
/// makes it crash, or overwrite other memory, before any code of the file has run.
struct SegmentCheck {
    let segments: [ELFSegment]
    /// The place of the table itself.
    let table: ELFHeader.Table

    /// Segments begin on pages, and every machine's pages are multiples of this size. In bytes.
    private static let pageSize: UInt64 = 4096
    /// More than any linker writes for pages of any size. In bytes.
    private static let maximumAlignment: UInt64 = 1 << 30
    /// No module takes as many addresses. In bytes.
    private static let maximumSize: UInt64 = 1 << 36
    /// Each thread has a copy of the memory for threads, which the dynamic linker fills. In bytes.
    private static let maximumThreadLocalSize: UInt64 = 1 << 28

    func run(in source: borrowing ELFSource) throws(ELFError) {
        try checkLoaded(in: source)
        for segment in segments { try checkPart(segment) }
        guard segments.count(where: { $0.kind == .dynamic }) == 1 else {
            throw .malformed(.dynamicSection)
        }
    }

    /// Checks that the segments that are mapped lie in the file, in ascending order, and on pages.
    ///
    /// The dynamic linker maps them without looking at the end of the file, and touching a page beyond the
    /// end kills the process.
    private func checkLoaded(in source: borrowing ELFSource) throws(ELFError) {
        var first: UInt64?
        var end: UInt64 = 0
        for segment in segments where segment.kind == .load {
            try source.checkExtent(offset: segment.offset, count: segment.fileSize)
            let (next, overflows) = segment.address.addingReportingOverflow(segment.memorySize)
            let start = first ?? segment.address
            guard !overflows, segment.address >= end, segment.fileSize <= segment.memorySize,
                // The rest of the memory is filled with zeros, which takes the right to write.
                segment.fileSize == segment.memorySize || segment.access.contains(.write),
                next - start <= Self.maximumSize, next <= .max - Self.maximumAlignment,
                Self.isAligned(segment)
            else { throw .malformed(.segments) }
            first = start
            end = next
        }
        guard first != nil else { throw .malformed(.segments) }
    }

    /// Whether the address and the offset are at the same place of a page.
    private static func isAligned(_ segment: ELFSegment) -> Bool {
        let alignment = segment.alignment
        return isPower(alignment) && (pageSize...maximumAlignment).contains(alignment)
            && (segment.address &- segment.offset) % alignment == 0
    }

    private static func isPower(_ number: UInt64) -> Bool { number.nonzeroBitCount == 1 }

    /// Checks a segment that names a part of those that are mapped.
    private func checkPart(_ segment: ELFSegment) throws(ELFError) {
        let isSound =
            switch segment.kind {
            case .dynamic:
                isMapped(segment, access: segment.access.union(.read))
            case .programHeaders:
                // Linkers leave room for headers that they then do not need.
                isMapped(segment) && segment.offset == table.offset
                    && segment.fileSize >= table.count * table.entrySize
            // `strip -R .note.gnu.build-id` leaves the other notes at address 0. The host reads notes in the file, and
            // the dynamic linker those alone that have the alignment of 8.
            case .note where segment.address == 0 && segment.alignment < 8: isInOne(segment)
            case .note, .property, .unwindTable:
                segment.memorySize == 0 || isMapped(segment)
            case .threadLocal:
                isSoundThreadLocal(segment)
            case .readOnlyLater:
                isInOne(segment)
            case .load, .interpreter, .stack, nil:
                true
            }
        guard isSound else {
            throw .malformed(segment.kind == .dynamic ? .dynamicSection : .segments)
        }
    }

    /// Whether a part lies in a loaded segment in the file and in memory, at the same place in both.
    ///
    /// - Parameter isInMemory: Whether all of its memory has to lie there, too, and not only what the file has.
    private func isMapped(
        _ part: ELFSegment, access: ELFSegment.Access = .read, isInMemory: Bool = true
    ) -> Bool {
        part.fileSize <= part.memorySize
            && segments.contains { whole in
                guard whole.kind == .load, whole.access.isSuperset(of: access),
                    let place = whole.place(of: part.address)
                else { return false }
                let room = whole.memorySize - (part.address - whole.address)
                return place.offset == part.offset && part.fileSize <= place.room
                    && (part.memorySize <= room || !isInMemory)
            }
    }

    /// Whether each thread can get a copy: its beginning is in the file, the rest is zero.
    private func isSoundThreadLocal(_ segment: ELFSegment) -> Bool {
        segment.memorySize <= Self.maximumThreadLocalSize
            && segment.alignment <= Self.maximumAlignment
            && (segment.alignment == 0 || Self.isPower(segment.alignment))
            && (segment.fileSize == 0 || isMapped(segment, isInMemory: false))
    }

    /// Whether memory lies in one loaded segment, up to the end of its last page.
    private func isInOne(_ part: ELFSegment) -> Bool {
        let (end, overflows) = part.address.addingReportingOverflow(part.memorySize)
        return !overflows
            && segments.contains { whole in
                guard whole.kind == .load, whole.access.contains(.read),
                    part.address >= whole.address
                else { return false }
                let last = whole.address + whole.memorySize
                let page = max(whole.alignment, Self.pageSize)
                return end <= (last + page - 1) / page * page
            }
    }
}
