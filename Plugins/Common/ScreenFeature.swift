// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// A feature that opens screens: `eaves launch popup --message Hello`.
///
/// ```swift
/// registrar.registerFeature("login", needs: [.later((any Navigator).self)]) { resolver in
///     ScreenFeature(resolver) { _ in [Link("login")] }
/// }
/// ```
public struct ScreenFeature: Feature {
    private let container: any Resolver
    private let links: @Sendable (Launch) throws -> [Link]

    /// Creates a feature.
    ///
    /// - Parameters:
    ///   - container: Resolves the navigator, and everything for the screens.
    ///   - links: Parses the arguments, and returns the screens to open, the lowest first.
    public init(_ container: any Resolver, links: @escaping @Sendable (Launch) throws -> [Link]) {
        self.container = container
        self.links = links
    }

    /// Opens the screens, and returns when the person has left the last one, or the application.
    public func launch(_ launch: Launch) async throws -> ExitCode {
        let state = NavigationState(try links(launch))
        let navigator = try container.resolve((any Navigator).self)
        do {
            _ = try await navigator.run(state, in: container, on: launch.console)
        } catch let error as LinkError {
            throw UsageError(error.description, fix: error.fix)
        }
        return .success
    }
}
