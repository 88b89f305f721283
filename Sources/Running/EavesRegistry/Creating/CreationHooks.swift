// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
import Synchronization

/// One creation of an instance, for hooks.
package struct CreationEvent: Sendable {
    /// The service that was created.
    package let request: ServiceRequest
    package let scope: Scope
    /// The id of the module that registered it; `nil` for the host itself.
    package let module: String?
    /// The place of the registration.
    package let place: SourcePlace
    /// The time that it took, including everything that was created for it.
    package let duration: Duration

    init(_ registration: Registration, duration: Duration) {
        request = registration.request
        scope = registration.scope
        module = registration.module
        place = registration.place
        self.duration = duration
    }
}

/// The functions that are told of each creation.
final class CreationHooks: Sendable {
    /// The last parameter is a value of the service's type, which the one before it identifies.
    typealias Hook = @Sendable (CreationEvent, ObjectIdentifier, Any) -> Void

    private let hooks = Guarded<[Hook]>([])
    private let hasAny = Atomic(false)

    var isEmpty: Bool { !hasAny.load(ordering: .relaxed) }

    func add(_ hook: @escaping Hook) {
        hooks.withLock { $0.append(hook) }
        hasAny.store(true, ordering: .relaxed)
    }

    /// Calls all hooks, in the order in which they were added. No lock is held meanwhile.
    func report<Service: Sendable>(_ instance: Service, _ event: CreationEvent) {
        for hook in hooks.withLock({ $0 }) {
            hook(event, ObjectIdentifier(Service.self), instance)
        }
    }
}

extension Container {
    /// Calls `hook` for everything that is created from now on, on the thread that creates it, before
    /// any other code has it. A container without hooks does nothing for this.
    package func onCreation(_ hook: @escaping @Sendable (CreationEvent) -> Void) {
        hooks.add { event, _, _ in hook(event) }
        observe()
    }

    /// Calls `hook` with each new instance of one service, as ``onCreation(_:)``.
    ///
    /// - Parameter name: The name that it is registered under; `nil` for the unnamed implementation, as
    ///   everywhere.
    package func onCreation<Service: Sendable>(
        of service: Service.Type, name: String? = nil,
        _ hook: @escaping @Sendable (Service, CreationEvent) -> Void
    ) {
        onCreation(ofAll: service) { instance, event in
            if event.request.name == name { hook(instance, event) }
        }
    }

    /// Calls `hook` with each new instance of one service, whatever its name, as ``onCreation(_:)``.
    package func onCreation<Service: Sendable>(
        ofAll service: Service.Type, _ hook: @escaping @Sendable (Service, CreationEvent) -> Void
    ) {
        hooks.add { event, type, instance in
            guard type == ObjectIdentifier(service), let instance = instance as? Service else {
                return
            }
            hook(instance, event)
        }
        observe()
    }
}
