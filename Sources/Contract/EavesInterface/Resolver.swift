// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The source of the services that a module asks for.
///
/// The requirements take all parameters. Modules mostly call the short forms in the extension.
///
/// A factory gets a resolver and asks it for services. It may also keep the resolver and ask later. Safe from any
/// thread. Asking for a service loads the module that provides it, if the module is not loaded yet.
///
/// A resolver is an object, so that passing it on costs no more than passing a reference.
///
/// A program with a container of its own conforms to this, and imports the interface by
/// `@_spi(Containers) import EavesInterface`: what only containers implement, with a default, is not shown otherwise.
public protocol Resolver: AnyObject, Sendable {
    /// Returns the implementation of a service.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: ``ResolutionError`` if nothing provides the service, if services need each other in a
    ///   circle, or if the factory fails.
    func resolve<Service: Sendable>(_ service: Service.Type, name: String?) throws(ResolutionError)
        -> Service

    /// Returns the implementation of a service that is created with runtime arguments.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The factory gets them. Their types, in order, are part of the request.
    /// - Throws: ``ResolutionError`` if nothing provides the service, if services need each other in a
    ///   circle, or if the factory fails.
    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service

    /// Returns the implementation of a service, or `nil` if nothing provides it.
    ///
    /// In a host, nothing provides a service if no module declares it, or only modules that are switched off. A module
    /// that declares it and cannot be loaded is an error, and so is a binding that cannot be followed.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Throws: ``ResolutionError`` if the service is provided and cannot be created, for example
    ///   because nothing provides a service that it needs itself.
    func resolveIfProvided<Service: Sendable>(_ service: Service.Type, name: String?)
        throws(ResolutionError) -> Service?

    /// Whether something provides a service that is created without runtime arguments.
    ///
    /// It creates nothing and loads no module. The answer is `false` where ``resolveIfProvided(_:name:)`` returns
    /// `nil`. A service that is provided may still fail to be created.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    func isProvided(_ service: Any.Type, name: String?) -> Bool

    /// Lends a service in the place where the container keeps it. Creates nothing and loads no module.
    ///
    /// ``borrow(_:name:_:)`` calls this and returns the loan; modules need not.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    /// - Returns: The loan, which is valid as long as the resolver. It is a loan of nothing if the
    ///   service has not been created yet or if its scope does not keep it.
    func lend(_ service: Any.Type, name: String?) -> Loan

    /// The counter of the changes of the container, or `nil` if nothing counts them.
    @_spi(Containers)
    var changes: ChangeCounter? { get }

    /// Returns the implementation of a service, also if its factory is awaited or runs on the main actor.
    ///
    /// The task suspends while it waits. It blocks a thread only while a module is loaded, and while
    /// a factory that is not awaited runs. Cancelling the task ends its wait.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The factory gets them. Their types, in order, are part of the request.
    /// - Throws: ``ResolutionError`` if nothing provides the service, if services need each other in a
    ///   circle, if the factory fails, or if the task was cancelled.
    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service

    /// Returns the implementation of a service on the main actor, also if its factory runs there.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The factory gets them. Their types, in order, are part of the request.
    /// - Throws: ``ResolutionError`` if nothing provides the service, if services need each other in a
    ///   circle, or if the factory fails or has to be awaited.
    @MainActor
    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service

    /// Returns every implementation of a service, including those that the manifest does not choose.
    /// Loads the modules that provide them.
    ///
    /// The host's own implementations come first, then those of each module in the order of the
    /// modules' ids. Among the implementations of one module, the unnamed one comes first, and the
    /// others follow in the order of their names. A child container's own come before its parent's.
    /// An instance that a scope keeps is the same one that `resolve` returns.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any EventHandler).self`.
    ///   - arguments: The factories get them. Their types, in order, are part of the request.
    /// - Returns: The implementations; none if nothing provides the service.
    /// - Throws: ``ResolutionError`` if one of them cannot be created, or if a module that provides
    ///   the service cannot be loaded.
    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service]

    /// A resolver that gives the same answers and does not keep its container alive.
    @_spi(Containers)
    var weaklyHeld: any Resolver { get }

    /// Returns a value that resolves a service at its first use. Resolves nothing yet.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service>

    /// Resolves a service and calls it, for ``call(_:name:_:)`` and for a ``Handle``. The container notes the call for a
    /// host that judges the module, and holds it back while the module's state goes over to another object.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - body: A function that calls the service. Its second argument is whether further calls of the same object would be as good, until
    ///     `changes` counts.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as ``resolve(_:name:)`` does, or the error of `body`.
    @_spi(Containers)
    func performCall<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result

    /// Resolves a service and calls it, for ``callAsync(_:name:isolation:_:)``, as `performCall(_:name:_:)` does.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - isolation: The actor of the caller, on which `body` begins.
    ///   - body: A function that calls the service.
    /// - Returns: The result of `body`.
    /// - Throws: ``ResolutionError``, as ``resolveAsync(_:name:arguments:)`` does, or the error of `body`.
    @_spi(Containers)
    func performCallAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, isolation: isolated (any Actor)?,
        _ body: (Service) async throws -> Result
    ) async throws -> Result
}
