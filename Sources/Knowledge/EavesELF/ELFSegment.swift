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
    private func isMapped(_ part: ELFSegment, access: ELFSegment.Access = .read) -> Bool {
        part.fileSize <= part.memorySize
            && segments.contains { whole in
                guard whole.kind == .load, whole.access.isSuperset(of: access),
                    let place = whole.place(of: part.address)
                else { return false }
                return place.offset == part.offset && part.fileSize <= place.room
                    && part.memorySize <= whole.memorySize - (part.address - whole.address)
            }
    }

    /// Whether each thread can get a copy: its beginning is in the file, the rest is zero.
    private func isSoundThreadLocal(_ segment: ELFSegment) -> Bool {
        guard segment.fileSize <= segment.memorySize,
            segment.memorySize <= Self.maximumThreadLocalSize,
            segment.alignment <= Self.maximumAlignment,
            segment.alignment == 0 || Self.isPower(segment.alignment)
        else { return false }
        if segment.fileSize == 0 { return true }
        return segments.contains { whole in
            guard whole.kind == .load, whole.access.contains(.read),
                let place = whole.place(of: segment.address)
            else { return false }
            return place.offset == segment.offset && segment.fileSize <= place.room
        }
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
