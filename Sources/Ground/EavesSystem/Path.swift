// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Joins, splits and shortens paths. Works on text, mostly without reading the disk.
package enum Path {
    /// Returns the path of `name` in `folder`. An absolute name stays as it is.
    package static func join(_ folder: String, _ name: String) -> String {
        if name.utf8.first == slash || folder.isEmpty || folder == "." { return name }
        return folder.utf8.last == slash ? folder + name : folder + "/" + name
    }

    /// Returns the last part: `users.so` for `Plugins/users.so`.
    package static func name(of path: String) -> String {
        guard isPlain(path) else { return parts(of: path).last ?? "/" }
        guard let last = path.utf8.lastIndex(of: slash) else { return path }
        return String(path[path.utf8.index(after: last)...])
    }

    /// Returns the folder of a path: `Plugins` for `Plugins/users.so`, `.` for `users.so`.
    package static func parent(of path: String) -> String {
        if isPlain(path), let last = path.utf8.lastIndex(of: slash), last > path.startIndex {
            return String(path[..<last])
        }
        let above = Array(parts(of: path).dropLast()).chained(by: "/")
        if path.utf8.first == slash { return "/" + above }
        return above.isEmpty ? "." : above
    }

    /// Returns an absolute path without `.`, `..` and empty parts. Does not read the disk, so `..`
    /// after a symbolic link leads back to the folder of the link.
    package static func absolute(_ path: String, from folder: String? = nil) -> String {
        let path = path.utf8.first == slash ? path : join(folder ?? current, path)
        // The folder may be relative, too.
        let whole = path.utf8.first == slash ? path : join(current, path)
        if isPlain(whole) { return whole }
        var kept: [String] = []
        for part in parts(of: whole) where part != "." {
            if part == ".." { _ = kept.popLast() } else { kept.append(part) }
        }
        return "/" + kept.chained(by: "/")
    }

    /// Returns `path` relative to `folder` if it lies inside the folder, and unchanged otherwise. Both are absolute.
    package static func relative(_ path: String, to folder: String) -> String {
        let prefix = folder == "/" ? "/" : folder + "/"
        guard path.utf8.starts(with: prefix.utf8), path.utf8.count > prefix.utf8.count else {
            return path
        }
        return String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// Whether a path is a folder's, or leads into it. Both are absolute.
    package static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || relative(path, to: folder) != path
    }

    /// The absolute paths of a list with colons between them, such as `PATH`.
    package static func absolute(inList list: String) -> [String] {
        // By bytes: for Swift, a colon followed by a combining accent is one character.
        list.utf8.split(separator: UInt8(ascii: ":")).filter { $0.first == slash }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the path of `target` as seen from a folder, with `..` where the way leads up. Both are absolute.
    package static func climb(from folder: String, to target: String) -> String {
        let (from, to) = (parts(of: folder), parts(of: target))
        let common = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let way = from.dropFirst(common).map { _ in ".." } + to.dropFirst(common)
        return way.isEmpty ? "." : way.chained(by: "/")
    }

    /// Splits a path by bytes, as the system does. For Swift, a slash followed by a combining
    /// accent is one character, and not equal to a slash.
    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: slash).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a path has parts with single slashes between them, and no part that begins with a dot: no
    /// `.`, no `..`. Nearly all paths are like that, and need not be split.
    private static func isPlain(_ path: String) -> Bool {
        let dot = UInt8(ascii: ".")
        guard let first = path.utf8.first, first != dot else { return false }
        var isAfterSlash = false
        for byte in path.utf8 {
            if isAfterSlash && (byte == slash || byte == dot) { return false }
            isAfterSlash = byte == slash
        }
        return !isAfterSlash
    }

    private static let slash = UInt8(ascii: "/")

    /// The working directory of the process.
    package static var current: String {
        guard let name = getcwd(nil, 0) else { return "/" }
        defer { free(name) }
        return String(keeping: name)
    }
}

extension [String] {
    /// Joins the texts with a separator between them.
    ///
    /// Does the same as `joined(separator:)`, but is not generic: at the first call of that for a type of collection,
    /// the runtime searches all conformances of the process. For code that every start of the command runs.
    package func chained(by separator: String) -> String {
        var chain = ""
        for (index, text) in enumerated() {
            if index > 0 { chain += separator }
            chain += text
        }
        return chain
    }
}
