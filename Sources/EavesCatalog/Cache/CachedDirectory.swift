// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// One directory in a cache, with its listing.
struct CachedDirectory: Sendable {
    /// As an absolute path; empty for the files that the manifest lists by their paths.
    var path: String
    /// `nil` if the listing has to be made anew for the directory's times.
    var identity: FileIdentity?
    /// Its `.so` files, by their places among all files. Sorted by the bytes of the names.
    var files: Range<Int>
    /// Whether it is known what each of them says.
    var isComplete: Bool
    /// What may be the folder of a module's sources. Sorted by the bytes of the names.
    var subfolders: [Folder.Entry]
}

extension CachedDirectory {
    init?(_ cursor: inout CacheCursor) {
        guard let path = cursor.text(), let isSettled = cursor.integer(as: UInt8.self),
            let identity = cursor.identity(), let start = cursor.integer(as: UInt32.self),
            let end = cursor.integer(as: UInt32.self), start <= end,
            let isComplete = cursor.integer(as: UInt8.self),
            let subfolders = cursor.list(Folder.Entry.init)
        else { return nil }
        self.init(
            path: path, identity: isSettled == 1 ? identity : nil, files: Int(start)..<Int(end),
            isComplete: isComplete == 1, subfolders: subfolders)
    }

    func write(to text: inout CacheText) {
        text.add(path)
        text.add(UInt8(identity == nil ? 0 : 1))
        text.add(identity ?? .none)
        text.add(UInt32(files.lowerBound))
        text.add(UInt32(files.upperBound))
        text.add(UInt8(isComplete ? 1 : 0))
        text.add(subfolders) {
            $0.add($1.name)
            $0.add($1.kind.code)
        }
    }
}

extension Folder.Entry {
    fileprivate init?(_ cursor: inout CacheCursor) {
        guard let name = cursor.text(), let code = cursor.integer(as: UInt8.self),
            let kind = FileStatus.Kind(code: code)
        else { return nil }
        self.init(name: name, kind: kind)
    }
}
