// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// How thorough the tests are that can go on for as long as one likes.
///
/// A usual run tries a share of what there is to try, another share in each run. In a soak, which `.ci/soak` begins,
/// they try everything.
package enum Soak {
    /// The length of the soak in seconds, as `EAVES_SOAK` says; `nil` in a usual run.
    package static let seconds = Environment.current["EAVES_SOAK"].flatMap { Double($0) }

    /// The number of rounds of a race: a twentieth of those of a soak, and so many at least.
    package static func rounds(_ all: Int, atLeast least: Int = 20) -> Int {
        seconds == nil ? min(all, max(least, all / 20)) : all
    }

    /// Every n-th element, from another one on in each run; all of them in a soak.
    package static func sample<Element>(
        _ all: some RandomAccessCollection<Element>, every step: Int
    ) -> [Element] {
        guard seconds == nil else { return Array(all) }
        return stride(from: start % step, to: all.count, by: step).map {
            all[all.index(all.startIndex, offsetBy: $0)]
        }
    }

    private static let start = Int.random(in: 0 ..< .max)
}
