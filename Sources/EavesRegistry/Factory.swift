// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

// SAFETY: as `Registration`; what is added is constant or guards itself.
/// A registration with its typed factory.
final class Factory<Service: Sendable, each Argument>: Registration, @unchecked Sendable {
    typealias Make = @Sendable (any Resolver, repeat each Argument) throws -> Service

    let make: Make
    /// Lets one thread at a time make the instance that is kept; `nil` in scopes that keep none.
    let building: Construction?
    /// The instance of the weak scope; `nil` in other scopes.
    private let weak: WeakInstance<Service>?

    init(
        _ service: Service.Type, name: String?, scope: Scope, module: String?, place: SourcePlace,
        make: @escaping Make
    ) {
        self.make = make
        building = scope == .transient || scope == .graph ? nil : Construction()
        weak = scope == .weak ? WeakInstance() : nil
        var arguments: [Any.Type] = []
        for type in repeat (each Argument).self { arguments.append(type) }
        super.init(
            key: ServiceKey(service, name: name, arguments: repeat (each Argument).self),
            service: service,
            request: ServiceRequest(service, name: name, arguments: arguments),
            scope: scope, module: module, place: place)
    }

    /// - Parameter other: What to take over, without what it made.
    private init(renewing other: Factory) {
        make = other.make
        building = other.building == nil ? nil : Construction()
        weak = other.weak == nil ? nil : WeakInstance()
        super.init(renewing: other)
    }

    override func renewed() -> Registration { Factory(renewing: self) }

    /// Calls the factory.
    @inline(__always)
    func call(_ resolver: any Resolver, _ arguments: repeat each Argument) throws -> Service {
        try make(resolver, repeat each arguments)
    }

    /// The instance that is kept, made by `make` if there is none yet.
    ///
    /// - Parameters:
    ///   - builder: The thread that asks.
    ///   - cycle: The error to throw if waiting for another thread would never end.
    ///   - make: Makes it. If it throws, the next who asks makes it.
    func shared(
        _ building: Construction, for builder: WaitGraph.Builder, cycle: () -> ResolutionFailure,
        make: () throws(ResolutionFailure) -> Service
    ) throws(ResolutionFailure) -> Service {
        if let weak {
            return try shared(weakly: weak, building, for: builder, cycle: cycle, make: make)
        }
        if try building.begin(for: builder, unless: { isMade }, cycle: cycle) {
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
        weakly weak: WeakInstance<Service>, _ building: Construction,
        for builder: WaitGraph.Builder, cycle: () -> ResolutionFailure,
        make: () throws(ResolutionFailure) -> Service
    ) throws(ResolutionFailure) -> Service {
        while true {
            if let instance = weak.instance { return instance }
            let isHere = { weak.instance != nil }
            if try building.begin(for: builder, unless: isHere, cycle: cycle) {
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
