// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// A service that is not registered here is looked for in the parents, then with the suppliers.
extension Container {
    /// Resolves a service in the container that has it. Its factory's needs are resolved there too.
    @inline(never)
    func findElsewhere<Service: Sendable, each Argument>(
        _ key: ServiceKey, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let owner = try owner(of: key, service, in: context, repeat (each Argument).self)
        guard owner !== self else {
            // This container has it since the resolution began.
            return try context.freshly(from: self, in: currentTable) {
                () throws(ResolutionError) in
                try owner.resolve(service, name: key.name, arguments: repeat each arguments)
            }
        }
        return try owner.resolve(service, name: key.name, arguments: repeat each arguments)
    }

    // Inlined into its witness, which the compiler would otherwise merge with that of `resolve`, and so
    // make that one slower.
    @inline(__always)
    package func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service? {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey.withoutArguments(service, name: name)
        let wanted = ServiceRequest(service, name: name)
        while let owner = try search(for: key, wanted, in: context).owner {
            let found = try owner.withRegistration(of: key, in: context) {
                registration throws(ResolutionError) -> Service in
                try owner.instance(of: registration, service, in: context)
            }
            // If it has been taken back meanwhile, another container may have it.
            if let found { return found }
        }
        return nil
    }

    package func isProvided(_ service: Any.Type, name: String?) -> Bool {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey.withoutArguments(service, name: name)
        let lineage = lineage
        if lineage.contains(where: { $0.hasRegistration(of: key, in: context) }) { return true }
        let wanted = ServiceRequest(service, name: name)
        return lineage.contains { $0.supplierSearch(wanted) }
    }

    /// The container that has a service which is not registered here.
    func owner<Service: Sendable, each Argument>(
        of key: ServiceKey, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat (each Argument).Type
    ) throws(ResolutionError) -> Container {
        let wanted = ServiceRequest(
            service, name: key.name, arguments: ServiceKey.types(repeat each arguments))
        let found = try search(for: key, wanted, in: context)
        if let owner = found.owner { return owner }
        let candidates = Candidates(wanted: wanted, type: service)
        throw ResolutionError(
            .notRegistered, wanted: wanted, chain: context.chain,
            candidates: candidates.lines(among: lineage.flatMap(\.registrations)),
            cause: found.cause)
    }

    /// The container that has a service already, or has it after its supplier was called. If there is
    /// none, the nearest supplier's reason, if one gave a reason.
    private func search(
        for key: ServiceKey, _ wanted: ServiceRequest, in context: ThreadContext
    ) throws(ResolutionError) -> (owner: Container?, cause: (any Error)?) {
        let lineage = lineage
        for container in lineage {
            if container.hasRegistration(of: key, in: context) { return (container, nil) }
            // A chooser decides against a parent's choice, and a host's own container has no parent.
            guard container.parent != nil, let chooser = container.chooser else { continue }
            do {
                try chooser.choose(wanted, in: container)
            } catch {
                throw ResolutionError(.moduleFailed(error), wanted: wanted, chain: context.chain)
            }
            if container.hasRegistration(of: key, in: context) { return (container, nil) }
        }
        var cause: (any Error)?
        for container in lineage {
            do {
                _ = try container.supplier(wanted, container)
            } catch let error as NotProvidedError {
                cause = cause ?? error.reason
            } catch {
                throw ResolutionError(.moduleFailed(error), wanted: wanted, chain: context.chain)
            }
            // A supplier that supplies nothing may have waited for another thread that did.
            if container.hasRegistration(of: key, in: context) { return (container, nil) }
        }
        return (nil, cause)
    }

    package var lineage: [Container] {
        var lineage = [self]
        while let parent = lineage[lineage.count - 1].parent { lineage.append(parent) }
        return lineage
    }
}

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
            for known in found.sorted(by: { $0.registration.order < $1.registration.order }) {
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
        guard now != table else { return known }
        let modules = Set(known.map(\.registration.module))
        return known
            + now.all.filter { !modules.contains($0.module) }
            .map { (registration: $0, isLater: true) }
    }
}

extension Registration {
    /// The order of `resolveAll`: the host's registrations first, then by module; within a module the
    /// unnamed one first, then by name.
    fileprivate var order: (String, Int, String) {
        (module ?? "", request.name == nil ? 0 : 1, request.name ?? "")
    }
}

/// A service has no provider. A supplier throws this to say why in its own words; it is not a failure, and
/// the search goes on.
package struct NotProvidedError: Error {
    package let reason: any Error

    package init(_ reason: any Error) {
        self.reason = reason
    }
}

/// Finds registrations that come close to a missing service, for its error.
struct Candidates {
    let wanted: ServiceRequest
    let type: Any.Type

    /// A line for each candidate, in alphabetical order.
    func lines(among registrations: [Registration]) -> [String] {
        let protocolOfWanted = ProtocolType(type)
        return registrations.compactMap { registration in
            if registration.request.service == wanted.service {
                return registration.description + hint(registration)
            }
            return relation(registration, protocolOfWanted).map { registration.description + $0 }
        }
        .sorted()
    }

    private func hint(_ registration: Registration) -> String {
        if registration.service == ObjectIdentifier(type) { return "" }
        if registration.request.qualifiedService == wanted.qualifiedService {
            return ": another type of the same name, since its module was linked twice; "
                + "link modules without it, as 'eaves build' does"
        }
        return ": \(registration.request.qualifiedService) is another type than "
            + wanted.qualifiedService
    }

    /// A hint if one of the two types implements the other one.
    private func relation(
        _ registration: Registration, _ protocolOfWanted: ProtocolType?
    ) -> String? {
        let registered = registration.service.type
        if let protocolOfWanted {
            return protocolOfWanted.isImplemented(by: registered)
                ? ": it implements \(wanted.service), and is registered as itself; "
                    + "register it as 'any \(wanted.service)'" : nil
        }
        guard ProtocolType(registered)?.isImplemented(by: type) == true else { return nil }
        let service = registration.request.service
        return ": \(wanted.service) implements it; ask for 'any \(service)'"
    }
}

/// A type like `any Engine`, to ask at run time which types implement the protocol.
private struct ProtocolType {
    /// The type of the types that implement it, as `any Engine.Type`.
    private let metatype: Any.Type

    /// - Returns: `nil` for other types, and for protocols that the runtime does not find by name.
    init?(_ type: Any.Type) {
        // The mangled name of the metatype is that of the type with two letters more.
        guard let name = _mangledTypeName(type), name.hasSuffix("_p"),
            let metatype = _typeByName(name + "Xp")
        else { return nil }
        self.metatype = metatype
    }

    func isImplemented(by type: Any.Type) -> Bool {
        func isType<Metatype>(_: Metatype.Type) -> Bool { type is Metatype }
        return _openExistential(metatype, do: isType)
    }
}
