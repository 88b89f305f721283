// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The bytes of a message that is written. An array would be asked at each byte whether it is shared.
///
/// Not Sendable: one task has them.
final class WireBytes {
    @exclusivity(unchecked) private var memory: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private(set) var count = 0

    init(capacity: Int = 64) {
        memory = .allocate(byteCount: max(capacity, 16), alignment: 1)
    }

    deinit { memory.deallocate() }

    var array: [UInt8] { Array(self[0..<count]) }

    /// The bytes in a range, until others are added.
    subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.upperBound <= count)
        return UnsafeRawBufferPointer(rebasing: memory[range])
    }

    /// Makes room for further bytes, and returns where they go.
    @inline(__always)
    private func extend(by size: Int) -> UnsafeMutableRawPointer {
        let start = count
        count += size
        if count > memory.count { grow() }
        return memory.baseAddress! + start
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count, 2 * memory.count), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(memory))
        memory.deallocate()
        memory = larger
    }

    @inline(__always)
    func append(_ byte: UInt8) { extend(by: 1).storeBytes(of: byte, as: UInt8.self) }

    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        extend(by: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }

    @inline(__always)
    func appendVarint(_ number: UInt64) {
        if number < 0x80 { append(UInt8(truncatingIfNeeded: number)) } else { appendLong(number) }
    }

    private func appendLong(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// The count of the text's bytes as a varint, and the bytes.
    func appendText(_ text: String) {
        withUTF8(of: text) { utf8 in
            appendVarint(UInt64(utf8.count))
            append(UnsafeRawBufferPointer(utf8))
        }
    }

    private func withUTF8(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if text.utf8.withContiguousStorageIfAvailable(body) != nil { return }
        var text = text
        text.withUTF8(body)
    }

    // MARK: Values

    func appendValue(_ text: String) { withUTF8(of: text) { appendValue($0) } }

    @inline(__always)
    func appendValue(_ utf8: UnsafeBufferPointer<UInt8>) {
        if utf8.count < 0x80 {
            append(WireTag.shortText | UInt8(truncatingIfNeeded: utf8.count))
        } else {
            append(WireTag.text)
            appendVarint(UInt64(utf8.count))
        }
        append(UnsafeRawBufferPointer(utf8))
    }

    func appendValue(_ number: some FixedWidthInteger) {
        if number < 0 {
            append(WireTag.negative)
            appendVarint(UInt64(truncatingIfNeeded: ~number))
        } else if number < 64 {
            append(WireTag.smallNumber | UInt8(truncatingIfNeeded: number))
        } else {
            append(WireTag.number)
            appendVarint(UInt64(truncatingIfNeeded: number))
        }
    }

    func appendValue(_ isTrue: Bool) { append(isTrue ? WireTag.yes : WireTag.no) }

    func appendValue(_ number: Double) {
        append(WireTag.double)
        appendLittleEndian(number.bitPattern)
    }

    func appendValue(_ number: Float) {
        append(WireTag.float)
        appendLittleEndian(number.bitPattern)
    }

    /// Bytes as a value of their own, or as elements of a list.
    func append(_ tag: UInt8, _ bytes: [UInt8]) {
        append(tag)
        appendVarint(UInt64(bytes.count))
        bytes.withUnsafeBytes { append($0) }
    }

    private func appendLittleEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append($0) }
    }
}
