// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A feature was launched with arguments that it cannot use.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with them, for the person who typed them.
    public let description: String

    /// - Parameter description: What is wrong with them, for the person who typed them.
    public init(_ description: String) {
        self.description = description
    }
}
