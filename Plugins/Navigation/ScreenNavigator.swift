// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Runs screens with the renderer that the manifest binds, or with the plain one where that cannot draw.
struct ScreenNavigator: Navigator {
    func run(
        _ state: NavigationState, in container: any Resolver, on console: any Console,
        keeping keep: @escaping @Sendable (NavigationState) async -> Void
    ) async throws -> NavigationState {
        let display = try await renderer(in: container, for: console).open(on: console)
        let session = ScreenSession(container: container, display: display, keep: keep)
        do {
            try await session.restore(state)
            let end = try await session.run()
            await display.close()
            return end
        } catch {
            await display.close()
            throw error
        }
    }

    private func renderer(
        in container: any Resolver, for console: any Console
    ) throws -> any ScreenRenderer {
        let bound = try container.resolve((any ScreenRenderer).self)
        if bound.canDraw(on: console) { return bound }
        return try container.resolve((any ScreenRenderer).self, name: "plain")
    }
}
