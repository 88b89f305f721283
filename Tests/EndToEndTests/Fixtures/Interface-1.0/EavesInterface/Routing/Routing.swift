// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How a feature goes on to another one. The host provides it.
public protocol Routing: Sendable {
    /// Goes to a place, and comes back with how it ended.
    ///
    /// - Parameters:
    ///   - route: Where to.
    ///   - launch: The arguments, and where to read and write.
    /// - Throws: ``ResolutionError`` if nobody provides the place; otherwise what the place throws.
    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode
}
