// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Changes one number that the parser of ELF files reads, or overwrites it with another one. Such
/// damage passes the first checks more often than a change of any byte.
enum ELFMutation {
    private struct Field {
        let offset: Int
        let width: Int
    }

    /// - Returns: Whether a number was changed; `false` if the bytes are no ELF file.
    static func apply(
        to bytes: UnsafeMutableBufferPointer<UInt8>, _ random: inout SplitMix64
    ) -> Bool {
        let fields = fields(of: Array(bytes))
        guard let field = fields.randomElement(using: &random),
            let other = fields.randomElement(using: &random)
        else { return false }
        let (old, size) = (value(of: field, in: bytes), UInt64(bytes.count))
        let candidates: [UInt64] = [
            0, 1, 2, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 0x8000_0000, 1 << 63, .max, .max >> 1,
            size, size &- 1, size &+ 1, size &- old, old &+ 1, old &- 1, old &* 2, old / 2,
            old ^ (1 << UInt64.random(in: 0..<64, using: &random)),
            value(of: other, in: bytes), old &+ value(of: other, in: bytes),
            UInt64.random(in: 0...size, using: &random), random.next(),
        ]
        let new = candidates.randomElement(using: &random) ?? 0
        for index in 0..<field.width {
            bytes[field.offset + index] = UInt8(truncatingIfNeeded: new >> UInt64(8 * index))
        }
        return true
    }

    /// Returns the numbers in the header, segments, notes, dynamic section, symbols and hash
    /// tables. The file's own offsets lead there; they are checked, because damaged files are
    /// mutated again.
    private static func fields(of bytes: [UInt8]) -> [Field] {
        guard bytes.count >= 64, bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { return [] }
        var fields = [(16, 2), (18, 2), (32, 8), (40, 8), (54, 2), (56, 2), (58, 2), (60, 2)]
            .map { Field(offset: $0.0, width: $0.1) }
        func number(_ offset: Int, _ width: Int) -> Int {
            guard offset >= 0, offset <= bytes.count - width else { return 0 }
            let value = (0..<width).reduce(UInt64(0)) {
                $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1)
            }
            return Int(clamping: value)
        }
        func table(_ start: Int, _ count: Int, of size: Int, _ widths: [(Int, Int)]) {
            for index in 0..<min(count, 64) where start <= bytes.count - (index + 1) * size {
                let base = start + index * size
                fields += widths.map { Field(offset: base + $0.0, width: $0.1) }
            }
        }
        let segments = number(32, 8)
        let widths = [(0, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)]
        table(segments, number(56, 2), of: 56, widths)
        for index in 0..<min(number(56, 2), 64) where segments <= bytes.count - (index + 1) * 56 {
            let base = segments + index * 56
            let (kind, start) = (number(base, 4), number(base + 8, 8))
            if kind == 4 { table(start, 1, of: 12, [(0, 4), (4, 4), (8, 4)]) }
            guard kind == 2 else { continue }
            table(start, number(base + 32, 8) / 16, of: 16, [(0, 8), (8, 8)])
            // These tables are in the first segment, where addresses and offsets are the same.
            for entry in stride(from: start, to: min(start, bytes.count) + 64 * 16, by: 16) {
                let target = number(entry + 8, 8)
                switch number(entry, 8) {
                case 4, 0x6fff_fef5:
                    table(target, 8, of: 4, [(0, 4)])
                case 6:
                    table(target, 32, of: 24, [(0, 4), (4, 1), (6, 2)])
                default: break
                }
            }
        }
        return fields.filter { $0.offset >= 0 && $0.offset + $0.width <= bytes.count }
    }

    private static func value(
        of field: Field, in bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> UInt64 {
        (0..<field.width).reduce(0) {
            $0 | UInt64(bytes[field.offset + $1]) << UInt64(8 * $1)
        }
    }
}
