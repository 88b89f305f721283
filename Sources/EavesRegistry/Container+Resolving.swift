// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
package import EavesInterface
import Synchronization

// Everything below runs in a read section. It keeps what is found there alive without counting
// references, until it is left: tables, registrations, factories and shared instances.
extension Container {
    @inline(__always)
    package func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try find(service, name: name)
        } catch {
            try error.raise()
        }
    }

    package func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try find(service, name: name, arguments: repeat each arguments)
        } catch {
            try error.raise()
        }
    }

    @inline(__always)
    private func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionFailure) -> Service {
        let reader = eaves_reader_current()
        let isOpened = reader.enter()
        defer { reader.leave(isOpened) }
        let key = ServiceKey.plain(service, name: name)
        guard let found = registration(of: key) else {
            return try findElsewhere(key, service, for: reader)
        }
        return try found.use { registration throws(ResolutionFailure) -> Service in
            if let made = registration.made.load(ordering: .acquiring) {
                // SAFETY: a registration under this key is a `Factory` of this service, which
                // stores nothing but a pointer to an initialised value of it.
                return made.assumingMemoryBound(to: Service.self).pointee
            }
            // SAFETY: the key is of this service without arguments, and only a `Factory` of just
            // these is ever stored under it.
            let factory = unsafeDowncast(registration, to: Factory<Service>.self)
            guard registration.isTransient else { return try make(factory, for: reader) }
            try reader.checkCycle(factory)
            return try reader.building(factory) { () throws -> Service in
                try lending { resolver in try factory.call(resolver) }
            }
        }
    }

    func find<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        let reader = eaves_reader_current()
        let isOpened = reader.enter()
        defer { reader.leave(isOpened) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        guard let found = registration(of: key) else {
            return try findElsewhere(key, service, for: reader, repeat each arguments)
        }
        return try found.use { registration throws(ResolutionFailure) -> Service in
            // SAFETY: the key holds the type of the factory, or that of the service if there are
            // no arguments, and only a `Factory` of just these is ever stored under it.
            let factory = unsafeDowncast(
                registration, to: Factory<Service, repeat each Argument>.self)
            return try make(factory, for: reader, repeat each arguments)
        }
    }

    private func make<Service: Sendable, each Argument>(
        _ factory: Factory<Service, repeat each Argument>, for reader: Reader,
        _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        if let made = factory.made.load(ordering: .acquiring) {
            // SAFETY: a `Factory` stores nothing but a pointer to an initialised value.
            return made.assumingMemoryBound(to: Service.self).pointee
        }
        if factory.scope == .graph, let made = reader.graph.instance(of: factory) { return made }
        try reader.checkCycle(factory)
        let run = { () throws(ResolutionFailure) -> Service in
            try reader.building(factory) { () throws -> Service in
                try self.lending { resolver in try factory.call(resolver, repeat each arguments) }
            }
        }
        guard let building = factory.building else {
            let made = try run()
            if factory.scope == .graph { reader.graph.keep(made, of: factory) }
            return made
        }
        return try factory.shared(
            building, for: UInt(bitPattern: reader), cycle: { reader.cycle(factory) }, make: run)
    }

    /// What is registered here under a key, to be used within the section.
    @inline(__always)
    func registration(of key: ServiceKey) -> Unmanaged<Registration>? {
        RegistrationTable(table.load(ordering: .acquiring)).find(key)
    }

    /// Calls `body` with what factories are given, without counting a reference.
    @inline(__always)
    private func lending<Result>(_ body: (any Resolver) throws -> Result) rethrows -> Result {
        guard let lent else { preconditionFailure("the container is gone") }
        return try lent._withUnsafeGuaranteedRef { try body($0.resolver) }
    }
}

extension Unmanaged<Registration> {
    /// Calls `body` with the registration, which the section keeps alive, without counting.
    @inline(__always)
    fileprivate func use<Result>(
        _ body: (Registration) throws(ResolutionFailure) -> Result
    ) throws(ResolutionFailure) -> Result {
        do {
            return try _withUnsafeGuaranteedRef(body)
        } catch let failure as ResolutionFailure {
            throw failure
        } catch {
            preconditionFailure("the body throws nothing else")
        }
    }
}
