// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The list in `/etc/ld.so.cache`: names of libraries, and the files that `ldconfig` found for them.
///
/// The reader checks every offset in it. It gives `nil` for a file in another format.
package struct LibraryCache: Sendable {
    private static let oldMagic = Array("ld.so-1.7.0\0".utf8)
    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    private static let (headerSize, entrySize) = (48, 24)
    private static let maximumSize = 16 << 20

    private let bytes: ArraySlice<UInt8>
    private let count: Int

    /// Reads the list; `nil` if there is no file or if it has another format.
    ///
    /// - Parameter path: Nearly always `/etc/ld.so.cache`.
    package init?(_ path: String) {
        guard let bytes = try? Files.read(path, limit: Self.maximumSize) else { return nil }
        self.init(bytes)
    }

    package init?(_ bytes: [UInt8]) {
        var start = 0
        // A table for older dynamic linkers may come first.
        if bytes.starts(with: Self.oldMagic), bytes.count >= 16 {
            let old = ELFBytes(bytes[12..<16]).integer(at: 0, as: UInt32.self)
            start = (16 + 12 * Int(old) + 7) / 8 * 8
        }
        let cache = bytes.dropFirst(start)
        guard cache.starts(with: Self.magic), cache.count >= Self.headerSize else { return nil }
        count = Int(ELFBytes(cache).integer(at: 20, as: UInt32.self))
        guard count <= (cache.count - Self.headerSize) / Self.entrySize else { return nil }
        self.bytes = cache
    }

    /// The files that `ldconfig` found for a name, for any machine.
    package func files(of name: String) -> [String] {
        let wanted = Array(name.utf8) + [0]
        let fields = ELFBytes(bytes)
        return (0..<count).compactMap { index in
            let entry = Self.headerSize + index * Self.entrySize
            let key = Int(fields.integer(at: entry + 4, as: UInt32.self))
            guard bytes.dropFirst(key).starts(with: wanted) else { return nil }
            let rest = bytes.dropFirst(Int(fields.integer(at: entry + 8, as: UInt32.self)))
            guard let end = rest.firstIndex(of: 0) else { return nil }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
    }
}
