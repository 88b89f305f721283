// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Goes from feature to feature: resolves the factory of a route's place and launches what it makes.
struct Router: Routing {
    let resolver: any Resolver

    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode {
        let factory = try resolver.resolve(Place.Factory.self)
        return try await route.feature(from: factory).launch(launch)
    }
}
