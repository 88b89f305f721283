// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

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
