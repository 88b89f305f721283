// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
package import EavesInterface

extension Container {
    package func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        let reader = eaves_reader_current()
        let before = reader.enter()
        defer { reader.leave(before) }
        var types: [Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        let wanted = ServiceRequest(service, arguments: types)
        do throws(ResolutionFailure) {
            var all: [Service] = []
            for container in lineage {
                do {
                    try container.supplierOfAll(wanted, container)
                } catch {
                    throw ResolutionFailure(
                        ResolutionError(.moduleFailed(error), wanted: wanted, chain: reader.chain))
                }
                let found = container.registrations(of: service, types.map { ObjectIdentifier($0) })
                for registration in found {
                    all.append(
                        try container.instance(
                            of: registration, service, for: reader, repeat each arguments))
                }
            }
            return all
        } catch {
            throw error.error
        }
    }

    /// What a module itself registered, whichever is chosen; `nil` if it did not.
    func own<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, of module: String,
        _ arguments: repeat each Argument
    ) -> Result<Service, ResolutionError>? {
        let reader = eaves_reader_current()
        let before = reader.enter()
        defer { reader.leave(before) }
        let chosen = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        var own = registration(of: chosen)?.takeUnretainedValue()
        if own?.module != module {
            let key =
                ServiceKey.takesArguments(repeat (each Argument).self)
                ? ServiceKey.alternative(
                    Factory<Service, repeat each Argument>.self, module: module, name: name)
                : ServiceKey.alternative(service, module: module, name: name)
            own = registration(of: key)?.takeUnretainedValue()
        }
        guard let own else { return nil }
        do throws(ResolutionFailure) {
            return .success(
                try instance(of: own, service, for: reader, repeat each arguments))
        } catch {
            return .failure(error.error)
        }
    }

    /// The registrations of a service in this container, in the order of ``Resolver/resolveAll(_:)``.
    private func registrations<Service>(
        of service: Service.Type, _ arguments: [ObjectIdentifier]
    ) -> [Registration] {
        registrations
            .filter { $0.service == ObjectIdentifier(service) && $0.traits.arguments == arguments }
            .sorted { $0.isBefore($1) }
    }

    private func instance<Service: Sendable, each Argument>(
        of registration: Registration, _ service: Service.Type, for reader: Reader,
        _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        if ServiceKey.takesArguments(repeat (each Argument).self) {
            // SAFETY: what is registered for a service with arguments of these types is a `Factory`
            // of just them.
            let factory = unsafeDowncast(
                registration, to: Factory<Service, repeat each Argument>.self)
            return try kept(factory, for: reader) { try factory.call($0, repeat each arguments) }
        }
        // SAFETY: what is registered for a service without arguments is a `PlainFactory` of it.
        let factory = unsafeDowncast(registration, to: PlainFactory<Service>.self)
        return try kept(factory, for: reader) { try factory.make($0) }
    }
}

extension Registration {
    /// The host's first, then by module; of each, the unnamed one first, then by name. Texts are
    /// compared by their bytes, so that the order is the same everywhere.
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
