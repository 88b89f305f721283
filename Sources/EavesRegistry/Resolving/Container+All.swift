// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

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
            let found = container.registrations(of: service, types.map { ObjectIdentifier($0) })
            for registration in found {
                all.append(
                    try container.instance(
                        of: registration.base, service, in: context, repeat each arguments))
            }
        }
        return all
    }

    /// The registrations of a service in this container, in the order of ``Resolver/resolveAll(_:)``.
    private func registrations<Service>(
        of service: Service.Type, _ arguments: [ObjectIdentifier]
    ) -> [Registration] {
        registrations
            .filter {
                $0.service == ObjectIdentifier(service) && $0.traits.arguments == arguments
                    && !$0.traits.isStandIn
            }
            .sorted { $0.isBefore($1) }
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
