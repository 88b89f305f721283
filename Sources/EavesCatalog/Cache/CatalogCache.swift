// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// What the files of modules said when they were last read, and which of them provides what.
///
/// Nothing is taken apart before it is asked for. The bytes are as we wrote them, or not there; places in
/// them are checked all the same.
final class CatalogCache: Sendable {
    let bytes: CacheBytes
    private let header: CacheHeader
    let directories: [CachedDirectory]

    var fileCount: Int { header.fileCount }
    /// Where the records of the files begin.
    var fileStart: Int { header.fileStart }

    /// `nil` for what is damaged, or was written by another program.
    init?(_ bytes: CacheBytes, reader: FileIdentity) {
        guard let header = CacheHeader(bytes), header.reader == reader else { return nil }
        var cursor = CacheCursor(bytes: bytes, offset: header.directoryStart)
        var directories: [CachedDirectory] = []
        for _ in 0..<header.directoryCount {
            guard let directory = CachedDirectory(&cursor),
                directory.files.upperBound <= header.fileCount
            else { return nil }
            directories.append(directory)
        }
        self.bytes = bytes
        self.header = header
        self.directories = directories
    }

    /// What is known of a directory.
    func directory(_ path: String) -> CachedDirectory? { directories.first { $0.path == path } }

    /// The files that may be found under a key: those that are, and hardly ever another.
    func files(_ key: CacheKey) -> [Int] {
        var (low, high) = (0, header.keyCount)
        while low < high {
            let middle = (low + high) / 2
            guard let hash = hash(at: middle) else { return [] }
            if hash < key.hash { low = middle + 1 } else { high = middle }
        }
        var files: [Int] = []
        while low < header.keyCount, hash(at: low) == key.hash {
            let place = header.keyStart + low * CacheHeader.keySize + 4
            guard let file = bytes.integer(at: place, as: UInt32.self), file < header.fileCount
            else {
                return []
            }
            files.append(Int(file))
            low += 1
        }
        return files
    }

    private func hash(at index: Int) -> UInt32? {
        bytes.integer(at: header.keyStart + index * CacheHeader.keySize)
    }

    func file(_ index: Int) -> CachedFile? {
        guard index < header.fileCount else { return nil }
        var cursor = CacheCursor(
            bytes: bytes, offset: header.fileStart + index * CacheHeader.fileSize)
        return CachedFile(&cursor)
    }

    func name(_ file: CachedFile) -> String? {
        bytes.text(at: file.nameStart, file.nameLength)
    }

    /// Whether something that was asked for was not as it was written. All that was found may lack
    /// something then.
    var isDamaged: Bool { bytes.isDamaged }

    /// What a file said; `nil` if that is not known.
    func content(_ file: CachedFile) -> ModuleFile? {
        guard let start = file.contentStart else { return nil }
        var cursor = CacheCursor(bytes: bytes, offset: start)
        return ModuleFile(file, &cursor)
    }

    /// What modules are built for; `nil` if that does not stand there.
    func build(at place: Int) -> CachedBuild? {
        var cursor = CacheCursor(bytes: bytes, offset: place)
        return CachedBuild(&cursor)
    }

    /// Whether it is known what a file says, and the file is as it was: one look at its status.
    func isCurrent(_ index: Int, in folder: borrowing OpenFolder) -> Bool {
        guard index >= 0, index < header.fileCount else { return false }
        guard bytes.whole.isEmpty else { return isCurrentQuickly(index, in: folder) }
        guard let file = file(index), file.contentStart != nil, let name = name(file) else {
            return false
        }
        let status = name.withCString { folder.status(of: $0) }
        return status.map { $0.kind == .file && FileIdentity($0) == file.identity } ?? false
    }

    /// Reads of the record only what it needs: a list does this for every file there is.
    private func isCurrentQuickly(_ index: Int, in folder: borrowing OpenFolder) -> Bool {
        let whole = bytes.whole
        let bytes = whole.span.bytes
        let start = header.fileStart + index * CacheHeader.fileSize
        // SAFETY: any bit pattern is a valid integer, and the span checks its bounds.
        func integer<Value: BitwiseCopyable>(at offset: Int, _ type: Value.Type) -> Value {
            bytes.unsafeLoadUnaligned(fromByteOffset: start + offset, as: type)
        }
        let name = Int(integer(at: CachedFile.namePlace, UInt32.self).littleEndian)
        let end = name + Int(integer(at: CachedFile.namePlace + 4, UInt32.self).littleEndian)
        let hasContent = integer(at: CachedFile.contentPlace, UInt32.self) != 0
        guard hasContent, end < bytes.byteCount,
            bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self) == 0
        else { return false }
        let status = bytes.withUnsafeBytes { bytes in
            // SAFETY: the zero byte that ends the name is inside of the bytes.
            folder.status(
                of: (bytes.baseAddress! + name).assumingMemoryBound(to: CChar.self))
        }
        guard let status, status.kind == .file else { return false }
        return integer(at: 0, UInt64.self).littleEndian == status.device
            && integer(at: 8, UInt64.self).littleEndian == status.inode
            && integer(at: 16, Int64.self).littleEndian == status.size
            && integer(at: 24, Int64.self).littleEndian == status.modified
            && integer(at: 32, Int64.self).littleEndian == status.changed
    }
}
