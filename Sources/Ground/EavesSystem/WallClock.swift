// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock whose time file systems put on files.
package enum WallClock {
    /// The time in nanoseconds since 1970.
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time in seconds since 1970.
    package static var second: Int { Int(now / 1_000_000_000) }

    /// Formats a time for people: `2026-11-21 10:30:00 UTC`, or `2026-11-21 11:30:00` as the clock on the wall shows it here.
    ///
    /// - Parameter second: Counted since 1970.
    package static func text(of second: Int, isLocal: Bool = false) -> String {
        var (time, parts) = (time_t(second), tm())
        let isKnown = (isLocal ? localtime_r(&time, &parts) : gmtime_r(&time, &parts)) != nil
        guard isKnown else { return "second \(second)" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            // SAFETY: the buffer is not empty, and the text with its zero is shorter.
            let start = buffer.baseAddress!
            let format = "%Y-%m-%d %H:%M:%S" + (isLocal ? "" : " UTC")
            return strftime(start, 64, format, &parts) > 0
                ? String(cString: start) : "second \(second)"
        }
    }
}
