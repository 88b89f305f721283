// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// SAFETY: every stored property is an immutable Sendable value; the subclass adds only such.
/// Something that is put around what is registered for a service.
package class Decorator: @unchecked Sendable {
    let service: ObjectIdentifier
    let name: String?
    /// The id of the module whose registrations it decorates; `nil` for the host's, which decorate
    /// everybody's.
    package let module: String?
    package let place: SourcePlace

    init(_ service: Any.Type, name: String?, module: String?, place: SourcePlace) {
        self.service = ObjectIdentifier(service)
        self.name = name
        self.module = module
        self.place = place
    }

    /// Whether it is for what is registered there, with whatever runtime arguments. What has to be
    /// awaited is not decorated.
    func applies(to registration: Registration) -> Bool {
        registration.service == service && registration.request.name == name
            && (module == nil || registration.module == module)
            && !registration.traits.isAwaited
    }
}

// SAFETY: as `Decorator`; what is added is constant.
/// A decorator that knows its service's type.
final class ServiceDecorator<Service: Sendable>: Decorator, @unchecked Sendable {
    typealias Decorate = @Sendable (any Resolver, Service) throws -> Service

    let decorate: Decorate

    init(name: String?, module: String?, place: SourcePlace, decorate: @escaping Decorate) {
        self.decorate = decorate
        super.init(Service.self, name: name, module: module, place: place)
    }
}
