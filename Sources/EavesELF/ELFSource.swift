// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// The bytes of an open file, read in small pieces.
///
/// What is needed to say whether a module fits stands in the first page of nearly every one: one
/// `open`, one `fstat`, one `pread`.
package struct ELFSource: ~Copyable, Sendable {
    private static let pageSize = 4096

    package let status: FileStatus
    /// The first page, or all of a smaller file. Never empty.
    let page: [UInt8]
    private let file: OpenFile

    /// Opens a regular file. Never waits, whatever stands under the name.
    package init(_ path: String) throws(ELFError) {
        try Self.checkIsFile(path)
        try self.init(Self.reading { () throws(SystemError) in try OpenFile(reading: path) })
    }

    /// Opens a regular file that a folder's listing has.
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

    /// Before it is opened: opening a device can set it going.
    private static func checkIsFile(_ path: String) throws(ELFError) {
        let kind = try reading { () throws(SystemError) in try FileStatus(path: path).kind }
        guard kind == .file else { throw .notAFile(kind) }
    }

    private init(_ file: consuming OpenFile) throws(ELFError) {
        let status = try Self.reading { () throws(SystemError) in try file.status() }
        guard status.kind == .file else { throw .notAFile(status.kind) }
        let page = try Self.reading { () throws(SystemError) in
            try file.bytes(at: 0, count: min(status.size, Self.pageSize))
        }
        guard !page.isEmpty else { throw .empty }
        self.file = file
        self.status = status
        self.page = page
    }

    /// The bytes at a place that the file claims, which is checked against the file's end.
    ///
    /// - Parameter limit: More than this is `.malformed(part)`: memory is never taken on the word
    ///   of a file. In bytes.
    func bytes(
        at offset: UInt64, count: UInt64, limit: UInt64, of part: ELFError.Part
    ) throws(ELFError) -> ArraySlice<UInt8> {
        try checkExtent(offset: offset, count: count)
        guard count <= limit else { throw .malformed(part) }
        let range = Int(offset)..<Int(offset + count)
        if range.upperBound <= page.count { return page[range] }
        let bytes = try Self.reading { () throws(SystemError) in
            try file.bytes(at: range.lowerBound, count: range.count)
        }
        // Somebody may have cut the file short after it was opened.
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
