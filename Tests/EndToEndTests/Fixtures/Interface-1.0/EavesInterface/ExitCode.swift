// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How a feature ended: the exit code of `eaves launch`.
public struct ExitCode: RawRepresentable, Hashable, Sendable {
    /// 0 for success.
    public let rawValue: UInt8

    /// - Parameter rawValue: 0 for success.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// - Parameter code: 0 for success.
    public init(_ code: UInt8) {
        self.init(rawValue: code)
    }

    /// It did what it was asked for.
    public static let success = ExitCode(0)
    /// It ended as it should, with a no.
    public static let failure = ExitCode(1)
}
