// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
package import EavesRegistry

/// Goes from feature to feature: resolves the factory of a route's place and launches what it makes.
struct Router: Routing {
    let resolver: any Resolver

    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode {
        let factory = try await resolver.resolveAsync(Place.Factory.self)
        return try await route.feature(from: factory).launch(launch)
    }
}

extension Container {
    /// Registers what the host itself provides.
    package func registerHostServices() throws(RegistrationError) {
        try register((any Routing).self) { Router(resolver: $0) }
    }
}
