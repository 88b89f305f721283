// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Checks the table of segments as far as the dynamic linker believes it.
///
/// The linker maps what the table says, and then reads and writes there without looking again: a wrong number
/// makes it crash, or overwrite other memory, before any code of the file has run.
struct SegmentCheck {
    private let segments: [ELFSegment]
    /// The place of the table itself.
    private let table: ELFHeader.Table

    /// Segments begin on pages, and every machine's pages are multiples of this size. In bytes.
    private static let pageSize: UInt64 = 4096
    /// More than any linker writes for pages of any size. In bytes.
    private static let maximumAlignment: UInt64 = 1 << 30
    /// No module takes as many addresses. In bytes.
    private static let maximumSize: UInt64 = 1 << 36
    /// Each thread has a copy of the memory for threads, which the dynamic linker fills. In bytes.
    private static let maximumThreadLocalSize: UInt64 = 1 << 28

    init(_ segments: [ELFSegment], _ table: ELFHeader.Table) {
        self.segments = segments
        self.table = table
    }

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

    /// Whether memory whose access is changed lies in one loaded segment, up to the end of its last page.
    private func isInOne(_ part: ELFSegment) -> Bool {
        let (end, overflows) = part.address.addingReportingOverflow(part.memorySize)
        return !overflows
            && segments.contains { whole in
                guard whole.kind == .load, part.address >= whole.address else { return false }
                let last = whole.address + whole.memorySize
                let page = max(whole.alignment, Self.pageSize)
                return end <= (last + page - 1) / page * page
            }
    }
}
