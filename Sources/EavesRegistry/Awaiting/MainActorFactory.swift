// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A factory that runs on the main actor.
///
/// The main actor does one thing at a time, and the factory does not suspend. So whoever is there
/// finds its instance made or not begun: nobody ever waits for a making.
final class MainActorFactory<Service: Sendable, each Argument: Sendable>: Awaited {
    typealias Make = @MainActor @Sendable (any Resolver, repeat each Argument) throws -> Service

    /// The instance that the scope keeps; `nil` in scopes that keep none beyond a resolution.
    let instance: KeptInstance<Service>?
    private let make: Make
    private let scope: Scope

    init(scope: Scope, make: @escaping Make) {
        self.make = make
        self.scope = scope
        instance =
            scope == .transient || scope == .graph ? nil : KeptInstance(isWeak: scope == .weak)
    }

    var isMade: Bool { instance?.value != nil }

    func renewed() -> any Awaited { MainActorFactory(scope: scope, make: make) }

    /// Calls the factory.
    @MainActor
    func call(_ resolver: any Resolver, _ arguments: repeat each Argument) throws -> Service {
        try make(resolver, repeat each arguments)
    }
}
