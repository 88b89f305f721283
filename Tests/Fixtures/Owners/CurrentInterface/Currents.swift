// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Knows the current.
public protocol CurrentService: Sendable {
    /// In knots.
    var speed: Int { get }
}

/// The way in which the owner of this interface gets at what it needs.
public protocol CurrentSource: Sendable {
    /// The speed at this moment, in knots.
    func measure() -> Int
}
