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
