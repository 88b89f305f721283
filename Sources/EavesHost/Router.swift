// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// Goes from feature to feature: resolves the factory of a route's place and launches what it makes.
package struct Router: Routing {
    private let resolver: any Resolver

    /// - Parameter resolver: Where the factories of places are found.
    package init(resolver: any Resolver) {
        self.resolver = resolver
    }

    /// Goes to a place: makes its feature and launches it.
    package func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode {
        let factory = try resolver.resolve(Place.Factory.self)
        return try await route.feature(from: factory).launch(launch)
    }
}
