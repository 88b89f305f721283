// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How high the water stands.
public struct Tide: Sendable {
    /// In metres.
    public let height: Int

    /// A tide of a height.
    public init(height: Int) { self.height = height }
}

/// Learns of tides.
public protocol TideWatcher: Sendable {
    /// Takes note of a tide.
    func saw(_ tide: Tide)
}
