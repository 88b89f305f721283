// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that is timed.
struct Case {
    /// At most this many times the median of another case; `nil` if it is only to be compared.
    struct Target {
        let factor: Double?
        let other: String
    }

    let name: String
    var target: Target?
    /// Does it so many times, and returns something that depends on all of them.
    let run: @Sendable (Int) throws -> Int

    init(
        _ name: String, target: (Double?, String)? = nil,
        run: @escaping @Sendable (Int) throws -> Int
    ) {
        self.name = name
        self.target = target.map { Target(factor: $0.0, other: $0.1) }
        self.run = run
    }
}
