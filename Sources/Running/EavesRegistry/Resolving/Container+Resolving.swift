// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) package import EavesInterface
import Synchronization

// Everything here runs in a read section. Until the section is left, it keeps alive what is found in it
// without counting references: tables, registrations, factories and instances that scopes keep.
extension Container {
    @inline(__always)
    package func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        guard let name else { return try resolve(service, named: nil) }
        return try resolveNamed(service, name)
    }

    /// Apart from ``resolve(_:named:)`` without a name, which then has fewer values to put aside.
    @inline(never)
    private func resolveNamed<Service: Sendable>(
        _ service: Service.Type, _ name: String
    ) throws(ResolutionError) -> Service {
        try resolve(service, named: name)
    }

    @inline(__always)
    private func resolve<Service: Sendable>(
        _ service: Service.Type, named name: String?
    ) throws(ResolutionError) -> Service {
        let context = ThreadContext.current
        let before = context.enterPinned()
        let table = before & 1 == 0 ? frontTable : context.table(of: self)
        guard let found = table.find(.withoutArguments(service, name: name)) else {
            return try findElsewhere(service, name: name, in: context, before, than: table)
        }
        return try found.use { registration throws(ResolutionError) -> Service in
            if let created = registration.created.load(ordering: .acquiring) {
                defer { context.leave(before) }
                // SAFETY: every registration under this key is a `Factory` of this service, which
                // stores nothing but a pointer to an initialised value of it.
                return created.assumingMemoryBound(to: Service.self).pointee
            }
            if before & 1 == 0 { context.pin(self, table) }
            return try create(service, by: registration, in: context, before)
        }
    }

    /// Creates an instance, and ends the resolution that has found its registration.
    ///
    /// - Parameter registration: A registration of exactly this service, without arguments.
    @inline(__always)
    func create<Service: Sendable>(
        _ service: Service.Type, by registration: Registration, in context: ThreadContext,
        _ before: UInt64
    ) throws(ResolutionError) -> Service {
        // SAFETY: every registration of a service is a `Factory` of it.
        let factory = unsafeDowncast(registration, to: Factory<Service>.self)
        guard factory.isDirect, context.mayCall(factory) else {
            return try create(factory, in: context, before)
        }
        let bits = context.push(factory)
        do {
            return try createDirectly(factory, for: self, in: context, bits, before)
        } catch {
            defer {
                context.pop(bits)
                context.leave(before)
            }
            throw context.failure(of: factory, error)
        }
    }

    /// Calls a factory, and ends what `resolve` began. Only if the factory throws is anything left to do.
    ///
    /// A function that returns in one place constructs its result in its caller's memory. A function
    /// with several ways out would copy it, and so would this one if it was inlined.
    ///
    /// - Parameter resolver: The container. As a parameter it comes with the table of its functions,
    ///   which would otherwise be looked up.
    @inline(never)
    private func createDirectly<Service: Sendable>(
        _ factory: Factory<Service>, for resolver: any Resolver, in context: ThreadContext,
        _ bits: UInt64, _ before: UInt64
    ) throws -> Service {
        let instance = try factory.create(resolver)
        if context.hasNotes { try context.checkNotes() }
        context.pop(bits)
        context.leave(before)
        return instance
    }

    @inline(never)
    private func create<Service: Sendable>(
        _ factory: Factory<Service>, in context: ThreadContext, _ before: UInt64
    ) throws(ResolutionError) -> Service {
        defer { context.leave(before) }
        guard factory.isDirect else {
            return try instance(of: factory, in: context) { try factory.create($0) }
        }
        try context.checkCycle(factory)
        return try context.running(factory) { () throws -> Service in
            try lending(in: context) { resolver in try factory.create(resolver) }
        }
    }

    @inline(never)
    private func findElsewhere<Service: Sendable>(
        _ service: Service.Type, name: String?, in context: ThreadContext, _ before: UInt64,
        than table: RegistrationTable
    ) throws(ResolutionError) -> Service {
        defer { context.leave(before) }
        let key = ServiceKey.withoutArguments(service, name: name)
        if before & 1 == 0 {
            context.unpin()
            if !isCurrent(table) {
                let found = try withRegistration(of: key, in: context) {
                    registration throws(ResolutionError) -> Service in
                    try instance(of: registration, service, in: context)
                }
                if let found { return found }
            }
        }
        return try findElsewhere(key, service, in: context)
    }

    package func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        guard ServiceKey.takesArguments(repeat (each Argument).self) else {
            return try resolve(service, name: name)
        }
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        let found = try withRegistration(of: key, in: context) {
            registration throws(ResolutionError) -> Service in
            try instance(of: registration, service, in: context, repeat each arguments)
        }
        if let found { return found }
        return try findElsewhere(key, service, in: context, repeat each arguments)
    }

    /// The existing or a new instance of a registration.
    ///
    /// - Parameter registration: A registration of exactly this service and these argument types.
    func instance<Service: Sendable, each Argument>(
        of registration: Registration, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        // SAFETY: every registration of a service is a `Factory` of it.
        let factory = unsafeDowncast(registration, to: Factory<Service>.self)
        guard let argumentFactory = factory.argumentFactory else {
            return try instance(of: factory, in: context) { try factory.create($0) }
        }
        // SAFETY: the caller asked with the types that the registration's key has.
        let closure = unsafeDowncast(
            argumentFactory, to: ArgumentFactory<Service, repeat each Argument>.self)
        return try instance(of: factory, in: context) {
            try closure.create($0, repeat each arguments)
        }
    }

    @inline(__always)
    func lending<Result>(
        in context: ThreadContext, _ body: (any Resolver) throws -> Result
    ) rethrows -> Result {
        if context.isCreating {
            return try CreationResolver.lend(in: context, of: self, body)
        }
        return try body(self)
    }
}

