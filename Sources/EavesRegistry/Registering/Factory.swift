// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// SAFETY: as `ServiceFactory`; what is added is constant.
/// A registration with a factory that takes runtime arguments.
final class Factory<Service: Sendable, each Argument>: ServiceFactory<Service>, @unchecked Sendable
{
    typealias Make = @Sendable (any Resolver, repeat each Argument) throws -> Service

    private let make: Make

    private init(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        traits: RegistrationTraits, completed: Completed?, make: @escaping Make
    ) {
        self.make = make
        var arguments: [Any.Type] = []
        for type in repeat (each Argument).self { arguments.append(type) }
        var traits = traits
        traits.arguments = arguments.map { ObjectIdentifier($0) }
        super.init(
            key: ServiceKey(Service.self, name: name, arguments: repeat (each Argument).self),
            request: ServiceRequest(Service.self, name: name, arguments: arguments),
            scope: scope, module: module, place: place, traits: traits, completed: completed)
    }

    private init(
        copying other: Factory, key: ServiceKey, traits: RegistrationTraits, make: @escaping Make
    ) {
        self.make = make
        super.init(copying: other, key: key, traits: traits)
    }

    override func copied(key: ServiceKey, traits: RegistrationTraits) -> Registration {
        Factory(copying: self, key: key, traits: traits, make: make)
    }

    override func decorated(by decorator: Decorator) -> Registration? {
        guard let service = decorator as? ServiceDecorator<Service> else { return nil }
        return Factory(copying: self, key: key, traits: decoratedTraits(decorator)) {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let inner = try self.asInner { try self.call($0, repeat each arguments) }
            return try service.decorate(resolver, inner)
        }
    }

    override var alternativeKey: ServiceKey {
        .alternative(Factory.self, module: module, name: request.name)
    }

    /// A registration with this factory: a plain one if there are no arguments.
    static func registration(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        traits: RegistrationTraits = RegistrationTraits(), completed: Completed? = nil,
        make: @escaping Make
    ) -> Registration {
        let factory = Factory(
            name: name, scope: scope, module: module, place: place, traits: traits,
            completed: completed, make: make)
        if ServiceKey.takesArguments(repeat (each Argument).self) { return factory }
        // SAFETY: without arguments it is a factory of just these: that type, and no other.
        let plain = unsafeDowncast(factory, to: Factory<Service>.self)
        return PlainFactory(
            name: name, scope: scope, module: module, place: place, traits: traits,
            completed: completed
        ) {
            try plain.call($0)
        }
    }

    /// Calls the factory.
    @inline(__always)
    func call(_ resolver: any Resolver, _ arguments: repeat each Argument) throws -> Service {
        try make(resolver, repeat each arguments)
    }
}
