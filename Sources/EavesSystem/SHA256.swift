// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSHA256

/// SHA-256 (FIPS 180-4) over bytes that come in pieces.
///
/// Our own because no outside package is allowed and Foundation has none. By the processor's
/// instructions where it has them, which is three to six times as fast as without.
package struct SHA256: Sendable {
    /// Whether this processor has instructions for it.
    package static let hasInstructions = eaves_sha256_has_instructions()

    /// The digest so far, of whole blocks alone.
    private var state = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
    /// What was given and does not fill a block yet. Always shorter than a block.
    private var pending: [UInt8] = []
    /// The length of all that was given, in bytes.
    private var count: UInt64 = 0

    private let usesInstructions: Bool

    private static let blockSize = 64

    /// - Parameter usesInstructions: Whether the processor's own are used. Where there are none,
    ///   they never are.
    package init(usesInstructions: Bool = true) {
        self.usesInstructions = usesInstructions && Self.hasInstructions
        pending.reserveCapacity(Self.blockSize)
    }

    /// Takes the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let missing = rest.prefix(Self.blockSize - pending.count)
            pending.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard pending.count == Self.blockSize else { return }
            compressPending()
        }
        let whole = rest.prefix(rest.count / Self.blockSize * Self.blockSize)
        Self.compress(UnsafeRawBufferPointer(rebasing: whole), into: &state, usesInstructions)
        pending.append(contentsOf: rest.dropFirst(whole.count))
    }

    /// Takes the next bytes.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        // SAFETY: the pointer is used within the closure alone.
        let isDone: Void? = bytes.withContiguousStorageIfAvailable {
            update(UnsafeRawBufferPointer($0))
        }
        guard isDone == nil else { return }
        Array(bytes).withUnsafeBytes { update($0) }
    }

    /// The digest of all that was given. The value takes no more after it.
    package consuming func finalize() -> SHA256Digest {
        let bits = count &* 8
        pending.append(0x80)
        if pending.count > Self.blockSize - 8 { fillPending(to: Self.blockSize) }
        fillPending(to: Self.blockSize - 8)
        for shift in stride(from: 56, through: 0, by: -8) {
            pending.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        compressPending()
        return SHA256Digest(words: state)
    }

    private mutating func fillPending(to size: Int) {
        pending.append(contentsOf: repeatElement(0, count: size - pending.count))
        if pending.count == Self.blockSize { compressPending() }
    }

    private mutating func compressPending() {
        pending.withUnsafeBytes { Self.compress($0, into: &state, usesInstructions) }
        pending.removeAll(keepingCapacity: true)
    }

    /// Mixes whole blocks into a state.
    private static func compress(
        _ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>, _ usesInstructions: Bool
    ) {
        guard usesInstructions, let start = blocks.baseAddress else {
            return SHA256Block.compress(blocks, into: &state)
        }
        withUnsafeMutableBytes(of: &state) { state in
            // SAFETY: the state is 8 words of 32 bits, and the blocks are whole ones inside of
            // `blocks`. The function keeps neither pointer.
            eaves_sha256_blocks(
                state.assumingMemoryBound(to: UInt32.self).baseAddress,
                start.assumingMemoryBound(to: UInt8.self), blocks.count / blockSize)
        }
    }
}

extension SHA256 {
    /// The digest of bytes that are all here.
    package static func digest(
        of bytes: some Sequence<UInt8>, usesInstructions: Bool = true
    ) -> SHA256Digest {
        var hash = SHA256(usesInstructions: usesInstructions)
        hash.update(bytes)
        return hash.finalize()
    }

    /// The digest of an open file, read in pieces from its beginning.
    package static func digest(of file: borrowing OpenFile) throws(SystemError) -> SHA256Digest {
        // Small enough for the memory that is at hand: larger pieces are mapped anew each time.
        let pieceSize = 32 << 10
        var hash = SHA256()
        var offset = 0
        while true {
            let piece = try file.bytes(at: offset, count: pieceSize)
            hash.update(piece)
            offset += piece.count
            if piece.count < pieceSize { return hash.finalize() }
        }
    }
}
