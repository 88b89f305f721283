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
        let reader = eaves_reader_current()
        let isOpened = eaves_reader_enter(reader)
        defer { eaves_reader_leave(reader, isOpened) }
        let key = ServiceKey.plain(service, name: name)
        let found =
            if let known = RegistrationTable(table.load(ordering: .acquiring)).find(key) {
                known
            } else {
                try supplied(key, ServiceRequest(service, name: name), for: reader)
            }
        return try found.use { registration throws(ResolutionError) -> Service in
            if let made = registration.made.load(ordering: .acquiring) {
                // SAFETY: a registration under this key is a `Factory` of this service, which
                // stores nothing but a pointer to an initialised value of it.
                return made.assumingMemoryBound(to: Service.self).pointee
            }
            // SAFETY: the key is of this service without arguments, and only a `Factory` of just
            // these is ever stored under it.
            return try make(unsafeDowncast(registration, to: Factory<Service>.self), for: reader)
        }
    }

    package func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let reader = eaves_reader_current()
        let isOpened = eaves_reader_enter(reader)
        defer { eaves_reader_leave(reader, isOpened) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        let found: Unmanaged<Registration>
        if let known = RegistrationTable(table.load(ordering: .acquiring)).find(key) {
            found = known
        } else {
            var types: [Any.Type] = []
            for type in repeat (each Argument).self { types.append(type) }
            let wanted = ServiceRequest(service, name: name, arguments: types)
            found = try supplied(key, wanted, for: reader)
        }
        return try found.use { registration throws(ResolutionError) -> Service in
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
    ) throws(ResolutionError) -> Service {
        try reader.checkCycle(factory)
        guard let building = factory.building else {
            return try run(factory, for: reader, repeat each arguments)
        }
        return try factory.shared(
            building, for: UInt(bitPattern: reader),
            cycle: { ResolutionError(.cycle, wanted: factory.request, chain: reader.chain) },
            make: { () throws(ResolutionError) in
                try run(factory, for: reader, repeat each arguments)
            })
    }

    private func run<Service: Sendable, each Argument>(
        _ factory: Factory<Service, repeat each Argument>, for reader: Reader,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        var frame = eaves_frame(
            parent: reader.pointee.top,
            registration: Unmanaged<Registration>.passUnretained(factory).toOpaque())
        // SAFETY: the frame is on top only within this call, which its memory outlives.
        return try withUnsafePointer(to: &frame) { top throws(ResolutionError) -> Service in
            reader.pointee.top = top
            defer { reader.pointee.top = top.pointee.parent }
            do {
                return try factory.make(asResolver.pointee, repeat each arguments)
            } catch {
                throw reader.wrap(error)
            }
        }
    }

    /// What the supplier registers for a key that is missing.
    private func supplied(
        _ key: ServiceKey, _ wanted: ServiceRequest, for reader: Reader
    ) throws(ResolutionError) -> Unmanaged<Registration> {
        do {
            if try supplier(wanted, self),
                let found = RegistrationTable(table.load(ordering: .acquiring)).find(key)
            {
                return found
            }
        } catch {
            throw ResolutionError(.moduleFailed(error), wanted: wanted, chain: reader.chain)
        }
        throw ResolutionError(
            .notRegistered, wanted: wanted, chain: reader.chain, candidates: candidates(for: wanted))
    }

    /// What comes close: the same service with another name or arguments, and another service of
    /// the same name, which happens when the interface was linked twice.
    private func candidates(for wanted: ServiceRequest) -> [String] {
        registrations
            .filter { $0.request.service == wanted.service }
            .map(\.description)
            .sorted()
    }
}

extension Unmanaged<Registration> {
    /// Calls `body` with the registration, which the section keeps alive, without counting.
    @inline(__always)
    fileprivate func use<Result>(
        _ body: (Registration) throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        do {
            return try _withUnsafeGuaranteedRef(body)
        } catch let error as ResolutionError {
            throw error
        } catch {
            preconditionFailure("the body throws nothing else")
        }
    }
}
