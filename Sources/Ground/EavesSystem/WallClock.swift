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

    /// Formats a time for people: `2026-11-21 10:30:00 UTC`.
    ///
    /// - Parameter second: Counted since 1970.
    package static func text(of second: Int) -> String {
        var (time, parts) = (time_t(second), tm())
        guard gmtime_r(&time, &parts) != nil else { return "second \(second)" }
        let year = String(Int(parts.tm_year) + 1900)
        let (month, day) = (padded(parts.tm_mon + 1), padded(parts.tm_mday))
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
        return "\(year)-\(month)-\(day) \(clock) UTC"
    }

    private static func padded(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
