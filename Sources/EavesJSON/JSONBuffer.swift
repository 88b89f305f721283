// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Collects bytes until there are enough of them to hand on.
///
/// Few pages of memory, used again and again: a long text in one piece costs more time for its
/// memory than for its bytes.
struct JSONBuffer: ~Copyable {
    private static let capacity = 32_768

    // SAFETY: `capacity` bytes, ours alone and freed with us. Of them `count` are filled, which never
    // exceeds `capacity`: `add(_:)` alone raises it.
    private let start = UnsafeMutablePointer<UInt8>.allocate(capacity: JSONBuffer.capacity)
    private var count = 0
    private let sink: (UnsafeBufferPointer<UInt8>) -> Void

    init(_ sink: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
        self.sink = sink
    }

    deinit { start.deallocate() }

    /// Hands on what there is.
    mutating func drain() {
        if count > 0 { sink(UnsafeBufferPointer(start: start, count: count)) }
        count = 0
    }

    mutating func add(_ byte: UInt8) {
        if count == Self.capacity { drain() }
        start[count] = byte
        count += 1
    }

    mutating func add(_ text: StaticString) {
        add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func add(_ text: Span<UInt8>) {
        text.withUnsafeBufferPointer { add($0) }
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        if text.count > Self.capacity - count {
            drain()
            guard text.count <= Self.capacity else { return sink(text) }
        }
        guard let source = text.baseAddress else { return }
        (start + count).update(from: source, count: text.count)
        count += text.count
    }
}
