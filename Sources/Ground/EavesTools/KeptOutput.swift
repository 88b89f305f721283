// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The first and the last bytes of an output that can be of any length. A line in between says how
/// much is missing.
package struct KeptOutput: Sendable {
    private let half: Int
    private var first: [UInt8] = []
    /// Up to twice as much as is kept, so that bytes are seldom moved.
    private var last: [UInt8] = []
    /// The number of bytes so far.
    package private(set) var count = 0

    /// - Parameter limit: How many bytes are kept.
    package init(limit: Int) {
        half = max(1, limit / 2)
    }

    /// Whether bytes are missing.
    package var isCut: Bool { omittedCount > 0 }

    private var omittedCount: Int { count - first.count - min(last.count, half) }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        count += bytes.count
        let room = half - first.count
        first += bytes.prefix(room)
        last += bytes.dropFirst(room)
        if last.count > 2 * half { last.removeFirst(last.count - half) }
    }

    /// The bytes that were kept.
    package var bytes: [UInt8] {
        guard isCut else { return first + last }
        let line = "\n[\(omittedCount) bytes are left out here]\n"
        return first + Array(line.utf8) + last.suffix(half)
    }
}
