// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

extension CatalogCache {
    /// Where the cache has the name of a plain module's file, and what it says. `nil` for other
    /// files, for links, and for what somebody else may have written.
    ///
    /// Reads of the record only what it needs: a list does this for every file there is.
    func plainFile(_ index: Int) -> (name: CachedText, content: UInt32)? {
        guard index >= 0, index < fileCount else { return nil }
        let start = fileStart + index * CacheHeader.fileSize
        let whole = bytes.whole
        let record = whole.span.bytes.extracting(start..<start + CacheHeader.fileSize)
        // SAFETY: any bit pattern is a valid integer, and all of them are inside of the record.
        func integer<Value: BitwiseCopyable>(_ place: Int, _ type: Value.Type) -> Value {
            record.unsafeLoadUnaligned(fromByteOffset: place, as: type)
        }
        let kind = integer(CachedFile.kindPlace, UInt8.self)
        let isPlain = integer(CachedFile.kindPlace + 1, UInt8.self)
        let mode = integer(CachedFile.kindPlace - 2, UInt16.self).littleEndian
        let owner = integer(CachedFile.ownerPlace, UInt32.self).littleEndian
        let name = integer(CachedFile.namePlace, UInt32.self).littleEndian
        let count = integer(CachedFile.namePlace + 4, UInt32.self).littleEndian
        let content = integer(CachedFile.contentPlace, UInt32.self).littleEndian
        guard isPlain == 1, kind == FileStatus.Kind.file.code, content != 0,
            // What the owner's own group may write is looked at with the others.
            mode & 0o022 == 0, owner == 0 || owner == Accounts.current,
            Int(name) + Int(count) <= whole.count
        else { return nil }
        return (CachedText(start: name, count: count), content)
    }
}
