// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
package import EavesInterface
import Synchronization

// Everything below runs in a read section. It keeps what is found there alive without counting
// references, until it is left: tables, registrations, factories and shared instances.
extension Container {
    package func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try find(service, name: name)
        } catch {
            throw error.error
        }
    }

    package func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try find(service, name: name, arguments: repeat each arguments)
        } catch {
            throw error.error
        }
    }

    @inline(__always)
    package func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionFailure) -> Service {
        let reader = eaves_reader_current()
        let before = reader.enter()
        guard let found = registration(of: .plain(service, name: name)) else {
            return try findElsewhere(service, name: name, for: reader, before)
        }
        return try found.use { registration throws(ResolutionFailure) -> Service in
            if let made = registration.made.load(ordering: .acquiring) {
                defer { reader.leave(before) }
                // SAFETY: a registration under this key is a `Factory` of this service, which
                // stores nothing but a pointer to an initialised value of it.
                return made.assumingMemoryBound(to: Service.self).pointee
            }
            // SAFETY: the key is of this service without arguments, and only a `PlainFactory` of it
            // is ever stored under it.
            let factory = unsafeDowncast(registration, to: PlainFactory<Service>.self)
            guard factory.isTransient, reader.mayBuild(factory) else {
                return try make(factory, for: reader, before)
            }
            let bits = reader.push(factory)
            do {
                return try makeTransient(factory, for: reader, bits, before)
            } catch {
                return try makeAgain(factory, for: reader, bits, before, error)
            }
        }
    }

    /// Calls a factory, and ends what `find` began. Only if it throws is there anything left to do.
    ///
    /// Where a function has one result to give, its caller's memory is where it is made. A function
    /// with several ways out would copy it.
    private func makeTransient<Service: Sendable>(
        _ factory: PlainFactory<Service>, for reader: Reader, _ bits: UInt64, _ before: UInt64
    ) throws -> Service {
        guard let lent else { preconditionFailure("the container is gone") }
        let made = try lent._withUnsafeGuaranteedRef { try factory.make($0.resolver) }
        if reader.pointee.uninjected != nil { try reader.checkInjected() }
        reader.pop(bits)
        reader.leave(before)
        return made
    }

    @inline(never)
    private func makeAgain<Service: Sendable>(
        _ factory: PlainFactory<Service>, for reader: Reader, _ bits: UInt64, _ before: UInt64,
        _ error: any Error
    ) throws(ResolutionFailure) -> Service {
        defer {
            reader.pop(bits)
            reader.leave(before)
        }
        return try reader.again(factory, error) {
            try lending(for: reader) { try factory.make($0) }
        }
    }

    @inline(never)
    private func make<Service: Sendable>(
        _ factory: PlainFactory<Service>, for reader: Reader, _ before: UInt64
    ) throws(ResolutionFailure) -> Service {
        defer { reader.leave(before) }
        guard factory.isTransient else {
            return try kept(factory, for: reader) { try factory.make($0) }
        }
        try reader.checkCycle(factory)
        return try reader.building(factory) { () throws -> Service in
            try lending(for: reader) { resolver in try factory.make(resolver) }
        }
    }

    @inline(never)
    private func findElsewhere<Service: Sendable>(
        _ service: Service.Type, name: String?, for reader: Reader, _ before: UInt64
    ) throws(ResolutionFailure) -> Service {
        defer { reader.leave(before) }
        return try findElsewhere(.plain(service, name: name), service, for: reader)
    }

    func find<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        guard ServiceKey.takesArguments(repeat (each Argument).self) else {
            return try find(service, name: name)
        }
        let reader = eaves_reader_current()
        let before = reader.enter()
        defer { reader.leave(before) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        guard let found = registration(of: key) else {
            return try findElsewhere(key, service, for: reader, repeat each arguments)
        }
        return try found.use { registration throws(ResolutionFailure) -> Service in
            // SAFETY: the key holds the type of the factory, and only one of that type is ever stored
            // under it.
            let factory = unsafeDowncast(
                registration, to: Factory<Service, repeat each Argument>.self)
            return try kept(factory, for: reader) { try factory.call($0, repeat each arguments) }
        }
    }

    /// What a factory in any scope makes or has made.
    ///
    /// - Parameter make: Calls it.
    @inline(never)
    func kept<Service: Sendable>(
        _ factory: ServiceFactory<Service>, for reader: Reader,
        make: (any Resolver) throws -> Service
    ) throws(ResolutionFailure) -> Service {
        if let made = factory.made.load(ordering: .acquiring) {
            // SAFETY: a `ServiceFactory` stores nothing but a pointer to an initialised value.
            return made.assumingMemoryBound(to: Service.self).pointee
        }
        if factory.scope == .graph, let made = reader.graph.instance(of: factory) {
            // Says to which circle it belongs, if it does.
            return reader.circle?.instance(of: factory) ?? made
        }
        if let made = reader.circle?.instance(of: factory) { return made }
        try reader.checkCycle(factory)
        return try create(factory, for: reader, make: make)
    }

    /// What is registered here under a key, to be used within the section.
    @inline(__always)
    func registration(of key: ServiceKey) -> Unmanaged<Registration>? {
        RegistrationTable(table.load(ordering: .acquiring)).find(key)
    }

    /// Calls `body` with what factories are given, without counting a reference.
    @inline(__always)
    func lending<Result>(
        for reader: Reader, _ body: (any Resolver) throws -> Result
    ) rethrows -> Result {
        if reader.pointee.making != nil {
            return try MakingResolver.lend(for: reader, in: self, body)
        }
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