// Lending gives a service where its container keeps it, without copying it.
extension Container {
    package func lend(_ service: Any.Type, name: String?) -> Loan {
        let section = ThreadContext.current.openForLoan()
        guard let instance = keptInstance(.withoutArguments(service, name: name)) else {
            section?.pointee.store(0, ordering: .releasing)
            return Loan()
        }
        return Loan(instance, until: section)
    }

    /// Points to the instance that is kept under a key, here or in the nearest parent that has the key.
    @inline(__always)
    private func keptInstance(_ key: ServiceKey) -> UnsafeRawPointer? {
        let front = frontTable
        if let found = front.find(key) {
            return found._withUnsafeGuaranteedRef { $0.created.load(ordering: .acquiring) }
        }
        // Only resolving finds out which table is asked.
        guard isCurrent(front) else { return nil }
        // Only resolving finds out whether a container that chooses has the key itself.
        return parent == nil || chooser != nil ? nil : keptInstanceAbove(key)
    }

    @inline(never)
    private func keptInstanceAbove(_ key: ServiceKey) -> UnsafeRawPointer? {
        parent?.keptInstance(key)
    }
}

extension Unmanaged<Registration> {
    /// Calls `body` with the registration, which the read section keeps alive, without counting a
    /// reference.
    @inline(__always)
    fileprivate func use<Result>(
        _ body: (Registration) throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        do {
            return try _withUnsafeGuaranteedRef(body)
        } catch let failure as ResolutionError {
            throw failure
        } catch {
            preconditionFailure("the body throws nothing else")
        }
    }
}

extension Container {
    /// The instances of all registrations of a service, chosen or not, here and in the parents.
    ///
    /// - Throws: ``ResolutionError`` if one of them cannot be created, or a supplier throws.
    package func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let types = ServiceKey.types(repeat (each Argument).self)
        let wanted = ServiceRequest(service, arguments: types)
        var all: [Service] = []
        for container in lineage {
            do {
                try container.supplierOfAll(wanted, container)
            } catch {
                throw ResolutionError(.moduleFailed(error), wanted: wanted, chain: context.chain)
            }
            let identifiers = types.map { ObjectIdentifier($0) }
            let now = container.currentTable
            let found = container.known(to: context, or: now).filter { known in
                let traits = known.registration.traits
                return known.registration.service == ObjectIdentifier(service)
                    && traits.arguments == identifiers && !traits.isStandIn
            }
            for known in found.sorted(by: { $0.registration.isBefore($1.registration) }) {
                let create = { () throws(ResolutionError) in
                    try container.instance(
                        of: known.registration.base, service, in: context, repeat each arguments)
                }
                all.append(
                    known.isLater
                        ? try context.freshly(from: container, in: now, create) : try create())
            }
        }
        return all
    }

    /// The registrations that the present resolution has in this container, and those of modules that came later,
    /// because the resolution asked for all, or have the state by now.
    private func known(
        to context: ThreadContext, or now: RegistrationTable
    ) -> [(registration: Registration, isLater: Bool)] {
        let table = context.table(of: self)
        let known = table.all.filter { !context.isOfCall || !$0.hasLostState }
            .map { (registration: $0, isLater: false) }
        guard now.identity != table.identity else { return known }
        let modules = Set(known.map(\.registration.module))
        return known
            + now.all.filter { !modules.contains($0.module) }
            .map { (registration: $0, isLater: true) }
    }
}

extension Registration {
    /// The order of `resolveAll`: the host's registrations first, then by module; within a module the
    /// unnamed one first, then by name. Texts are compared by their bytes, so that the order is the
    /// same everywhere.
    fileprivate func isBefore(_ other: Registration) -> Bool {
        if module != other.module { return Self.isBefore(module, other.module) }
        return Self.isBefore(request.name, other.request.name)
    }

    private static func isBefore(_ one: String?, _ other: String?) -> Bool {
        guard let other else { return false }
        guard let one else { return true }
        return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
