// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A factory that is awaited.
final class AsyncFactory<Service: Sendable, each Argument: Sendable>: Awaited {
    typealias Make = @Sendable (any Resolver, repeat each Argument) async throws -> Service

    /// The instance that the scope keeps; `nil` in scopes that keep none beyond a resolution.
    let instance: AsyncInstance<Service>?
    private let make: Make
    private let scope: Scope

    init(scope: Scope, make: @escaping Make) {
        self.make = make
        self.scope = scope
        instance =
            scope == .transient || scope == .graph ? nil : AsyncInstance(isWeak: scope == .weak)
    }

    var isMade: Bool { instance?.kept != nil }

    func renewed() -> any Awaited { AsyncFactory(scope: scope, make: make) }

    /// Calls the factory.
    func call(_ resolver: any Resolver, _ arguments: repeat each Argument) async throws -> Service {
        try await make(resolver, repeat each arguments)
    }
}
