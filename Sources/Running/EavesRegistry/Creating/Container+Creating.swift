// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

// How an instance is created that does not exist yet. Everything here runs in a read section, as all of
// resolving does.
extension Container {
    /// The existing or a new instance of a registration in any scope.
    ///
    /// - Parameter call: Calls the factory.
    @inline(never)
    func instance<Service: Sendable>(
        of factory: Factory<Service>, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> Service {
        if let kept = factory.kept.load(ordering: .acquiring) {
            context.noteAsk(of: factory)
            // SAFETY: a `Factory` stores nothing but a pointer to an initialised value.
            return kept.assumingMemoryBound(to: Service.self).pointee
        }
        return try forOthers(factory, in: context) { () throws(ResolutionError) in
            try instanceAnew(of: factory, in: context, calling: call)
        }
    }

    private func instanceAnew<Service: Sendable>(
        of factory: Factory<Service>, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> Service {
        try context.steppingBack { () throws(ResolutionError) -> Service in
            if factory.scope == .graph, let known = context.graph.instance(of: factory) {
                // If it is incomplete, this also notes that the caller has reached it.
                return context.incompleteObjects?.instance(of: factory) ?? known
            }
            guard let turn = factory.turn else {
                if let known = context.incompleteObjects?.instance(of: factory) { return known }
                try context.checkCycle(factory)
                return try create(factory, in: context, calling: call).instance
            }
            // Code that gets the instance has asked for it, and so has code that gets it too early.
            defer { context.noteAsk(of: factory) }
            if let known = context.incompleteObjects?.instance(of: factory) { return known }
            try context.checkCycle(factory)
            return try createOnce(factory, turn, in: context, calling: call)
        }
    }

    /// The instance that the scope keeps, created by this thread or by the one that is faster. If its
    /// factory throws, the next thread that asks calls it again.
    private func createOnce<Service: Sendable>(
        _ factory: Factory<Service>, _ turn: CreationTurn, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> Service {
        while true {
            // An instance in the weak scope may go at any time.
            if let instance = factory.instance { return instance }
            let isMine = try turn.begin(
                for: context, unless: { factory.instance != nil },
                cycle: { context.crossing(turn, context.cycle(factory)) },
                after: patience, isLate: { tellOfLongWait(for: factory.request, factory) })
            guard isMine else { continue }
            let new: (instance: Service, level: Int)
            do throws(ResolutionError) {
                new = try create(factory, in: context, calling: call)
            } catch {
                turn.end()
                throw error
            }
            if new.level == IncompleteObjects.none {
                // Published before the turn ends, so that the next thread finds the instance.
                factory.publish(new.instance)
                turn.end()
            } else {
                context.incompleteObjects?.add(
                    new.instance, of: factory, level: new.level,
                    publish: {
                        factory.publish(new.instance)
                        turn.end()
                    }, drop: turn.end)
            }
            return new.instance
        }
    }

    /// Calls a factory, completes the instance, and reports the creation.
    ///
    /// - Returns: The instance, and the level of the ``IncompleteObjects`` that it has reached.
    private func create<Service: Sendable>(
        _ factory: Factory<Service>, in context: ThreadContext,
        calling call: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> (instance: Service, level: Int) {
        let start = hooks.isEmpty || context.isCreatingInner(factory) ? nil : ContinuousClock.now
        let incomplete = context.incompleteObjects
        let outer = incomplete?.begin()
        var level = IncompleteObjects.none
        defer {
            if let incomplete, let outer, level == IncompleteObjects.none {
                level = incomplete.end(outer)
            }
        }
        var instance = try context.running(factory) { () throws -> Service in
            try self.lending(to: factory, in: context, call)
        }
        let isGraph = factory.scope == .graph
        if isGraph { instance = context.graph.keep(instance, of: factory) }
        if factory.completed != nil {
            try complete(instance, of: factory, in: context)
        }
        if let incomplete, let outer { level = incomplete.end(outer) }
        if isGraph, level != IncompleteObjects.none {
            incomplete?.add(instance, of: factory, level: level, publish: {}) {
                context.graph.forget(factory)
            }
        }
        if let start {
            hooks.report(
                instance, CreationEvent(factory, duration: ContinuousClock.now - start))
        }
        return (instance, level)
    }

    private func complete<Service: Sendable>(
        _ instance: Service, of factory: Factory<Service>, in context: ThreadContext
    ) throws(ResolutionError) {
        guard let completed = factory.completed else { return }
        let run = { () throws(ResolutionError) in
            try context.running(factory) { () throws in
                try self.lending(to: factory, in: context) { try completed($0, instance) }
            }
        }
        if factory.scope == .transient { return try run() }
        let isGraph = factory.scope == .graph
        try context.completing(
            instance, of: factory, drop: { if isGraph { context.graph.forget(factory) } }, run)
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
