// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// What the host itself registers, beyond factories; modules have `StagedRegistrar` for it.
extension Container {
    /// Registers a factory of the host's own, with what it asks for and how what it made is completed.
    ///
    /// - Parameters:
    ///   - overriding: Whether it takes the place of what is registered already, which is an error
    ///     otherwise.
    ///   - needs: What the factory asks for, for ``validate(providing:)``.
    ///   - completed: Gives what was made what it needs, which may come back to it.
    package func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, needs: [ServiceNeed], fileID: StaticString = #fileID,
        line: UInt = #line, factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)? = nil
    ) throws(RegistrationError) {
        let registration = PlainFactory(
            name: name, scope: scope, module: nil, place: SourcePlace(fileID: fileID, line: line),
            traits: RegistrationTraits(needs: needs), completed: completed, make: factory)
        try insert([registration], overriding: overriding)
    }

    /// Has a service answered by what answers another, in the scope of that one.
    ///
    /// - Parameters:
    ///   - targetName: The name that the target is registered under; `nil` is the unnamed one.
    ///   - arguments: The types of the runtime arguments, in order, which are handed on.
    ///   - convert: Makes one of the other.
    package func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, to target: Target.Type,
        targetName: String? = nil, arguments: repeat (each Argument).Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        convert: @escaping @Sendable (Target) throws -> Service
    ) throws(RegistrationError) {
        let registration = Forwarding(service, name: name, target: target, targetName: targetName)
            .registration(
                module: nil, place: SourcePlace(fileID: fileID, line: line),
                arguments: repeat each arguments, convert: convert)
        try insert([registration])
    }

    /// Puts something around whatever is registered for a service, by whomever, now or later.
    ///
    /// What a scope keeps is decorated once; what was made before is not made again. What has to be
    /// awaited is not decorated.
    package func decorate<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        let decorator = ServiceDecorator<Service>(
            name: name, module: nil, place: SourcePlace(fileID: fileID, line: line),
            decorate: decorator)
        do {
            try insert([], decorators: [decorator])
        } catch {
            preconditionFailure("a decorator is no duplicate")
        }
    }

    /// Tells of everything that is made from now on, on the thread that makes it, before anybody has
    /// it. As long as nobody asks for it, it costs nothing.
    package func onCreation(_ hook: @escaping @Sendable (Creation) -> Void) {
        hooks.add { creation, _, _ in hook(creation) }
        observe()
    }

    /// As ``onCreation(_:)``, for one service under whatever name, with what was made.
    package func onCreation<Service: Sendable>(
        of service: Service.Type, _ hook: @escaping @Sendable (Service, Creation) -> Void
    ) {
        hooks.add { creation, type, made in
            guard type == ObjectIdentifier(service), let made = made as? Service else { return }
            hook(made, creation)
        }
        observe()
    }
}
