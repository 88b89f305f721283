// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative

/// Computes SHA-256 (FIPS 180-4) over bytes that come in pieces.
///
/// It is our own because we use no outside package and Foundation has none. Where the processor has
/// instructions for it, they make it three to six times as fast.
package struct SHA256: Sendable {
    /// Whether this processor has instructions for SHA-256.
    package static let hasInstructions = eaves_sha256_has_instructions()

    /// The state after all whole blocks so far.
    private var state = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
    /// The bytes that do not fill a block yet. Always shorter than a block.
    private var pending: [UInt8] = []
    /// The length of the message so far, in bytes.
    private var count: UInt64 = 0

    private let usesInstructions: Bool

    private static let blockSize = 64

    package init(usesInstructions: Bool = true) {
        self.usesInstructions = usesInstructions && Self.hasInstructions
        pending.reserveCapacity(Self.blockSize)
    }

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

    package mutating func update(_ bytes: some Sequence<UInt8>) {
        // SAFETY: the pointer is used within the closure alone.
        let isDone: Void? = bytes.withContiguousStorageIfAvailable {
            update(UnsafeRawBufferPointer($0))
        }
        guard isDone == nil else { return }
        Array(bytes).withUnsafeBytes { update($0) }
    }

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

    private static func compress(
        _ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>, _ usesInstructions: Bool
    ) {
        guard let start = blocks.baseAddress else { return }
        let mix = usesInstructions ? eaves_sha256_blocks : eaves_sha256_blocks_in_c
        withUnsafeMutableBytes(of: &state) { state in
            // SAFETY: the state is 8 words of 32 bits, and the function reads whole blocks that lie
            // inside `blocks`. It keeps neither pointer.
            mix(
                state.assumingMemoryBound(to: UInt32.self).baseAddress,
                start.assumingMemoryBound(to: UInt8.self), blocks.count / blockSize)
        }
    }
}

extension SHA256 {
    package static func digest(
        of bytes: some Sequence<UInt8>, usesInstructions: Bool = true
    ) -> SHA256Digest {
        var hash = SHA256(usesInstructions: usesInstructions)
        hash.update(bytes)
        return hash.finalize()
    }

    /// Returns the digest of an open file, which is read in pieces from its beginning.
    package static func digest(of file: borrowing OpenFile) throws(SystemError) -> SHA256Digest {
        // Small enough to reuse memory that the process has: the system maps larger pieces anew.
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

/// The result of SHA-256: 32 bytes.
package struct SHA256Digest: Hashable, Sendable {
    /// The digest as 8 words, most significant word first.
    package let words: SIMD8<UInt32>

    package init(words: SIMD8<UInt32>) {
        self.words = words
    }

    /// Reads what ``hex`` wrote; `nil` for any other text.
    ///
    /// - Parameter text: The digits, of one type: a launch looks up the parts of a generic one for 50 µs.
    package init?(hex text: Substring) {
        var words = SIMD8<UInt32>(repeating: 0)
        var count = 0
        for digit in text.utf8 {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            guard count < 64 else { return nil }
            words[count / 8] = words[count / 8] << 4 | UInt32(value)
            count += 1
        }
        guard count == 64 else { return nil }
        self.words = words
    }

    /// The digest as 64 lowercase hexadecimal digits, as `sha256sum` prints it.
    package var hex: String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 64) { text in
            // SAFETY: a nibble is below 16, the length of `digits`; 8 words have 64 nibbles.
            for place in 0..<64 {
                let nibble = words[place / 8] &>> UInt32(28 - place % 8 * 4) & 15
                text[place] = digits.utf8Start[Int(nibble)]
            }
            return 64
        }
    }
}

extension SHA256Digest: CustomStringConvertible {
    package var description: String { hex }
}

/// Tells damaged bytes from whole ones, eight bytes at a time. Any single byte that differs gives another sum.
///
/// It protects against accidents, not against people.
package func checksum(of bytes: Span<UInt8>) -> UInt64 {
    let prime: UInt64 = 0x9e37_79b9_7f4a_7c15
    var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
    var rest = UInt64(bytes.count)
    bytes.withUnsafeBytes { bytes in
        var offset = 0
        func next() -> UInt64 {
            defer { offset += 8 }
            return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        // Four lanes, so that no multiplication waits for the one before it.
        while offset + 32 <= bytes.count {
            lanes.0 = (lanes.0 ^ next()) &* prime
            lanes.1 = (lanes.1 ^ next()) &* prime
            lanes.2 = (lanes.2 ^ next()) &* prime
            lanes.3 = (lanes.3 ^ next()) &* prime
        }
        while offset < bytes.count {
            rest = (rest ^ UInt64(bytes[offset])) &* prime
            offset += 1
        }
    }
    return [lanes.0, lanes.1, lanes.2, lanes.3].reduce(rest) { ($0 ^ $1 ^ ($1 >> 32)) &* prime }
}

/// Computes FNV-1a, a hash of 64 bits that is the same in every process (http://www.isthe.com/chongo/tech/comp/fnv). It
/// does not withstand texts that are chosen to collide.
package struct FNV1a: Sendable {
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
    }
}
