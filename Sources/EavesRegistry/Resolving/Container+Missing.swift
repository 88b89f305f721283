// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// A service that is not registered here is looked for in the parents, then with the suppliers.
extension Container {
    /// Resolves a service in the container that has it. Its factory's needs are resolved there too.
    @inline(never)
    func findElsewhere<Service: Sendable, each Argument>(
        _ key: ServiceKey, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat each Argument
    ) throws(BoxedResolutionError) -> Service {
        let owner = try owner(of: key, service, in: context, repeat (each Argument).self)
        return try owner.find(service, name: key.name, arguments: repeat each arguments)
    }

    /// The container that has a service which is not registered here.
    ///
    /// - Throws: ``BoxedResolutionError`` if there is none, or if a supplier threw.
    func owner<Service: Sendable, each Argument>(
        of key: ServiceKey, _ service: Service.Type, in context: ThreadContext,
        _ arguments: repeat (each Argument).Type
    ) throws(BoxedResolutionError) -> Container {
        let wanted = ServiceRequest(
            service, name: key.name, arguments: ServiceKey.types(repeat each arguments))
        let owner: Container?
        do {
            owner = try self.owner(of: key, wanted)
        } catch {
            throw BoxedResolutionError(
                ResolutionError(.moduleFailed(error), wanted: wanted, chain: context.chain))
        }
        if let owner { return owner }
        let candidates = Candidates(wanted: wanted, type: ObjectIdentifier(service))
        throw BoxedResolutionError(
            ResolutionError(
                .notRegistered, wanted: wanted, chain: context.chain,
                candidates: candidates.lines(among: lineage.flatMap(\.registrations))))
    }

    /// The container that has the service already, or has it after its supplier was called.
    private func owner(of key: ServiceKey, _ wanted: ServiceRequest) throws -> Container? {
        if let owner = lineage.first(where: { $0.registration(of: key) != nil }) { return owner }
        return try lineage.first { container in
            // A supplier that supplies nothing may have waited for another thread that did.
            _ = try container.supplier(wanted, container)
            return container.registration(of: key) != nil
        }
    }

    /// The container, its parent, and so on.
    var lineage: [Container] {
        var lineage = [self]
        while let parent = lineage[lineage.count - 1].parent { lineage.append(parent) }
        return lineage
    }
}

/// Finds registrations that come close to a missing service, for its error.
struct Candidates {
    let wanted: ServiceRequest
    /// The type that was asked for.
    let type: ObjectIdentifier

    /// A line for each candidate, in alphabetical order.
    func lines(among registrations: [Registration]) -> [String] {
        registrations
            .filter { $0.request.service == wanted.service }
            .map { $0.description + hint($0) }
            .sorted()
    }

    private func hint(_ registration: Registration) -> String {
        if registration.service == type { return "" }
        if registration.request.qualifiedService == wanted.qualifiedService {
            return ": another type of the same name, since its module was linked twice; "
                + "link modules without it, as 'eaves build' does"
        }
        return ": \(registration.request.qualifiedService) is another type than "
            + wanted.qualifiedService
    }
}
