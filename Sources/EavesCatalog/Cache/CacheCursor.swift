// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Reads the values of a cache one after the other. Of a place outside of it comes `nil`.
struct CacheCursor {
    let bytes: CacheBytes
    /// The next byte to read.
    var offset: Int

    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        as type: Value.Type = Value.self
    ) -> Value? {
        guard let value = bytes.integer(at: offset, as: type) else { return nil }
        offset += MemoryLayout<Value>.size
        return value
    }

    mutating func text() -> String? {
        guard let length = integer(as: UInt32.self), let text = bytes.text(at: offset, Int(length))
        else { return nil }
        offset += Int(length)
        return text
    }

    /// A text or none: `nil` in `nil` is none.
    mutating func optionalText() -> String?? {
        switch integer(as: UInt8.self) {
        case 0: .some(nil)
        case 1: text().map { .some($0) }
        default: nil
        }
    }

    mutating func list<Element>(_ element: (inout CacheCursor) -> Element?) -> [Element]? {
        guard let count = integer(as: UInt32.self) else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let next = element(&self) else { return nil }
            elements.append(next)
        }
        return elements
    }

    mutating func identity() -> FileIdentity? {
        guard let device = integer(as: UInt64.self), let inode = integer(as: UInt64.self),
            let size = integer(as: Int64.self), let modified = integer(as: Int64.self),
            let changed = integer(as: Int64.self)
        else { return nil }
        return FileIdentity(
            device: device, inode: inode, size: size, modified: modified, changed: changed)
    }
}

extension [UInt8] {
    /// The integer whose first byte is at `offset`; `nil` if it is not all there.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        // SAFETY: any bit pattern is a valid integer, and the span checks its bounds.
        let loaded = span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        return Value(littleEndian: loaded)
    }

    /// The text of `length` bytes from `offset` on; `nil` if it is not all there.
    func text(at offset: Int, _ length: Int) -> String? {
        guard offset >= 0, length >= 0, offset <= count - length else { return nil }
        return withUnsafeBufferPointer {
            let text = UnsafeBufferPointer(rebasing: $0[offset..<offset + length])
            return String(decoding: text, as: UTF8.self)
        }
    }
}
