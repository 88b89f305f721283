// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Standard input or output failed.
public struct ConsoleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed and why, such as `cannot write standard output: Broken pipe`.
    public let description: String

    /// - Parameter description: What failed and why.
    public init(_ description: String) {
        self.description = description
    }
}
