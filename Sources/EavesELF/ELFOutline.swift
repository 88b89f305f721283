// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The header and the segments of a file, checked against each other and against the file's end.
struct ELFOutline {
    /// More than any linker makes; a longer table is damage.
    private static let maximumSegments: UInt64 = 1024

    let header: ELFHeader
    let segments: [ELFSegment]

    init(of source: borrowing ELFSource) throws(ELFError) {
        header = try ELFHeader(start: source.page[...])
        guard header.kind == .sharedObject else { throw .notSharedObject(header.kind) }
        segments = try Self.segments(header.segments, in: source)
        guard segments.allSatisfy({ $0.kind != .interpreter }) else { throw .executable }
        try checkSections(in: source)
        try checkLoadedSegments(in: source)
        guard segments.contains(where: { $0.kind == .dynamic }) else {
            throw .malformed(.dynamicSection)
        }
    }

    private static func segments(
        _ table: ELFHeader.Table, in source: borrowing ELFSource
    ) throws(ELFError) -> [ELFSegment] {
        guard table.entrySize == ELFSegment.size, (1...maximumSegments).contains(table.count) else {
            throw .malformed(.programHeaders)
        }
        let count = table.count * table.entrySize
        let bytes = try source.bytes(
            at: table.offset, count: count, limit: count, of: .programHeaders)
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: ELFSegment.size).map {
            ELFSegment(bytes[$0..<$0 + ELFSegment.size])
        }
    }

    /// Linkers put the table of sections last, so a file that was cut anywhere lacks some of it.
    private func checkSections(in source: borrowing ELFSource) throws(ELFError) {
        let table = header.sections
        if table.offset > 0 {
            // Both factors are 16-bit numbers.
            try source.checkExtent(offset: table.offset, count: table.entrySize * table.count)
        }
    }

    /// The loader maps these without looking at the end of the file, and to touch a page beyond it
    /// kills the process.
    private func checkLoadedSegments(in source: borrowing ELFSource) throws(ELFError) {
        var end: UInt64 = 0
        var isLoaded = false
        for segment in segments where segment.kind == .load {
            try source.checkExtent(offset: segment.offset, count: segment.fileSize)
            let (next, overflows) = segment.address.addingReportingOverflow(segment.memorySize)
            guard !overflows, segment.address >= end, segment.fileSize <= segment.memorySize else {
                throw .malformed(.segments)
            }
            end = next
            isLoaded = true
        }
        guard isLoaded else { throw .malformed(.segments) }
    }
}
