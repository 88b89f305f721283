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
        awaited: (any Awaited)?, make: @escaping Make
    ) {
        self.make = make
        var arguments: [Any.Type] = []
        for type in repeat (each Argument).self { arguments.append(type) }
        super.init(
            key: ServiceKey(Service.self, name: name, arguments: repeat (each Argument).self),
            request: ServiceRequest(Service.self, name: name, arguments: arguments),
            scope: scope, module: module, place: place, awaited: awaited)
    }

    /// - Parameter other: What to take over, without what it made.
    private init(renewing other: Factory) {
        make = other.make
        super.init(renewing: other)
    }

    override func renewed() -> Registration { Factory(renewing: self) }

    /// A registration with this factory: a plain one if there are no arguments.
    ///
    /// - Parameter awaited: Makes the service, if the factory cannot.
    static func registration(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        awaited: (any Awaited)? = nil, make: @escaping Make
    ) -> Registration {
        let factory = Factory(
            name: name, scope: scope, module: module, place: place, awaited: awaited, make: make)
        if ServiceKey.takesArguments(repeat (each Argument).self) { return factory }
        // SAFETY: without arguments it is a factory of just these: that type, and no other.
        let plain = unsafeDowncast(factory, to: Factory<Service>.self)
        return PlainFactory(
            name: name, scope: scope, module: module, place: place, awaited: awaited
        ) { try plain.call($0) }
    }

    /// Calls the factory.
    @inline(__always)
    func call(_ resolver: any Resolver, _ arguments: repeat each Argument) throws -> Service {
        try make(resolver, repeat each arguments)
    }
}
