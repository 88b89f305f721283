// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Those who are told when something was made.
final class CreationHooks: Sendable {
    /// The last parameter is a value of the service's type.
    typealias Hook = @Sendable (Creation, ObjectIdentifier, Any) -> Void

    private let hooks = Guarded<[Hook]>([])
    private let hasAny = Atomic(false)

    var isEmpty: Bool { !hasAny.load(ordering: .relaxed) }

    func add(_ hook: @escaping Hook) {
        hooks.withLock { $0.append(hook) }
        hasAny.store(true, ordering: .relaxed)
    }

    /// Tells all, in the order in which they were added. No lock is held meanwhile.
    func tell<Service: Sendable>(_ instance: Service, _ creation: Creation) {
        for hook in hooks.withLock({ $0 }) {
            hook(creation, ObjectIdentifier(Service.self), instance)
        }
    }
}
