// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A run of bytes of an ELF file, read as little-endian integers.
///
/// Whoever makes one has checked that it is as long as the structure it holds. An index outside is
/// a mistake of ours and stops the process; it never reads a neighbour.
struct ELFBytes {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// The integer that starts `offset` bytes after the first.
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        // SAFETY: any bit pattern is a valid integer, and the span checks its bounds.
        let loaded = bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
        return Value(littleEndian: loaded)
    }
}
