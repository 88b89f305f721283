// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// How something is made that is not there yet. Runs in a read section, as all that resolves.
extension Container {
    /// Makes what a factory in any scope makes, and keeps it as the scope has it.
    ///
    /// - Parameter make: Calls the factory.
    func create<Service: Sendable>(
        _ factory: ServiceFactory<Service>, for reader: Reader,
        make: (any Resolver) throws -> Service
    ) throws(ResolutionFailure) -> Service {
        try reader.steppingBack { () throws(ResolutionFailure) -> Service in
            if let building = factory.building {
                return try shared(factory, building, for: reader, make: make)
            }
            return try made(factory, for: reader, make).instance
        }
    }

    /// The instance that is kept, made by `make` if there is none yet. If that throws, the next who
    /// asks makes it.
    private func shared<Service: Sendable>(
        _ factory: ServiceFactory<Service>, _ building: Construction, for reader: Reader,
        make: (any Resolver) throws -> Service
    ) throws(ResolutionFailure) -> Service {
        while true {
            // A weak one may go at any time.
            if let instance = factory.instance { return instance }
            let isMine = try building.begin(
                for: reader, unless: { factory.instance != nil },
                cycle: { reader.crossing(building, reader.cycle(factory).error) })
            guard isMine else { continue }
            let made: (instance: Service, level: Int)
            do throws(ResolutionFailure) {
                made = try self.made(factory, for: reader, make)
            } catch {
                building.end()
                throw error
            }
            if made.level == Circle.outside {
                // Before `end`, so that whoever begins after it finds the instance.
                factory.publish(made.instance)
                building.end()
            } else {
                reader.circle?.add(
                    made.instance, of: factory, level: made.level,
                    publish: {
                        factory.publish(made.instance)
                        building.end()
                    }, drop: building.end)
            }
            return made.instance
        }
    }

    /// Calls a factory, completes what it made, and tells those who want to know.
    ///
    /// - Returns: What was made, and the level of the ``Circle`` that it has reached.
    private func made<Service: Sendable>(
        _ factory: ServiceFactory<Service>, for reader: Reader,
        _ make: (any Resolver) throws -> Service
    ) throws(ResolutionFailure) -> (instance: Service, level: Int) {
        let start = hooks.isEmpty || reader.isMakingInner(factory) ? nil : ContinuousClock.now
        let circle = reader.circle
        let outer = circle?.begin()
        var level = Circle.outside
        defer { if let circle, let outer, level == Circle.outside { level = circle.end(outer) } }
        var instance = try reader.building(factory) { () throws -> Service in
            try self.lending(to: factory, for: reader, make)
        }
        let isGraph = factory.scope == .graph
        if isGraph { instance = reader.graph.keep(instance, of: factory) }
        if factory.completed != nil {
            try complete(instance, of: factory, for: reader)
        }
        if let circle, let outer { level = circle.end(outer) }
        if isGraph, level != Circle.outside {
            circle?.add(instance, of: factory, level: level, publish: {}) {
                reader.graph.forget(factory)
            }
        }
        if let start {
            hooks.tell(instance, Creation(factory, duration: ContinuousClock.now - start))
        }
        return (instance, level)
    }

    private func complete<Service: Sendable>(
        _ instance: Service, of factory: ServiceFactory<Service>, for reader: Reader
    ) throws(ResolutionFailure) {
        guard let completed = factory.completed else { return }
        let run = { () throws(ResolutionFailure) in
            try reader.building(factory) { () throws in
                try self.lending(to: factory, for: reader) { try completed($0, instance) }
            }
        }
        if factory.scope == .transient { return try run() }
        let isGraph = factory.scope == .graph
        try reader.completing(
            instance, of: factory, drop: { if isGraph { reader.graph.forget(factory) } }, run)
    }

    /// Calls `body` with what a factory is given.
    private func lending<Service: Sendable, Result>(
        to factory: ServiceFactory<Service>, for reader: Reader,
        _ body: (any Resolver) throws -> Result
    ) throws -> Result {
        factory.building == nil
            ? try lending(for: reader, body)
            : try MakingResolver.lend(for: reader, in: self, body)
    }
}
