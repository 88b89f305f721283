// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The entries of a folder.
package struct Folder: Sendable {
    package struct Entry: Hashable, Sendable {
        package var name: String
        /// `unknown` where the file system does not tell without a further call.
        package var kind: FileStatus.Kind
    }

    /// All but `.` and `..`, sorted by the bytes of their names.
    package let entries: [Entry]

    package init(_ path: String) throws(SystemError) {
        guard let stream = opendir(path) else { throw SystemError(.list, path) }
        defer { closedir(stream) }
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
        entries = found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
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
