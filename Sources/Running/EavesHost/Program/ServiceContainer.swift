// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
public import EavesLife
import EavesModules
package import EavesRegistry

/// The services of a host, or of a child container: what provides them, and what they resolve to.
///
/// A child sees the services of its parent, and its own in their place; the parent's factories do not see
/// the child. A server makes one for each request or session, and drops it at the end:
///
/// ```swift
/// let session = host.services.child()
/// session.provide((any Session).self, scope: .shared) { _ in UserSession(user) }
/// ```
///
/// Safe from any thread. A value of this type keeps its container alive, and with it its parents.
public struct ServiceContainer: Sendable {
    package let container: Container

    package init(_ container: Container) {
        self.container = container
    }

    /// The container as a resolver, which can be passed to code that takes one. It has all forms of
    /// resolving: lazy ones, handles, loans, runtime arguments, the main actor.
    public var resolver: any Resolver { container }

    /// Returns the implementation of a service. Loads the module that provides it.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: `ResolutionError` if the service cannot be resolved.
    public func resolve<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name)
    }

    /// Returns the implementation of a service, also if its factory is awaited or runs on the main actor.
    /// Loads the module that provides it, which blocks the thread.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: `ResolutionError` if the service cannot be resolved.
    public func resolveAsync<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) async throws(ResolutionError) -> Service {
        try await container.resolveAsync(service, name: name)
    }

    /// Returns every implementation of a service. Loads all modules that provide it.
    ///
    /// - Parameter service: The protocol, such as `(any EventHandler).self`.
    /// - Throws: `ResolutionError` if one of them cannot be created or loaded.
    public func resolveAll<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> [Service] {
        try container.resolveAll(service)
    }

    /// Provides a service of the program's own. It takes the place of what modules register for it, now
    /// and later, and no module has to provide it any more.
    ///
    /// - Parameters:
    ///   - service: The protocol that modules ask for, such as `(any UserService).self`.
    ///   - name: The name that they ask for; `nil` for the unnamed implementation.
    ///   - scope: How long the container keeps the instance.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the implementation. Runtime arguments follow the resolver. Called on any
    ///     thread, possibly on several at once.
    public func provide<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        provide {
            $0.register(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    /// Provides whatever a function registers, all at once: awaited factories, declared needs,
    /// forwardings, and decorators, which the program can put around services of any module.
    ///
    /// ```swift
    /// host.services.provide { registrar in
    ///     registrar.decorate((any UserService).self) { _, users in CountingUsers(users) }
    /// }
    /// ```
    ///
    /// Registrations take the place of what modules register, as in ``provide(_:name:scope:fileID:line:factory:)``.
    ///
    /// - Parameter register: Registers, on the calling thread. The registrar is valid during the call.
    /// - Throws: The error of `register`; then nothing is provided.
    public func provide(_ register: (any Registrar) throws -> Void) rethrows {
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        try register(registrar)
        registrar.override(in: container)
    }

    /// Registers a module that is linked into the program: calls its `register(in:)`, as a host does after
    /// loading one. The host does not start or stop it: a life cycle that it gives is the program's own.
    ///
    /// - Parameters:
    ///   - module: The module's type.
    ///   - id: The module's id in messages; the type's name if `nil`.
    ///   - settings: The settings that a manifest would have for the module.
    /// - Throws: ``HostError`` if the module throws, or registers a service that is provided already. The
    ///   container then registers none of its services.
    public func register<Linked: Module>(
        _ module: Linked.Type, id: String? = nil, settings: Settings = Settings()
    ) throws(HostError) {
        try HostError.wrapping {
            _ = try container.bringIn(module, id: id, settings: settings, starting: false)
        }
    }

    /// Takes back a service that the program or a module has registered here. Instances stay with those who have them.
    ///
    /// - Parameters:
    ///   - service: The protocol.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Returns: Whether it was registered.
    @discardableResult
    public func withdraw<Service: Sendable>(_ service: Service.Type, name: String? = nil) -> Bool {
        container.unregister(service, name: name)
    }

    /// Creates a container that sees these services, and others in their place once it provides them. In it, values
    /// choose between the modules that share a binding of the manifest: for a request of a user, a session, a tenant.
    ///
    /// ```swift
    /// let request = host.services.child(choosingBy: ["user": "alice"])
    /// let users = try request.resolve((any UserService).self)
    /// ```
    ///
    /// The same value chooses the same module in every process, until weights change. A key without a value chooses the
    /// module with the greatest weight. Values count for containers below this one, too, where they can be replaced.
    ///
    /// A module that is chosen here has the same instances for everybody who gets it. Modules that depend on
    /// a choice, by what they declare to require, get what is chosen here. They have instances of their own
    /// for each choice: all children of the host's container for which the same modules are chosen share
    /// them, as long as the host lives; below other containers, each child has its own.
    ///
    /// When the host takes on another manifest, a child keeps the choice for which it was made, and follows in
    /// everything else.
    ///
    /// - Parameter values: The values of keys, such as `["user": "alice"]`; without one, the child chooses as
    ///   this container does, at all times. An empty value counts as none.
    public func child(choosingBy values: [String: String] = [:]) -> ServiceContainer {
        ServiceContainer(
            values.isEmpty ? Container(parent: container) : container.child(choosingBy: values))
    }

    /// Lets everything in a named scope be created anew, for example when a session ends. Instances stay
    /// with those who have them.
    ///
    /// - Parameter scope: The scope, such as `.named("session")`.
    public func reset(_ scope: Scope) {
        container.reset(scope)
    }
}

extension ServiceContainer: CustomStringConvertible {
    /// A line for each registration, with its scope, its module, and its place in the source.
    public var description: String { container.dump.description }
}

extension ProgramServices {
    /// Lets hosts that are made from now on provide what a function provides; without effect if there is none.
    package static func provide(_ services: (@Sendable (ServiceContainer) -> Void)?) {
        guard let services else { return }
        provide { (container: Container) in services(ServiceContainer(container)) }
    }
}

// The forms that programs use most. `services` has the others.
extension Host {
    /// The host's container: its services and those of its modules.
    public var services: ServiceContainer { ServiceContainer(container) }

    /// Provides a service of the program's own. It takes the place of what modules register for it, now
    /// and later, and no module has to provide it any more.
    ///
    /// - Parameters:
    ///   - service: The protocol that modules ask for, such as `(any UserService).self`.
    ///   - name: The name that they ask for; `nil` for the unnamed implementation.
    ///   - scope: How long the container keeps the instance.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the implementation. Runtime arguments follow the resolver. Called on any
    ///     thread, possibly on several at once.
    public func provide<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        services.provide(
            service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
    }

    /// Returns the implementation of a service. Loads the module that provides it.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: `ResolutionError` if the service cannot be resolved.
    public func resolve<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name)
    }

    /// Returns the implementation of a service, also if its factory is awaited or runs on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: `ResolutionError` if the service cannot be resolved.
    public func resolveAsync<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) async throws(ResolutionError) -> Service {
        try await container.resolveAsync(service, name: name)
    }
}
