// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
package import EavesInterface

extension Container {
    @MainActor
    package func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try findOnMainActor(service, name: name, repeat each arguments)
        } catch {
            throw error.error
        }
    }

    @MainActor
    func findOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        let reader = eaves_reader_current()
        let before = reader.enter()
        defer { reader.leave(before) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        guard let found = registration(of: key) else {
            let owner = try owner(
                of: key, service, for: reader, repeat (each Argument).self)
            return try owner.findOnMainActor(service, name: name, repeat each arguments)
        }
        // SAFETY: the section keeps it alive.
        let registration = found.takeUnretainedValue()
        guard
            let bound = registration.traits.awaited
                as? MainActorFactory<Service, repeat each Argument>
        else { return try make(registration, for: reader, repeat each arguments) }
        return try make(bound, of: registration, for: reader, repeat each arguments)
    }

    /// Makes what was found from elsewhere.
    @MainActor
    func makeOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ bound: MainActorFactory<Service, repeat each Argument>, of registration: Registration,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let reader = eaves_reader_current()
        let before = reader.enter()
        defer { reader.leave(before) }
        do throws(ResolutionFailure) {
            return try make(bound, of: registration, for: reader, repeat each arguments)
        } catch {
            throw error.error
        }
    }

    @MainActor
    private func make<Service: Sendable, each Argument: Sendable>(
        _ bound: MainActorFactory<Service, repeat each Argument>,
        of registration: Registration, for reader: Reader, _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        // SAFETY: every registration of a service, and `bound` is of one, is of this class.
        let factory = unsafeDowncast(registration, to: ServiceFactory<Service>.self)
        if let made = bound.instance?.value { return made }
        if factory.scope == .graph, let made = reader.graph.instance(of: factory) { return made }
        try reader.checkCycle(factory)
        let made = try reader.building(factory) { () throws -> Service in
            try lending(for: reader) { try bound.call($0, repeat each arguments) }
        }
        if factory.scope == .graph { return reader.graph.keep(made, of: factory) }
        bound.instance?.keep(made)
        return made
    }
}
