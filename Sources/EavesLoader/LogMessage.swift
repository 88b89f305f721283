// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a module logs while it registers.
package struct LogMessage: Hashable, Sendable {
    /// The levels of `eaves.h`.
    package enum Level: Int32, Sendable {
        case debug, info, warning, error
    }

    package let level: Level
    package let text: String
}
