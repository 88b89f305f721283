// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Finds the texts of a cache one after the other, and makes no strings of them. Of a place outside
/// of it comes `nil`.
struct TextReader {
    /// The next byte to read.
    private(set) var offset: Int

    init(at offset: Int) {
        self.offset = offset
    }

    mutating func number(_ bytes: RawSpan) -> UInt32? {
        guard offset >= 0, offset <= bytes.byteCount - 4 else { return nil }
        defer { offset += 4 }
        // SAFETY: any bit pattern is a valid integer, and all of it is inside of the bytes.
        return bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian
    }

    mutating func text(_ bytes: RawSpan) -> CachedText? {
        guard let count = number(bytes), offset <= bytes.byteCount - Int(count) else { return nil }
        defer { offset += Int(count) }
        return CachedText(start: UInt32(truncatingIfNeeded: offset), count: count)
    }

    /// A list of texts.
    ///
    /// - Parameter isNamed: Whether an optional text stands behind each.
    mutating func texts(_ bytes: RawSpan, isNamed: Bool) -> CachedTexts? {
        guard let count = number(bytes) else { return nil }
        let start = UInt32(truncatingIfNeeded: offset)
        for _ in 0..<count where text(of: bytes, isNamed: isNamed) == nil { return nil }
        return CachedTexts(start: start, count: count, isNamed: isNamed)
    }

    /// A text of such a list.
    mutating func text(of bytes: RawSpan, isNamed: Bool) -> CachedText? {
        guard let found = text(bytes) else { return nil }
        guard isNamed else { return found }
        guard offset < bytes.byteCount else { return nil }
        // SAFETY: any bit pattern is a valid integer, and the byte is inside of the bytes.
        let hasName = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        offset += 1
        switch hasName {
        case 0: return found
        case 1: return text(bytes) == nil ? nil : found
        default: return nil
        }
    }
}
