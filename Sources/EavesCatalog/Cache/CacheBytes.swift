// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The bytes of a cache: all of them at hand, or each read when it is asked for.
struct CacheBytes: Sendable {
    /// All of them, with the seal around; empty if they are read when they are asked for.
    let whole: [UInt8]
    /// Where the content ends.
    let end: Int
    private let pieces: CachePieces?

    /// All of a file's, checked; `nil` if it is no cache or damaged.
    init?(_ file: borrowing OpenFile, size: Int) {
        guard let bytes = try? file.bytes(at: 0, count: size),
            let seal = CacheSeal(size: bytes.count, { Array(bytes[$0]) }),
            (0..<seal.blockCount).allSatisfy({ seal.holds($0, bytes[seal.block($0)]) })
        else { return nil }
        whole = bytes
        pieces = nil
        end = seal.end
    }

    /// Those of a file that are asked for, checked one by one; `nil` if it is no cache.
    init?(later file: consuming OpenFile, size: Int) {
        guard let pieces = CachePieces(file, size: size) else { return nil }
        whole = []
        self.pieces = pieces
        end = pieces.end
    }

    /// Whether something that was asked for was not as it was written.
    var isDamaged: Bool { pieces?.isDamaged ?? false }

    /// The integer whose first byte is at `offset`; `nil` if it is not all there.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value? {
        guard let pieces else { return whole.integer(at: offset) }
        return pieces.bytes(at: offset, MemoryLayout<Value>.size)?.integer(at: 0)
    }

    /// The text of `length` bytes from `offset` on; `nil` if it is not all there.
    func text(at offset: Int, _ length: Int) -> String? {
        guard let pieces else { return whole.text(at: offset, length) }
        return pieces.bytes(at: offset, length)?.text(at: 0, length)
    }
}
