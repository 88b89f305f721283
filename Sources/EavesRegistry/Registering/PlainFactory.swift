// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// SAFETY: as `ServiceFactory`; what is added is constant.
/// A registration with a factory that takes no runtime arguments.
final class PlainFactory<Service: Sendable>: ServiceFactory<Service>, @unchecked Sendable {
    typealias Make = @Sendable (any Resolver) throws -> Service

    let make: Make

    init(
        name: String?, scope: consuming Scope, module: String?, place: consuming SourcePlace,
        traits: consuming RegistrationTraits = RegistrationTraits(), completed: Completed? = nil,
        make: @escaping Make
    ) {
        self.make = make
        super.init(
            key: .plain(Service.self, name: name),
            request: ServiceRequest(Service.self, name: name),
            scope: scope, module: module, place: place, traits: traits, completed: completed)
    }

    private init(
        copying other: PlainFactory, key: ServiceKey, traits: RegistrationTraits,
        make: @escaping Make
    ) {
        self.make = make
        super.init(copying: other, key: key, traits: traits)
    }

    override func copied(key: ServiceKey, traits: RegistrationTraits) -> Registration {
        PlainFactory(copying: self, key: key, traits: traits, make: make)
    }

    override func decorated(by decorator: Decorator) -> Registration? {
        guard let service = decorator as? ServiceDecorator<Service> else { return nil }
        return PlainFactory(copying: self, key: key, traits: decoratedTraits(decorator)) {
            resolver in
            try service.decorate(resolver, try self.asInner { try self.make($0) })
        }
    }

    override var alternativeKey: ServiceKey {
        .alternative(Service.self, module: module, name: request.name)
    }
}
