// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface
import Synchronization

// How an instance is created that does not exist yet. Everything here runs in a read section, as all of
// resolving does.
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
    /// ``CreationResolver``.
    private func lending<Service: Sendable, Result>(
        to factory: Factory<Service>, in context: ThreadContext,
        _ body: (any Resolver) throws -> Result
    ) throws -> Result {
        factory.turn == nil
            ? try lending(in: context, body)
            : try CreationResolver.lend(in: context, of: self, body)
    }
}

private struct NewInstance<Service> {
    let service: Service
    /// Whether a call of the same factory within this one has created it.
    var isKnown = false
    /// The instances that become visible together with it.
    var inner: [Circle.Member] = []
}
