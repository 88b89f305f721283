// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// An open ELF shared object whose header and segments have been checked.
///
/// The reader trusts nothing in the file. It compares each offset and size with the end of the file before it reads
/// there, it never allocates memory because of a size that the file only claims, and it runs no code of the file.
package struct ELFFile: ~Copyable, Sendable {
    /// More than any linker writes; a longer table is damage.
    private static let maximumSegments: UInt64 = 1024

    package let header: ELFHeader
    /// In the order of the file.
    package let segments: [ELFSegment]
    let source: ELFSource

    package var status: FileStatus { source.status }

    /// Opens a file and checks that it is a complete shared object, for any machine.
    package init(_ path: String) throws(ELFError) {
        try self.init(ELFSource(path))
    }

    /// Opens the file of a program, which may be linked as a shared object is.
    package init(program path: String) throws(ELFError) {
        try self.init(ELFSource(path), isProgram: true)
    }

    /// Checks that an open file is a complete shared object, for any machine.
    package init(_ source: consuming ELFSource, isProgram: Bool = false) throws(ELFError) {
        let header = try ELFHeader(start: source.page[...])
        guard header.kind == .sharedObject || isProgram && header.kind == .executable else {
            throw .notSharedObject(header.kind)
        }
        let segments = try Self.segments(header.segments, in: source)
        guard isProgram || segments.allSatisfy({ $0.kind != .interpreter }) else {
            throw .executable
        }
        let sections = header.sections
        if sections.offset > 0 {
            // Linkers write this table last, so a file that was cut short anywhere lacks a part of it. Both factors are
            // 16-bit numbers.
            try source.checkExtent(
                offset: sections.offset, count: sections.entrySize * sections.count)
        }
        try SegmentCheck(segments: segments, table: header.segments).run(in: source)
        self.header = header
        self.segments = segments
        self.source = source
    }

    private static func segments(
        _ table: ELFHeader.Table, in source: borrowing ELFSource
    ) throws(ELFError) -> [ELFSegment] {
        guard table.entrySize == ELFSegment.size, (1...maximumSegments).contains(table.count) else {
            throw .malformed(.programHeaders)
        }
        let count = table.count * table.entrySize
        let bytes = try source.bytes(at: table.offset, count: count, of: .programHeaders)
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: ELFSegment.size).map {
            ELFSegment(bytes[$0..<$0 + ELFSegment.size])
        }
    }

    /// Whether the dynamic linker makes the stacks of the whole process executable when it loads the file.
    ///
    /// The dynamic linker counts the last of several entries. Here, any of them counts.
    package var wantsExecutableStack: Bool {
        let stacks = segments.filter { $0.kind == .stack }
        if stacks.isEmpty { return header.machine.hasExecutableStackByDefault }
        return stacks.contains { $0.access.contains(.execute) }
    }
}

// The dynamic section holds addresses in memory. The segments lead from there back into the file.
extension ELFFile {
    /// Reads the bytes that the dynamic linker maps to an address.
    ///
    /// - Parameter limit: More bytes than this are malformed; `nil` where the caller has limited the number.
    func bytes(
        atAddress address: UInt64, count: UInt64, limit: UInt64? = nil, of part: ELFError.Part
    ) throws(ELFError) -> ArraySlice<UInt8> {
        guard let place = place(of: address, for: count) else { throw .malformed(part) }
        return try source.bytes(at: place.offset, count: count, limit: limit, of: part)
    }

    /// The place in the file of what is mapped to an address, and the number of bytes from there to its segment's end; `nil` if
    /// no segment has `count` bytes there.
    func place(of address: UInt64, for count: UInt64) -> (offset: UInt64, room: UInt64)? {
        for segment in segments where segment.kind == .load {
            if let place = segment.place(of: address), count <= place.room { return place }
        }
        return nil
    }

    func fields(
        atAddress address: UInt64, count: UInt64, of part: ELFError.Part
    ) throws(ELFError) -> ELFBytes {
        ELFBytes(try bytes(atAddress: address, count: count, of: part))
    }

    /// Reads the bytes that the dynamic linker maps to an address: `count`, or fewer if their segment ends before.
    func bytes(
        atAddress address: UInt64, upTo count: UInt64, of part: ELFError.Part
    ) throws(ELFError) -> ArraySlice<UInt8> {
        guard let place = place(of: address, for: 1) else { throw .malformed(part) }
        return try source.bytes(at: place.offset, count: min(count, place.room), of: part)
    }
}

/// One note: a few bytes that a linker or an author put into a file for tools to find.
package struct ELFNote: Hashable, Sendable {
    package let owner: String
    package let type: UInt32
    package let content: [UInt8]
}

extension ELFFile {
    /// The limit of all notes of a file together; a module's take a few hundred bytes.
    private static let maximumNotes: UInt64 = 256 << 10

    /// Reads the notes in the file's segments, in their order.
    package func notes() throws(ELFError) -> [ELFNote] {
        var notes: [ELFNote] = []
        var room = Self.maximumNotes
        for segment in segments where segment.kind == .note {
            let bytes = try source.bytes(
                at: segment.offset, count: segment.fileSize, limit: room, of: .notes)
            room -= segment.fileSize
            try Self.collect(bytes, alignment: segment.alignment == 8 ? 8 : 4, into: &notes)
        }
        return notes
    }

