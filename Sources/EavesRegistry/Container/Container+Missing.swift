// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// Where a container looks for what it does not have: in its parents, then with the suppliers.
extension Container {
    /// Resolves what is not registered here. Its needs are resolved where it is registered.
    @inline(never)
    func findElsewhere<Service: Sendable, each Argument>(
        _ key: ServiceKey, _ service: Service.Type, for reader: Reader,
        _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        let owner = try owner(of: key, service, for: reader, repeat (each Argument).self)
        return try owner.find(service, name: key.name, arguments: repeat each arguments)
    }

    /// The container that has what is not registered here.
    func owner<Service: Sendable, each Argument>(
        of key: ServiceKey, _ service: Service.Type, for reader: Reader,
        _ arguments: repeat (each Argument).Type
    ) throws(ResolutionFailure) -> Container {
        var types: [Any.Type] = []
        for type in repeat each arguments { types.append(type) }
        let wanted = ServiceRequest(service, name: key.name, arguments: types)
        let owner: Container?
        do {
            owner = try self.owner(of: key, wanted)
        } catch {
            throw ResolutionFailure(
                ResolutionError(.moduleFailed(error), wanted: wanted, chain: reader.chain))
        }
        if let owner { return owner }
        let candidates = Candidates(wanted: wanted, type: ObjectIdentifier(service))
        throw ResolutionFailure(
            ResolutionError(
                .notRegistered, wanted: wanted, chain: reader.chain,
                candidates: candidates.lines(among: lineage.flatMap(\.registrations))))
    }

    /// The container that has it, or has it now that its supplier was asked.
    private func owner(of key: ServiceKey, _ wanted: ServiceRequest) throws -> Container? {
        if let owner = lineage.first(where: { $0.registration(of: key) != nil }) { return owner }
        return try lineage.first { container in
            try container.supplier(wanted, container) && container.registration(of: key) != nil
        }
    }

    /// The container, its parent, and so on.
    var lineage: [Container] {
        var lineage = [self]
        while let parent = lineage[lineage.count - 1].parent { lineage.append(parent) }
        return lineage
    }
}
