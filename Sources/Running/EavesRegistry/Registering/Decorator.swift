// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// SAFETY: every stored property is an immutable Sendable value; the subclass adds only such.
/// A decorator of a service, without the service's type. ``ServiceDecorator`` is its only subclass.
package class Decorator: @unchecked Sendable {
    let service: ObjectIdentifier
    let name: String?
    /// The id of the module whose registrations it decorates; `nil` for the host's decorators, which
    /// apply to every module's registrations.
    package let module: String?
    package let place: SourcePlace

    init(_ service: Any.Type, name: String?, module: String?, place: SourcePlace) {
        self.service = ObjectIdentifier(service)
        self.name = name
        self.module = module
        self.place = place
    }

    /// Whether it decorates a registration's instances, whatever runtime arguments the factory takes.
    /// Services that have to be awaited are not decorated.
    func applies(to registration: Registration) -> Bool {
        registration.service == service && registration.request.name == name
            && (module == nil || registration.module == module)
            && !registration.traits.isAwaited && !registration.givesDecorated
    }
}

// SAFETY: as for `Decorator`; the added property is constant.
final class ServiceDecorator<Service: Sendable>: Decorator, @unchecked Sendable {
    typealias Decorate = @Sendable (any Resolver, Service) throws -> Service

    let decorate: Decorate

    init(name: String?, module: String?, place: SourcePlace, decorate: @escaping Decorate) {
        self.decorate = decorate
        super.init(Service.self, name: name, module: module, place: place)
    }
}

// A decorated registration stands on the one that it decorates. Each keeps its own instance as the
// scope says, so an instance that existed before its decorator is decorated and not created again.
extension Registration {
    /// The same registration with exactly those of `decorators` that apply to it, in their order;
    /// itself if it has them already.
    func decorated(byAllOf decorators: [Decorator]) -> Registration {
        if let base = traits.base { return standing(for: base.decorated(byAllOf: decorators)) }
        let wanted = decorators.filter { $0.applies(to: self) }
        if wanted.isEmpty && !traits.isDecorated { return self }
        var known = decorationChain
        var result = known.removeFirst()
        for decorator in wanted {
            if let next = known.first, next.traits.decoration?.decorator === decorator {
                result = known.removeFirst()
            } else {
                known = []
                result = result.decorated(by: decorator) ?? result
            }
        }
        return result
    }

    /// The same registration with the same decorators, which has created nothing.
    func renewed() -> Registration {
        if let base = traits.base { return standing(for: base.renewed()) }
        guard let decoration = traits.decoration else {
            var traits = traits
            if let factory = traits.awaitedFactory { traits.awaitedFactory = factory.renewed() }
            return copied(key: key, traits: traits)
        }
        let inner = decoration.inner.renewed()
        return inner.decorated(by: decoration.decorator) ?? inner
    }

    /// Whether it stands for a registration of the same service and name, which is decorated already.
    fileprivate var givesDecorated: Bool {
        guard traits.isStandIn, let target = traits.target else { return false }
        return target.service == service && target.request.name == request.name
    }

    var undecorated: Registration { decorationChain[0] }

    var decorators: [Decorator] {
        decorationChain.compactMap { $0.traits.decoration?.decorator }
    }

    /// The registration that is not decorated, then each that decorates the one before it.
    var decorationChain: [Registration] {
        (traits.decoration?.inner.decorationChain ?? []) + [self]
    }
}

extension Factory {
    /// The instance of this registration, existing or new, for the registration that decorates it.
    func innerInstance(
        _ call: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> Service {
        guard let owner else { preconditionFailure("only a container creates instances") }
        // SAFETY: everything that resolves holds the container.
        return try owner.takeUnretainedValue()
            .instance(of: self, in: ThreadContext.current, calling: call)
    }
}
