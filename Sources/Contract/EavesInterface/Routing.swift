// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Opens other features. The host provides it.
public protocol Routing: Sendable {
    /// Opens the feature that a route leads to, and returns when it has ended.
    ///
    /// - Parameters:
    ///   - route: The feature to open.
    ///   - launch: Its arguments and console.
    /// - Returns: The exit code of the feature.
    /// - Throws: ``ResolutionError`` if nothing provides the feature; otherwise any error of the feature.
    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode
}

/// Names a feature to open, without knowing which module provides it.
///
/// A route names the factory protocol of the feature, and carries the data that the feature needs.
/// A new destination is a new route; existing ones do not change.
public protocol Route: Sendable {
    /// The service that creates the feature, such as `any HomeFactory`.
    associatedtype Factory: Sendable

    /// Creates the feature.
    ///
    /// - Parameter factory: The implementation that the service is bound to.
    func feature(from factory: Factory) throws -> any Feature
}
