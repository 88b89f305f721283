// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A place that features can go to without knowing who shows it.
///
/// A route names the factory protocol of its place and carries what that place has to know. A new
/// place is a new route; nobody else changes.
public protocol Route: Sendable {
    /// The service that makes the place, such as `any HomeFactory`.
    associatedtype Factory: Sendable

    /// The place, ready to be launched.
    ///
    /// - Parameter factory: The implementation that is bound to the service.
    func feature(from factory: Factory) throws -> any Feature
}
