// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import Glibc

/// Overwrites single bytes of a file in place.
package final class BytePatcher {
    private let descriptor: Int32

    package init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, path) }
    }

    deinit { close(descriptor) }

    package func write(_ byte: UInt8, at offset: Int) {
        withUnsafeBytes(of: byte) { _ = pwrite(descriptor, $0.baseAddress, 1, off_t(offset)) }
    }
}

extension Binaries {
    /// The places in a file that a reader of modules looks at: headers, notes, the dynamic section,
    /// symbols, names and hash tables.
    package static func offsetsToDamage(in path: String) throws -> [Int] {
        let file = try ELFFile(path)
        let size = file.status.size
        let read = file.segments.filter { $0.kind == .dynamic || $0.kind == .note }
            .map { Int($0.offset)..<Int($0.offset + min($0.fileSize, 600)) }
        let sections = Int(file.header.sections.offset)..<size
        return ([0..<2048, sections] + read).flatMap { Array($0) }.filter { $0 < size }
    }
}

extension [UInt8] {
    /// Returns a copy with a little-endian number written over some bytes.
    package func patched(_ field: Range<Int>, with value: UInt64) -> [UInt8] {
        var bytes = self
        for (index, offset) in field.enumerated() {
            bytes[offset] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
        }
        return bytes
    }
}

/// Random numbers that are the same in each run, so that a failure can be repeated.
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

    package init() {}

    /// Creates a sequence that differs for each seed.
    package init(seed: UInt64) { state ^= seed &* 0xbf58_476d_1ce4_e5b9 }

    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
