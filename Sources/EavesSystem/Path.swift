// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Paths as text.
package enum Path {
    /// `name` seen from `folder`; an absolute name stands for itself.
    package static func join(_ folder: String, _ name: String) -> String {
        if name.utf8.first == slash || folder.isEmpty || folder == "." { return name }
        return folder.utf8.last == slash ? folder + name : folder + "/" + name
    }

    /// The last part: `users.so` of `Plugins/users.so`.
    package static func name(of path: String) -> String {
        parts(of: path).last ?? "/"
    }

    /// The folder that holds it: `Plugins` of `Plugins/users.so`, `.` of `users.so`.
    package static func parent(of path: String) -> String {
        let above = Array(parts(of: path).dropLast()).chained(by: "/")
        if path.utf8.first == slash { return "/" + above }
        return above.isEmpty ? "." : above
    }

    /// An absolute path without `.` and empty parts, and with `..` taken back. Reads no disk.
    package static func absolute(_ path: String, from folder: String? = nil) -> String {
        let path = path.utf8.first == slash ? path : join(folder ?? current, path)
        // The folder may be relative itself.
        let whole = path.utf8.first == slash ? path : join(current, path)
        var kept: [String] = []
        for part in parts(of: whole) where part != "." {
            if part == ".." { _ = kept.popLast() } else { kept.append(part) }
        }
        return "/" + kept.chained(by: "/")
    }

    /// `path` as seen from `folder` when it lies inside it; else as it is. Both absolute.
    package static func relative(_ path: String, to folder: String) -> String {
        let prefix = folder == "/" ? "/" : folder + "/"
        guard path.utf8.starts(with: prefix.utf8), path.utf8.count > prefix.utf8.count else {
            return path
        }
        return String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// Split by bytes, as the system does: to Swift a slash and an accent behind it are one
    /// character, which is no slash.
    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: slash).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let slash = UInt8(ascii: "/")

    /// The working directory of the process.
    package static var current: String {
        guard let name = getcwd(nil, 0) else { return "/" }
        defer { free(name) }
        return String(cString: name)
    }
}
