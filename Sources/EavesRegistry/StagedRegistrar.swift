// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// The registrar that a module is given: it collects what the module registers, for a container to
/// take over whole or not at all.
package final class StagedRegistrar: Registrar, Sendable {
    package let settings: Settings
    private let module: String
    private let staged = Guarded<[Registration]>([])

    /// - Parameters:
    ///   - module: The id of the module that registers.
    ///   - settings: What the manifest sets for it.
    package init(module: String, settings: Settings) {
        self.module = module
        self.settings = settings
    }

    /// What has been registered so far, in order.
    package var registrations: [Registration] { staged.withLock { $0 } }

    package func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        let registration = Factory.registration(
            name: name, scope: scope, module: module, place: place, make: factory)
        staged.withLock { $0.append(registration) }
    }

    package func register<Service: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) {
        let registration = PlainFactory(
            name: name, scope: scope, module: module, place: place, make: factory)
        staged.withLock { $0.append(registration) }
    }

    package func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) {
        let registration = Factory.registration(
            name: name, scope: scope, module: module, place: place, makeAsync: factory)
        staged.withLock { $0.append(registration) }
    }

    package func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service
    ) {
        let registration = Factory.registration(
            name: name, scope: scope, module: module, place: place, makeOnMainActor: factory)
        staged.withLock { $0.append(registration) }
    }

    /// Makes visible in `container` what `isIncluded` says, all or none.
    package func commit(
        to container: Container, where isIncluded: (Registration) -> Bool = { _ in true }
    ) throws(RegistrationError) {
        try container.insert(registrations.filter(isIncluded))
    }
}
