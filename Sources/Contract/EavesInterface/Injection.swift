// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The way in which a parameter of an initialiser, or an ``Injected`` property, is resolved, and the need that it
/// declares.
struct Injection<Parameter: Sendable>: Sendable {
    let need: ServiceNeed
    /// Only properties ask with a name.
    let resolve: @Sendable (any Resolver, String?) throws(ResolutionError) -> Parameter
    let resolveAsync: @Sendable (any Resolver) async throws(ResolutionError) -> Parameter
    let resolveOnMainActor: @MainActor @Sendable (any Resolver) throws(ResolutionError) -> Parameter

    static var known: Injection<Parameter> {
        // Existentials are most parameters, and have no conformances that the runtime would have to search for.
        if Self.isExistential { return service }
        if let special = Parameter.self as? any InjectedParameter.Type {
            guard let injection = Self.injection(of: special) as? Injection<Parameter> else {
                preconditionFailure("the injection is of the parameter's own type")
            }
            return injection
        }
        return service
    }

    /// The parameter is a service.
    private static var service: Injection<Parameter> {
        Injection(
            need: .service(Parameter.self),
            resolve: { (resolver, name) throws(ResolutionError) in
                try resolver.resolve(Parameter.self, name: name)
            },
            resolveAsync: { (resolver) async throws(ResolutionError) in
                try await resolver.resolveAsync(Parameter.self)
            },
            resolveOnMainActor: { (resolver) throws(ResolutionError) in
                try resolver.resolveOnMainActor(Parameter.self)
            })
    }

    private static func injection(of special: any InjectedParameter.Type) -> Any {
        func open<Service: Sendable>(_ service: Service.Type) -> Any {
            special.injection(of: service)
        }
        return open(special.service)
    }

    /// Whether the type is that of values of a protocol, such as `any UserService`.
    private static var isExistential: Bool {
        // SAFETY: each type's metadata begins with a word that tells its kind; only those of classes
        // may be a pointer, which is a greater number.
        unsafeBitCast(Parameter.self, to: UnsafePointer<UInt>.self).pointee == 0x303
    }
}

/// A type of parameters that is more than a service.
private protocol InjectedParameter {
    static var service: any Sendable.Type { get }

    static func injection<Service: Sendable>(of service: Service.Type) -> Any
}

extension Lazy: InjectedParameter {
    fileprivate static var service: any Sendable.Type { Service.self }

    fileprivate static func injection<Wanted: Sendable>(of service: Wanted.Type) -> Any {
        Injection(
            need: .later(service), resolve: { $0.lazy(service, name: $1) },
            resolveAsync: { $0.lazy(service) }, resolveOnMainActor: { $0.lazy(service) })
    }
}

extension Provider: InjectedParameter {
    fileprivate static var service: any Sendable.Type { Service.self }

    fileprivate static func injection<Wanted: Sendable>(of service: Wanted.Type) -> Any {
        Injection(
            need: .later(service), resolve: { $0.provider(service, name: $1) },
            resolveAsync: { $0.provider(service) }, resolveOnMainActor: { $0.provider(service) })
    }
}

extension Optional: InjectedParameter {
    fileprivate static var service: any Sendable.Type {
        // SAFETY: only the types of parameters are asked, and those are Sendable, as an optional is
        // only if its value is. The protocol has no requirements, so the cast changes nothing.
        unsafeBitCast(Wrapped.self as Any.Type, to: (any Sendable.Type).self)
    }

    fileprivate static func injection<Wanted: Sendable>(of service: Wanted.Type) -> Any {
        if Wanted.self is any InjectedParameter.Type {
            let known = Injection<Wanted>.known
            return Injection<Wanted?>(
                need: known.need, resolve: known.resolve, resolveAsync: known.resolveAsync,
                resolveOnMainActor: known.resolveOnMainActor)
        }
        return Injection<Wanted?>(
            need: .optional(service),
            resolve: { (resolver, name) throws(ResolutionError) in
                try resolver.resolveIfProvided(service, name: name)
            },
            resolveAsync: { (resolver) async throws(ResolutionError) in
                guard resolver.isProvided(service) else { return nil }
                return try await resolver.resolveAsync(service)
            },
            resolveOnMainActor: { (resolver) throws(ResolutionError) in
                guard resolver.isProvided(service) else { return nil }
                return try resolver.resolveOnMainActor(service)
            })
    }
}