    private static func collect(
        _ bytes: ArraySlice<UInt8>, alignment: Int, into notes: inout [ELFNote]
    ) throws(ELFError) {
        let headerSize = 12
        var rest = bytes
        while rest.count >= headerSize {
            let fields = ELFBytes(rest)
            let ownerSize = Int(fields.integer(at: 0, as: UInt32.self))
            let contentSize = Int(fields.integer(at: 4, as: UInt32.self))
            let contentStart = aligned(headerSize + ownerSize, to: alignment)
            let contentEnd = contentStart + contentSize
            guard contentEnd <= rest.count else { throw .malformed(.notes) }
            let owner = rest.dropFirst(headerSize).prefix(ownerSize).prefix { $0 != 0 }
            notes.append(
                ELFNote(
                    owner: String(decoding: owner, as: UTF8.self),
                    type: fields.integer(at: 8),
                    content: Array(rest.dropFirst(contentStart).prefix(contentSize))))
            rest = rest.dropFirst(aligned(contentEnd, to: alignment))
        }
    }

    private static func aligned(_ count: Int, to alignment: Int) -> Int {
        (count + alignment - 1) / alignment * alignment
    }
}

/// The bytes of an open file, read in small pieces.
///
/// In nearly every module, the first page holds all that decides whether the module fits this host:
/// one `open`, one `fstat`, one `pread`.
package struct ELFSource: ~Copyable, Sendable {
    private static let pageSize = 4096

    package let status: FileStatus
    /// The beginning of the file: at least the first page, or all of a smaller file. Never empty.
    let page: [UInt8]
    private let file: OpenFile

    /// Opens a regular file. Returns at once for any other kind of file, also for a pipe.
    package init(_ path: String) throws(ELFError) {
        try Self.checkIsFile(path)
        try self.init(Self.reading { () throws(SystemError) in try OpenFile(reading: path) })
    }

    /// Opens a regular file that the listing of a folder names.
    package init(_ entry: Folder.Entry, in folder: borrowing OpenFolder) throws(ELFError) {
        let path = Path.join(folder.path, entry.name)
        if entry.kind != .file { try Self.checkIsFile(path) }
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(reading: entry.name, in: folder, path: path)
        } catch {
            throw .unreadable(error)
        }
        try self.init(file)
    }

    /// Checks the kind of a file before it is opened: opening a device can start it.
    private static func checkIsFile(_ path: String) throws(ELFError) {
        let kind = try reading { () throws(SystemError) in try FileStatus(path: path).kind }
        guard kind == .file else { throw .notAFile(kind) }
    }

    /// Reads an open file, if it is a regular one.
    ///
    /// - Parameter content: All bytes of the file, if the caller has read them.
    package init(
        _ file: consuming OpenFile, knowing content: [UInt8]? = nil
    ) throws(ELFError) {
        let status = try Self.reading { () throws(SystemError) in try file.status() }
        guard status.kind == .file else { throw .notAFile(status.kind) }
        guard status.size <= FileStatus.moduleSizeLimit else { throw .tooLarge(size: status.size) }
        let page =
            if let content {
                content
            } else {
                try Self.reading { () throws(SystemError) in
                    try file.bytes(at: 0, count: min(status.size, Self.pageSize))
                }
            }
        guard !page.isEmpty else { throw .empty }
        self.file = file
        self.status = status
        self.page = page
    }

    /// Reads the bytes at a place that the file claims, after comparing it with the file's end.
    ///
    /// - Parameter limit: More than this is `.malformed(part)`: the reader never allocates memory because
    ///   of a size that the file only claims. In bytes; `nil` where the caller has limited the size.
    func bytes(
        at offset: UInt64, count: UInt64, limit: UInt64? = nil, of part: ELFError.Part
    ) throws(ELFError) -> ArraySlice<UInt8> {
        try checkExtent(offset: offset, count: count)
        guard count <= limit ?? count else { throw .malformed(part) }
        let range = Int(offset)..<Int(offset + count)
        if range.upperBound <= page.count { return page[range] }
        let bytes = try Self.reading { () throws(SystemError) in
            try file.bytes(at: range.lowerBound, count: range.count)
        }
        // Another process may have cut the file short after it was opened.
        guard bytes.count == range.count else {
            throw .truncated(needs: offset + count, has: offset + UInt64(bytes.count))
        }
        return bytes[...]
    }

    /// Checks that a part that the file claims lies before the file's end.
    func checkExtent(offset: UInt64, count: UInt64) throws(ELFError) {
        let (end, overflows) = offset.addingReportingOverflow(count)
        guard !overflows, end <= UInt64(status.size) else {
            throw .truncated(needs: overflows ? .max : end, has: UInt64(status.size))
        }
    }

    private static func reading<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(ELFError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .unreadable(error) }
    }
}

/// A run of bytes of an ELF file, read as little-endian integers.
///
/// The caller has checked that the bytes are as long as the structure that it reads. An index beyond
/// them is a mistake of ours and stops the process; it never reads memory next to them.
struct ELFBytes {
    private let bytes: ArraySlice<UInt8>

    var count: Int { bytes.count }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// The integer that starts `offset` bytes after the first.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        // SAFETY: any bit pattern is a valid integer, and the span checks its bounds.
        let loaded = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        return Value(littleEndian: loaded)
    }
}
