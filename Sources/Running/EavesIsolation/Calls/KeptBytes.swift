// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The memory that one end of a channel keeps because of the other, besides messages that have begun: the arguments of calls
/// under way, names of instances, elements of streams that were not read, and answers that the other end does not
/// read. A call that would take more is refused, and an end that sends more all the same is closed.
///
/// Safe from any thread.
final class KeptBytes: Sendable {
    /// The most of it. In bytes.
    static let usualLimit = 20 << 20
    /// The memory that each of these takes besides its content. In bytes.
    static let cost = 512

    private let limit: Int
    private let count = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Counts more.
    ///
    /// - Returns: `false` if that is too much; then nothing is counted.
    func add(_ size: Int) -> Bool {
        if count.add(size, ordering: .relaxed).newValue <= limit { return true }
        remove(size)
        return false
    }

    func remove(_ size: Int) { count.subtract(size, ordering: .relaxed) }
}
