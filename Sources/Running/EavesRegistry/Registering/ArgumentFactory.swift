// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// An ``ArgumentFactory`` of a service, whatever runtime arguments it takes.
protocol AnyArgumentFactory<Service>: AnyObject, Sendable {
    associatedtype Service: Sendable

    /// A factory that creates an instance of `inner` and decorates it.
    func decorated(
        by decorator: ServiceDecorator<Service>, around inner: Factory<Service>
    ) -> any AnyArgumentFactory<Service>

    /// The key of such a factory where another module's is chosen.
    func alternativeKey(module: String?, name: String?) -> ServiceKey

    /// The key of such a factory where its module is chosen.
    func chosenKey(name: String?) -> ServiceKey

    /// The registration that stands for one with such a factory.
    func standIn(_ standIn: StandIn) -> Registration
}

/// A closure that creates a service with runtime arguments.
///
/// It is a part of a ``Factory``. Its type, which names service and arguments, is a part of the
/// factory's key. Closures without arguments stand in the ``Factory`` itself: one over an empty
/// parameter pack would be called through a thunk.
final class ArgumentFactory<Service: Sendable, each Argument>: AnyArgumentFactory {
    typealias Create = @Sendable (any Resolver, repeat each Argument) throws -> Service

    let create: Create

    init(_ create: @escaping Create) {
        self.create = create
    }

    func decorated(
        by decorator: ServiceDecorator<Service>, around inner: Factory<Service>
    ) -> any AnyArgumentFactory<Service> {
        ArgumentFactory {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let instance = try inner.innerInstance { try self.create($0, repeat each arguments) }
            return try decorator.decorate(resolver, instance)
        }
    }

    func alternativeKey(module: String?, name: String?) -> ServiceKey {
        .alternative(ArgumentFactory.self, module: module, name: name)
    }

    func chosenKey(name: String?) -> ServiceKey {
        ServiceKey(Service.self, name: name, arguments: repeat (each Argument).self)
    }

    func standIn(_ standIn: StandIn) -> Registration {
        standIn.forwarding(Service.self, arguments: repeat (each Argument).self)
    }
}
