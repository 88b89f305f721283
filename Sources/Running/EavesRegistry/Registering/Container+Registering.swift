// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// The host registers as modules do, with `module` being `nil`.
extension Container {
    /// Registers a factory of the host's own.
    ///
    /// - Parameter overriding: Whether it takes the place of a registration with the same key, and of
    ///   those that modules register under it later.
    /// - Throws: ``RegistrationError`` if the key is taken, unless `overriding` is set.
    package func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        let registration = Factory(
            name: name, scope: scope, module: nil, place: place, create: factory)
        if overriding {
            override(with: [registration])
        } else {
            try insert([registration])
        }
    }

    /// Registers as the host's own whatever `collect` registers, all or nothing.
    ///
    /// This is the way to everything beyond a simple factory: declared needs, completion, runtime
    /// arguments, awaited factories, forwardings, and decorators, which the host can put around
    /// services of any module.
    ///
    /// - Parameter overriding: As in ``register(_:name:scope:overriding:fileID:line:factory:)``.
    /// - Throws: ``RegistrationError`` if a key is taken, unless `overriding` is set.
    package func register(
        overriding: Bool = false, _ collect: (any Registrar) -> Void
    ) throws(RegistrationError) {
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        collect(registrar)
        if overriding {
            registrar.override(in: self)
        } else {
            try registrar.commit(to: self)
        }
    }
}
