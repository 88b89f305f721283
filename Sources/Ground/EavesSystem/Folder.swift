// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lists a folder.
package struct Folder: Sendable {
    package struct Entry: Hashable, Sendable {
        package var name: String
        /// `unknown` if the file system tells the kind only through a further call.
        package var kind: FileStatus.Kind

        package init(name: String, kind: FileStatus.Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// All entries except `.` and `..`, sorted by the bytes of their names.
    package let entries: [Entry]

    package init(_ path: String) throws(SystemError) {
        guard let stream = opendir(path) else { throw SystemError(.list, path) }
        defer { closedir(stream) }
        entries = try Self.entries(of: stream, path)
    }

    static func entries(of stream: OpaquePointer, _ path: String) throws(SystemError)
        -> [Entry]
    {
        var found: [Entry] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." {
                found.append(Entry(name: name, kind: Self.kind(entry.pointee.d_type)))
            }
            errno = 0
        }
        guard errno == 0 else { throw SystemError(.list, path) }
        return found.sorted { $0.goesBefore($1) }
    }

    static func names(of stream: OpaquePointer, startingWith prefix: String) -> [String] {
        let count = prefix.utf8.count
        var found: [String] = []
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    if strncmp($0, prefix, count) == 0 { found.append(String(cString: $0)) }
                }
            }
        }
        return found
    }

    private static func kind(_ type: UInt8) -> FileStatus.Kind {
        switch Int(type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .directory
        case Int(DT_FIFO): .pipe
        case Int(DT_SOCK): .socket
        case Int(DT_CHR), Int(DT_BLK): .device
        case Int(DT_LNK): .link
        default: .unknown
        }
    }
}

extension Folder.Entry {
    /// Whether the entry is a folder, or a link or something of an unknown kind that may lead to one.
    package var mayBeFolder: Bool {
        switch kind {
        case .directory, .link, .unknown: true
        case .file, .pipe, .socket, .device: false
        }
    }

    fileprivate func goesBefore(_ other: Folder.Entry) -> Bool {
        let order = name.utf8.withContiguousStorageIfAvailable { name in
            other.name.utf8.withContiguousStorageIfAvailable { other in
                let order = memcmp(
                    name.baseAddress!, other.baseAddress!, min(name.count, other.count))
                return order == 0 ? name.count < other.count : order < 0
            }
        }
        // Not reached: names that come from the system are contiguous.
        return order.flatMap { $0 } ?? name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}
