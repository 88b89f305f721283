// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The bytes of a cache whose checksum is right: all of them in memory, or an open file of which each row
/// is read when it is asked for.
///
/// A launch asks for a few rows. For ten thousand modules, filling memory with the whole file would take it
/// longer than everything else that it does with the cache.
enum CacheBytes: Sendable {
    case memory([UInt8])
    /// Eaves never changes a cache in place, so what was checked stays as it was.
    case file(SharedFile)

    /// The size of the file.
    var count: Int {
        switch self {
        case .memory(let bytes): bytes.count
        case .file(let file): file.size
        }
    }

    /// The row whose first byte is at `offset`; `nil` if it does not lie in the bytes.
    func loaded<Row: BitwiseCopyable>(at offset: Int) -> Row? {
        let size = MemoryLayout<Row>.size
        guard offset >= 0, offset <= count - size else { return nil }
        switch self {
        case .memory(let bytes):
            // SAFETY: rows consist of integers, for which any bits are valid, and the span checks bounds.
            return bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Row.self)
        case .file(let source):
            guard let bytes = source.bytes(offset..<offset + size) else { return nil }
            // SAFETY: as above; the bytes are as many as the row has.
            return bytes.span.bytes.unsafeLoadUnaligned(as: Row.self)
        }
    }

    /// The text at a place; `nil` if it does not lie in the bytes.
    func string(at place: Range<Int>) -> String? {
        guard place.upperBound <= count else { return nil }
        switch self {
        case .memory(let bytes):
            return bytes.withUnsafeBufferPointer {
                String(decoding: UnsafeBufferPointer(rebasing: $0[place]), as: UTF8.self)
            }
        case .file(let source):
            return source.bytes(place).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Calls `body` with the bytes at a place, or with none if it does not lie in the bytes.
    func withBytes(at place: Range<Int>, _ body: (Span<UInt8>) -> Void) {
        let place = place.upperBound <= count ? place : 0..<0
        switch self {
        case .memory(let bytes): body(bytes.span.extracting(place))
        case .file(let source):
            let bytes = source.bytes(place) ?? []
            body(bytes.span)
        }
    }

    /// Calls `body` with the text at a place as C reads it.
    ///
    /// - Returns: `nil` if no zero byte follows the text.
    func withCString<Result>(
        at place: Range<Int>, _ body: (UnsafePointer<CChar>) -> Result?
    ) -> Result? {
        guard place.upperBound < count else { return nil }
        switch self {
        case .memory(let bytes):
            guard bytes[place.upperBound] == 0 else { return nil }
            return bytes.withUnsafeBytes { bytes in
                // SAFETY: a zero byte inside of the bytes ends the text; it was checked above.
                body((bytes.baseAddress! + place.lowerBound).assumingMemoryBound(to: CChar.self))
            }
        case .file(let source):
            guard let bytes = source.bytes(place.lowerBound..<place.upperBound + 1),
                bytes.last == 0
            else { return nil }
            return bytes.withUnsafeBytes { bytes in
                // SAFETY: the last of the bytes is zero; it was checked above.
                body(bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
            }
        }
    }

    /// Whether the bytes at the left place go before those at the right one; `nil` if they are equal.
    func isBefore(_ left: Range<Int>, _ right: Range<Int>) -> Bool? {
        guard case .memory(let bytes) = self else {
            guard let left = string(at: left), let right = string(at: right), left != right else {
                return nil
            }
            return left < right
        }
        let span = bytes.span
        for (one, other) in zip(left, right) where span[one] != span[other] {
            return span[one] < span[other]
        }
        return left.count == right.count ? nil : left.count < right.count
    }
}
