// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where services are asked for.
///
/// A factory is given one and uses it while it builds; it may also keep it to resolve later. Safe
/// from any thread. Asking for a service loads the module that provides it, if that has not
/// happened yet.
public protocol Resolver: Sendable {
    /// The implementation of a service.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails.
    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service

    /// The implementation of a service that is made with runtime arguments.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: Handed to the factory. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails.
    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service

    /// What ``resolve(_:name:)`` gives, and faster: the error comes in a box.
    ///
    /// ``resolve(_:)`` calls it. There is no need to call it yourself.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    /// - Throws: ``ResolutionFailure``, which holds what ``resolve(_:name:)`` throws.
    func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionFailure) -> Service

    /// Lends a service where it is kept. Makes none, and loads no module.
    ///
    /// ``borrow(_:name:_:)`` calls it, and ends what it gives. There is no need to call it yourself.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    /// - Returns: A loan of nothing if it is not there yet, or not kept. Whatever it is, it is valid as
    ///   long as the resolver.
    func lend(_ service: Any.Type, name: String?) -> Loan

    /// Counts the changes to what it gives; `nil` if nothing does.
    ///
    /// Since interface 1.1.
    var changes: ChangeCounter? { get }

    /// The implementation of a service, however it is made: also by a factory that is awaited, or
    /// that runs on the main actor.
    ///
    /// Suspends the task where it has to wait, and blocks no thread; but for the loading of a module,
    /// and for what factories do that are not awaited. Cancelling the task ends its wait.
    ///
    /// Since interface 1.1. A resolver that knows nothing of it answers as `resolve`.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: Handed to the factory. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, the factory
    ///   fails, or the task was cancelled.
    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service

    /// The implementation of a service, asked for on the main actor: also one that is made there.
    ///
    /// Since interface 1.1. A resolver that knows nothing of it answers as `resolve`.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: Handed to the factory. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails or has to be awaited.
    @MainActor
    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service

    /// Every implementation of a service: the host's own first, then those of each module in the
    /// order of the modules' ids; of one module the unnamed one first, then by their names. Also
    /// those that the manifest did not choose, whose modules are loaded now.
    ///
    /// What a scope keeps is the same as through `resolve`. A child container's own stand before its
    /// parent's.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any EventHandler).self`.
    ///   - arguments: Handed to the factories. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when one of them cannot be made, or a module that provides the
    ///   service cannot be loaded. Nobody who provides it is no error.
    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service]

    /// A resolver that answers the same, and does not keep alive what stands behind it.
    ///
    /// Since interface 1.1.
    var weaklyHeld: any Resolver { get }

    /// Asks for a service once, when it is first used. Nothing is asked for now.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service>
}

extension Resolver {
    /// Nothing: a ``Handle`` asks each time.
    public var changes: ChangeCounter? { nil }

    /// A service at hand, for code that calls it very often.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    /// - Throws: ``ResolutionError``, as ``resolve(_:name:)``.
    public func handle<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) throws(ResolutionError) -> Handle<Service> {
        try Handle(service, name: name, in: self)
    }

    /// What ``resolve(_:name:)`` gives, with the error in a box.
    public func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionFailure) -> Service {
        do throws(ResolutionError) {
            return try resolve(service, name: name)
        } catch {
            throw ResolutionFailure(error)
        }
    }

    /// The unnamed implementation of a service.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails.
    @inlinable @inline(__always) public func resolve<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try find(service, name: nil)
        } catch {
            throw error.error
        }
    }

    /// The implementation of a service, or `nil` if nobody provides it.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    /// - Throws: ``ResolutionError`` when it is provided but cannot be made: also if what nobody
    ///   provides is one of its own needs.
    public func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) throws(ResolutionError) -> Service? {
        do throws(ResolutionError) {
            return try resolve(service, name: name)
        } catch {
            guard case .notRegistered = error.reason,
                error.wanted == ServiceRequest(service, name: name)
            else { throw error }
            return nil
        }
    }

    /// The unnamed implementation of a service that is made with runtime arguments.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - arguments: Handed to the factory. Their types, in order, are part of what is asked for.
    /// - Throws: ``ResolutionError`` when nobody provides it, needs go round in a circle, or the
    ///   factory fails.
    public func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: nil, arguments: repeat each arguments)
    }
}
