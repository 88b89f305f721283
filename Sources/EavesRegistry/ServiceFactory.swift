// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

// SAFETY: as `Registration`; what is added is constant or guards itself, here and in the subclasses.
/// A registration that knows its service's type: keeps what the factory made.
class ServiceFactory<Service: Sendable>: Registration, @unchecked Sendable {
    /// Lets one thread at a time make the instance that is kept; `nil` in scopes that keep none, and
    /// if `awaited` keeps it.
    let building: Construction?
    /// The instance of the weak scope; `nil` in other scopes.
    private let weak: WeakInstance<Service>?

    init(
        key: ServiceKey, request: ServiceRequest, scope: Scope, module: String?, place: SourcePlace,
        awaited: (any Awaited)?
    ) {
        let isKept = awaited == nil && scope != .transient && scope != .graph
        building = isKept ? Construction() : nil
        weak = isKept && scope == .weak ? WeakInstance() : nil
        super.init(
            key: key, service: Service.self, request: request, scope: scope, module: module,
            place: place, awaited: awaited)
    }

    /// - Parameter other: What to take over, without what it made.
    init(renewing other: ServiceFactory) {
        building = other.building == nil ? nil : Construction()
        weak = other.weak == nil ? nil : WeakInstance()
        super.init(renewing: other)
    }

    /// The instance that is kept, made by `make` if there is none yet.
    ///
    /// - Parameters:
    ///   - reader: The thread that asks.
    ///   - make: Makes it. If it throws, the next who asks makes it.
    func shared(
        _ building: Construction, for reader: Reader,
        make: () throws(ResolutionFailure) -> Service
    ) throws(ResolutionFailure) -> Service {
        if let weak {
            return try shared(weakly: weak, building, for: reader, make: make)
        }
        if try building.begin(for: reader, unless: { isMade }, cycle: { reader.cycle(self) }) {
            defer { building.end() }
            let memory = UnsafeMutablePointer<Service>.allocate(capacity: 1)
            do throws(ResolutionFailure) {
                memory.initialize(to: try make())
            } catch {
                memory.deallocate()
                throw error
            }
            // Before `end`, so that whoever begins after it finds the instance.
            made.store(UnsafeRawPointer(memory), ordering: .releasing)
            return memory.pointee
        }
        guard let made = made.load(ordering: .acquiring) else {
            preconditionFailure("an instance that was made cannot be unmade")
        }
        // SAFETY: only the lines above store to `made`, a pointer to an initialised `Service`.
        return made.assumingMemoryBound(to: Service.self).pointee
    }

    private func shared(
        weakly weak: WeakInstance<Service>, _ building: Construction, for reader: Reader,
        make: () throws(ResolutionFailure) -> Service
    ) throws(ResolutionFailure) -> Service {
        while true {
            if let instance = weak.instance { return instance }
            let isHere = { weak.instance != nil }
            if try building.begin(for: reader, unless: isHere, cycle: { reader.cycle(self) }) {
                defer { building.end() }
                let instance = try make()
                weak.remember(instance)
                return instance
            }
        }
    }

    deinit {
        guard let made = made.load(ordering: .acquiring) else { return }
        // SAFETY: allocated and initialised in `shared`. Who resolves reads it in a section, and
        // registrations are released when no section is left that could.
        let memory = UnsafeMutablePointer(mutating: made.assumingMemoryBound(to: Service.self))
        memory.deinitialize(count: 1)
        memory.deallocate()
    }
}
