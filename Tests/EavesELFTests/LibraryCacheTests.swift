// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import Testing

@Suite("The list of the machine's libraries")
struct LibraryCacheTests {
    /// As `ldconfig` writes it.
    private func cache(_ files: [(name: String, file: String)], old: Int? = nil) -> [UInt8] {
        var texts: [UInt8] = []
        var entries: [UInt8] = []
        let start = 48 + 24 * files.count
        for (name, file) in files {
            let key = start + texts.count
            texts += Array(name.utf8) + [0]
            let value = start + texts.count
            texts += Array(file.utf8) + [0]
            entries += [0x303, key, value, 0].flatMap(bytes) + Array(repeating: 0, count: 8)
        }
        var header = Array("glibc-ld.so.cache1.1".utf8)
        header += [files.count, texts.count, 0, 0, 0, 0, 0].flatMap(bytes)
        var before: [UInt8] = []
        if let old {
            before = Array("ld.so-1.7.0\0".utf8) + bytes(old)
            before += Array(repeating: 0, count: (12 * old + 7) / 8 * 8)
        }
        return before + header + entries + texts
    }

    private func bytes(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private let files = [
        (name: "libz.so.1", file: "/lib/one/libz.so.1"),
        (name: "libz.so.1", file: "/lib/two/libz.so.1"),
        (name: "libz.so", file: "/lib/libz.so"),
    ]

    @Test("gives every file of a name", arguments: [nil, 0, 2, 3])
    func lookup(old: Int?) throws {
        let cache = try #require(LibraryCache(cache(files, old: old)))
        #expect(cache.files(of: "libz.so.1") == ["/lib/one/libz.so.1", "/lib/two/libz.so.1"])
        #expect(cache.files(of: "libz.so") == ["/lib/libz.so"])
        #expect(cache.files(of: "libz").isEmpty && cache.files(of: "").isEmpty)
    }

    @Test("of this machine leads to files")
    func real() throws {
        let path = "/etc/ld.so.cache"
        guard (try? FileStatus(path: path)) != nil else {
            try Test.cancel("needs a machine with such a list")
        }
        let cache = try #require(LibraryCache(path))
        let found = cache.files(of: "libc.so.6")
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { (try? FileStatus(path: $0)) != nil })
    }

    @Test("may be damaged in any way")
    func damage() {
        for whole in [cache(files), cache(files, old: 2)] {
            for count in whole.indices {
                _ = LibraryCache(Array(whole[..<count]))?.files(of: "libz.so.1")
            }
            for offset in whole.indices {
                for value in [0, 0x7f, 0xff, whole[offset] ^ 1, whole[offset] ^ 0x80] {
                    var damaged = whole
                    damaged[offset] = value
                    _ = LibraryCache(damaged)?.files(of: "libz.so.1")
                }
            }
        }
    }
}
