// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem

/// The services of the host that a module in a worker calls: those that it declares to require, and no others.
final class HostInstances: InstanceProvider {
    private let required: Set<String>
    private let resolver = Shared<(any Resolver)?>(nil)

    init(_ required: some Sequence<String>) { self.required = Set(required) }

    /// Gives the resolver of the host, before the module's services can be asked for.
    func begin(_ resolver: any Resolver) { self.resolver.value = resolver }

    func instance(
        of service: String, named name: String?
    ) async throws -> (target: WireTarget, requirements: Int) {
        guard required.contains(service), let known = WireTables.service(service),
            let resolver = resolver.value
        else { throw Refusal(service: service) }
        return (try await known.resolve(resolver, name), known.requirements.count)
    }

    func call(_ requirement: Int, _ arguments: WireReader) async throws -> WireAnswer {
        throw Refusal(service: "function \(requirement)")
    }

    private struct Refusal: Error, CustomStringConvertible {
        let service: String
        var description: String {
            "the host gives no '\(service)' to a module that does not declare to require it"
        }
    }
}
