// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

extension Container {
    /// Registers a factory of the host's own that is awaited.
    ///
    /// - Parameter overriding: Whether it takes the place of what is registered already, which is
    ///   an error otherwise.
    package func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        let registration = Factory.registration(
            name: name, scope: scope, module: nil, place: place, makeAsync: factory)
        try insert([registration], overriding: overriding)
    }

    /// Registers a factory of the host's own that runs on the main actor.
    ///
    /// - Parameter overriding: Whether it takes the place of what is registered already, which is
    ///   an error otherwise.
    package func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        let registration = Factory.registration(
            name: name, scope: scope, module: nil, place: place, makeOnMainActor: factory)
        try insert([registration], overriding: overriding)
    }
}
