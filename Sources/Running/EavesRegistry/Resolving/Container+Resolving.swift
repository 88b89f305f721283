// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
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
            return try Creation.lend(in: context, of: self, body)
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
    /// Calls `body` with the registration, which the read section keeps alive, without counting a reference.
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

// How an instance is created that does not exist yet. Everything here runs in a read section, as all of resolving does.
extension Container {
    /// The existing or a new instance of a registration in any scope.
    @inline(never)
    func instance<Service: Sendable>(
        of factory: Factory<Service>, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> Service {
        if let created = factory.created.load(ordering: .acquiring) {
            // SAFETY: a `Factory` stores nothing but a pointer to an initialised value.
            return created.assumingMemoryBound(to: Service.self).pointee
        }
        return try forOthers(factory, in: context) { () throws(ResolutionError) in
            try instanceAnew(
                of: factory, in: context, calling: call, completing: factory.completed)
        }
    }

    /// The instance that this resolution finds, or that this thread or a faster one creates. If the factory throws, the
    /// next thread that asks calls it again.
    ///
    /// - Parameter store: The store of a factory that runs on the main actor, if the scope keeps the instance.
    func instanceAnew<Service: Sendable>(
        of factory: Factory<Service>, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service,
        completing complete: ((any Resolver, Service) throws -> Void)?,
        in store: InstanceStore<Service>? = nil
    ) throws(ResolutionError) -> Service {
        // It may be all that keeps the instance in the weak scope that takes its place.
        var dropped: Service?
        defer { withExtendedLifetime(dropped) {} }
        while true {
            if let known = known(factory, in: context, store) { return known }
            try context.checkCycle(factory)
            if let turn = factory.turn {
                let isMine = try turn.begin(
                    for: context, unless: { factory.instance != nil }, mayHaveTurn: true,
                    cycle: { context.cycle(factory) },
                    after: patience, isLate: { tellOfLongWait(for: factory.request, factory) })
                guard isMine else { continue }
            }
            let new: NewInstance<Service>
            let circle = context.circle
            let outer = circle?.begin()
            do throws(ResolutionError) {
                new = try create(factory, in: context, calling: call, completing: complete, store)
            } catch {
                if let outer { _ = circle?.end(outer) }
                if let turn = factory.turn { context.giveUp(turn, of: factory) }
                throw error
            }
            let level = outer.flatMap { circle?.end($0) } ?? Circle.none
            if publish(new, of: factory, level: level, in: context, store) { return new.service }
            dropped = new.service
        }
    }

    /// The instance that the scope keeps, or that the thread has not completed yet.
    private func known<Service: Sendable>(
        _ factory: Factory<Service>, in context: ThreadContext, _ store: InstanceStore<Service>?
    ) -> Service? {
        if let incomplete = context.circle?.instance(of: factory) { return incomplete }
        if let store { return store.instance }
        // An instance in the weak scope may go at any time.
        return factory.scope == .graph ? context.graph.instance(of: factory) : factory.instance
    }

    private func create<Service: Sendable>(
        _ factory: Factory<Service>, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service,
        completing complete: ((any Resolver, Service) throws -> Void)?,
        _ store: InstanceStore<Service>?
    ) throws(ResolutionError) -> NewInstance<Service> {
        // The factory may load a library that changes how this thread computes, and other modules' code runs here next.
        // Where the instance is not kept, asking for this would make each resolution slower.
        let arithmetic = factory.turn.map { _ in eaves_arithmetic() }
        defer { if let arithmetic { eaves_set_arithmetic(arithmetic) } }
        var service = try context.running(factory) { () throws -> Service in
            try lending(to: factory, in: context, call)
        }
        // The completion of another object may have called the factory once more. A store is filled then, while a turn
        // is lost, which `publish` notices.
        if complete != nil || store != nil || context.circle != nil,
            let known = known(factory, in: context, store)
        {
            return NewInstance(service: known, isKnown: true)
        }
        if factory.scope == .graph { service = context.graph.keep(service, of: factory) }
        guard let complete else { return NewInstance(service: service) }
        let run = { () throws(ResolutionError) in
            try context.running(factory) { () throws in
                try self.lending(to: factory, in: context) { try complete($0, service) }
            }
        }
        if factory.scope == .transient {
            try run()
            return NewInstance(service: service)
        }
        return NewInstance(
            service: service, inner: try context.completing(service, of: factory, run))
    }

    /// Makes a new instance visible: at once, or together with the incomplete object that it has reached.
    ///
    /// - Returns: Whether it counts; otherwise another thread has taken over the creation, and this one begins anew.
    private func publish<Service: Sendable>(
        _ new: NewInstance<Service>, of factory: Factory<Service>, level: Int,
        in context: ThreadContext, _ store: InstanceStore<Service>?
    ) -> Bool {
        if new.isKnown || factory.scope == .transient { return true }
        let service = new.service
        guard level == Circle.none, new.inner.isEmpty else {
            let own = Circle.Member(service, of: factory, turn: factory.turn, level: level) {
                if let store { store.keep(service) }
                if factory.turn != nil { factory.publish(service) }
            }
            if level == Circle.none { return context.publish(new.inner + [own]) }
            context.circle?.add(own)
            return true
        }
        if let turn = factory.turn {
            return turn.end(by: context.thread) { factory.publish(service) }
        }
        store?.keep(service)
        return true
    }

    /// Calls `body` with the resolver for a factory. If other threads may wait for the instance, it is a
    /// one that knows what the thread is creating.
    private func lending<Service: Sendable, Result>(
        to factory: Factory<Service>, in context: ThreadContext,
        _ body: (any Resolver) throws -> Result
    ) throws -> Result {
        factory.turn == nil
            ? try lending(in: context, body)
            : try Creation.lend(in: context, of: self, body)
    }
}

private struct NewInstance<Service> {
    let service: Service
    /// Whether a call of the same factory within this one has created it.
    var isKnown = false
    /// The instances that become visible together with it.
    var inner: [Circle.Member] = []
}
