// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
package import EavesTrust

/// The catalog's cache on the disk: the file `catalog` in the store.
///
/// A cache that is missing, damaged, foreign or not writable is no error: the command then reads the
/// modules themselves and finds the same.
package struct CacheFile: Sendable {
    /// No catalog needs more; Eaves wrote no larger file. In bytes.
    private static let maximumSize = 256 << 20

    /// Reading the whole of a smaller cache takes less time than reading its rows one by one. In bytes.
    private static let smallSize = 64 << 10

    private static let name = "catalog"

    private let store: Store
    private let program: FileIdentity

    /// - Parameter store: The folder that holds the cache.
    /// - Returns: `nil` where the running program cannot be identified.
    package init?(in store: Store) {
        guard let program = try? FileStatus(path: "/proc/self/exe") else { return nil }
        self.store = store
        self.program = FileIdentity(program)
    }

    /// The cache that an earlier run left; `nil` if there is none that this program can use.
    ///
    /// - Parameter isNarrow: Whether the caller wants only a few rows. Unless the file is small, they are
    ///   then read when it asks for them. The checksum of the whole file is compared in any case.
    func read(narrow isNarrow: Bool = false) -> CatalogCache? {
        guard let folder = try? store.open(), let file = try? folder.file(Self.name),
            let status = try? file.status(), Self.isOwn(status), status.size <= Self.maximumSize
        else { return nil }
        let bytes: CacheBytes
        if isNarrow && status.size > Self.smallSize {
            bytes = .file(SharedFile(file, size: status.size))
        } else {
            guard let whole = try? file.bytes(at: 0, count: status.size) else { return nil }
            bytes = .memory(whole)
        }
        guard let header: CacheHeader = bytes.loaded(at: 0), header.size == UInt64(bytes.count),
            header.checksum == bytes.checksum
        else { return nil }
        return CatalogCache(bytes, program: program)
    }

    /// Somebody else who could write the cache would decide what Eaves knows of every module.
    private static func isOwn(_ status: FileStatus) -> Bool {
        status.kind == .file && !status.isWritableByOthers && status.isOwnedByTrustedUser
    }

    /// Writes what a survey saw for later runs. If the file cannot be written, they survey again.
    ///
    /// - Parameter start: A time before the survey looked at any file, in nanoseconds since 1970.
    func write(_ survey: Survey, since start: Int64) {
        guard let folder = try? store.make() else { return }
        let bytes = CacheWriter.bytes(survey, since: start, program: program)
        // Two processes that write at the same time each leave a whole cache. The file is not synchronised
        // with the disk: after a power cut its checksum is wrong, and that is all. Without a cache, later
        // runs survey again.
        try? folder.replace(Self.name, with: bytes, mode: 0o600, lasts: false)
    }
}

extension CacheBytes {
    /// The size of the pieces in which a file is read. Their memory is used again and again.
    private static let pieceSize = 64 << 10

    /// The sum of everything after ``CacheHeader/checksum``; `nil` if the file cannot be read. It protects
    /// against accidents. The file's owner and permissions protect against other users.
    var checksum: UInt64? {
        var sum = Checksum()
        var isWhole = true
        var start = CacheHeader.checksumEnd
        while start < count {
            let end = min(count, start + Self.pieceSize)
            withBytes(at: start..<end) { piece in
                if piece.count == end - start { sum.add(piece) } else { isWhole = false }
            }
            start = end
        }
        return isWhole ? sum.value : nil
    }
}
