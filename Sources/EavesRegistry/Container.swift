// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
import Synchronization

/// The registry: factories by service, and what they made.
///
/// Safe from any thread. No lock is held while a factory runs.
package final class Container: Resolver {
    /// Asked for a service that is not registered: may register it and answer `true`.
    package typealias Supplier = @Sendable (ServiceRequest, Container) throws -> Bool

    private let registrations = Mutex<[ServiceKey: Registration]>([:])
    private let supplier: Supplier

    /// - Parameter supplier: Called, on the thread that asks, when a service is missing. What it
    ///   throws ends the resolution as ``ResolutionError/Reason/moduleFailed(_:)``.
    package init(supplier: @escaping Supplier = { _, _ in false }) {
        self.supplier = supplier
    }

    package func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: name, within: nil)
    }

    package func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: name, within: nil, repeat each arguments)
    }

    /// Registers a factory of the host's own.
    package func register<Service: Sendable>(
        _ service: Service.Type, scope: Scope = .transient, fileID: StaticString = #fileID,
        line: UInt = #line, factory: @escaping @Sendable (any Resolver) throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        try insert([
            Factory(service, name: nil, scope: scope, module: nil, place: place, make: factory)
        ])
    }

    /// Makes registrations visible, all or none.
    func insert(_ added: [Registration]) throws(RegistrationError) {
        try registrations.withLock { registrations throws(RegistrationError) in
            var next = registrations
            var duplicates: [RegistrationError.Duplicate] = []
            for registration in added {
                if let first = next.updateValue(registration, forKey: registration.key) {
                    duplicates.append(.init(first: first, second: registration))
                }
            }
            guard duplicates.isEmpty else { throw RegistrationError(duplicates: duplicates) }
            registrations = next
        }
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, within parent: Resolution?,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let key = ServiceKey(service, name: name, arguments: (repeat each Argument).self)
        let request = {
            var types: [Any.Type] = []
            for type in repeat (each Argument).self { types.append(type) }
            return ServiceRequest(service, name: name, arguments: types)
        }
        let found = try registration(key, request: request, within: parent)
        // SAFETY: the key holds the types of the service and of its arguments, and only a
        // `Factory` of just these is ever stored under it.
        let factory = unsafeDowncast(found, to: Factory<Service, repeat each Argument>.self)
        try checkCycle(factory, within: parent)
        return try instance(of: factory, within: parent, repeat each arguments)
    }

    private func instance<Service: Sendable, each Argument>(
        of factory: Factory<Service, repeat each Argument>, within parent: Resolution?,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let frame = Resolution(factory, in: self, parent: parent)
        let make = { () throws(ResolutionError) -> Service in
            defer { frame.end() }
            do {
                return try factory.make(frame, repeat each arguments)
            } catch let error as ResolutionError {
                throw error
            } catch {
                throw ResolutionError(
                    .factoryFailed(error), wanted: factory.request,
                    chain: parent?.chain.map(\.request) ?? [])
            }
        }
        guard let shared = factory.instance else { return try make() }
        let cycle = { ResolutionError(cycle: factory, within: parent) }
        return try shared.value(for: frame.builder, cycle: cycle, make: make)
    }

    private func registration(
        _ key: ServiceKey, request: () -> ServiceRequest, within parent: Resolution?
    ) throws(ResolutionError) -> Registration {
        let known = registrations.withLock { $0[key] }
        if let known { return known }
        let wanted = request()
        let chain = parent?.chain.map(\.request) ?? []
        do {
            let isSupplied = try supplier(wanted, self)
            let supplied = isSupplied ? registrations.withLock { $0[key] } : nil
            if let supplied { return supplied }
        } catch {
            throw ResolutionError(.moduleFailed(error), wanted: wanted, chain: chain)
        }
        throw ResolutionError(
            .notRegistered, wanted: wanted, chain: chain, candidates: candidates(for: wanted))
    }

    /// What comes close: the same service with another name or arguments, and another service of
    /// the same name, which happens when the interface was linked twice.
    private func candidates(for wanted: ServiceRequest) -> [String] {
        registrations.withLock { Array($0.values) }
            .filter { $0.request.service == wanted.service }
            .map(\.description)
            .sorted()
    }

    /// Recursion through runtime arguments can be meant, and ends by itself; without them it cannot.
    private func checkCycle(
        _ factory: Registration, within parent: Resolution?
    ) throws(ResolutionError) {
        guard let parent else { return }
        let depth = parent.chain.count { $0 === factory }
        if depth > (factory.request.arguments.isEmpty ? 0 : 100) {
            throw ResolutionError(cycle: factory, within: parent)
        }
    }
}

extension ResolutionError {
    fileprivate init(cycle registration: Registration, within parent: Resolution?) {
        self.init(
            .cycle, wanted: registration.request, chain: parent?.chain.map(\.request) ?? [])
    }
}
