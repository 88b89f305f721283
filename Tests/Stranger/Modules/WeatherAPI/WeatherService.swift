// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Tells the weather.
public protocol WeatherService: Sendable {
    /// Returns the weather of a place, in one word.
    ///
    /// - Parameter place: The name of a town.
    func weather(in place: String) async throws -> String
}
