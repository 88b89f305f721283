// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where a handle has its service from.
@usableFromInline
final class HandleSource<Service: Sendable>: Sendable {
    let changes: ChangeCounter?
    private let name: String?
    private let resolver: any Resolver

    init(name: String?, resolver: any Resolver) {
        changes = resolver.changes
        self.name = name
        self.resolver = resolver
    }

    /// The service, and the count of changes that it is at least as new as.
    func resolve() throws(ResolutionError) -> (Service, UInt) {
        // Read first: what changes meanwhile is asked for again.
        let seen = changes?.counter.pointee.load(ordering: .acquiring) ?? 0
        return (try resolver.resolve(Service.self, name: name), seen)
    }
}
