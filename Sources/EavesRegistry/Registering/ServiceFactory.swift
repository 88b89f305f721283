// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

// SAFETY: as `Registration`; what is added is constant or guards itself, here and in the subclasses.
/// A registration that knows its service's type: keeps what the factory made.
class ServiceFactory<Service: Sendable>: Registration, @unchecked Sendable {
    typealias Completed = @Sendable (any Resolver, Service) throws -> Void

    /// Lets one thread at a time make the instance that is kept; `nil` in scopes that keep none, and
    /// if what is awaited keeps it.
    let building: Construction?
    /// The instance of the weak scope; `nil` in other scopes.
    private let weak: WeakInstance<Service>?

    /// Gives what was made what it needs, if that is done apart.
    let completed: Completed?

    init(
        key: ServiceKey, request: consuming ServiceRequest, scope: consuming Scope, module: String?,
        place: consuming SourcePlace, traits: consuming RegistrationTraits, completed: Completed?
    ) {
        let isKept = !traits.isAwaited && scope != .transient && scope != .graph
        building = isKept ? Construction() : nil
        weak = isKept && scope == .weak ? WeakInstance() : nil
        self.completed = completed
        if completed != nil { traits.isCompleted = true }
        super.init(
            key: key, service: Service.self, request: request, scope: scope, module: module,
            place: place, traits: traits)
    }

    /// - Parameter other: What to take over, without what it made.
    init(copying other: ServiceFactory, key: ServiceKey, traits: RegistrationTraits) {
        building = other.building == nil ? nil : Construction()
        weak = other.weak == nil ? nil : WeakInstance()
        completed = traits.isCompleted ? other.completed : nil
        super.init(copying: other, key: key, traits: traits)
    }

    override func instance(from container: Container) throws(ResolutionError) -> Any? {
        guard request.arguments.isEmpty else { return nil }
        return try container.resolve(Service.self, name: request.name)
    }

    /// The traits of what decorates it. What it completes is complete before it is decorated.
    func decoratedTraits(_ decorator: Decorator) -> RegistrationTraits {
        var traits = traits
        traits.isCompleted = false
        traits.layer = RegistrationTraits.Layer(inner: self, decorator: decorator)
        return traits
    }

    /// The instance that is kept, if it is there for all to have.
    var instance: Service? {
        if let weak { return weak.instance }
        // SAFETY: only `publish` stores to `made`, a pointer to an initialised `Service`.
        return made.load(ordering: .acquiring)?.assumingMemoryBound(to: Service.self).pointee
    }

    /// Keeps an instance, for all to have. Once, unless it is kept weakly, by who is building it.
    func publish(_ instance: Service) {
        if let weak { return weak.remember(instance) }
        let memory = UnsafeMutablePointer<Service>.allocate(capacity: 1)
        memory.initialize(to: instance)
        made.store(UnsafeRawPointer(memory), ordering: .releasing)
    }

    deinit {
        guard let made = made.load(ordering: .acquiring) else { return }
        // SAFETY: allocated and initialised in `publish`. Who resolves reads it in a section, and
        // registrations are released when no section is left that could.
        let memory = UnsafeMutablePointer(mutating: made.assumingMemoryBound(to: Service.self))
        memory.deinitialize(count: 1)
        memory.deallocate()
    }
}
