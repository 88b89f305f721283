// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service that a registration declares it needs, so that mistakes are found before its factory runs.
///
/// ```swift
/// registrar.register(
///     (any LoginFactory).self, needs: [.service((any UserService).self)]
/// ) { resolver in LoginScreens(users: try resolver.resolve((any UserService).self)) }
/// ```
public struct ServiceNeed: Hashable, Sendable {
    /// The use that the new instance makes of the service.
    package enum Use: Hashable, Sendable {
        case kept
        /// The instance keeps the service, and deliberately has one of its own.
        case own
        /// The instance asks for the service when it is in use, and not before.
        case later
    }

    package let service: ObjectIdentifier
    /// The name that it is registered under; `nil` for the unnamed implementation.
    package let name: String?
    /// The types of the runtime arguments, in order.
    package let arguments: [ObjectIdentifier]
    package let use: Use
    /// Whether the factory can do without it.
    package let isOptional: Bool

    private init<each Argument>(
        _ service: Any.Type, name: String?, use: Use, isOptional: Bool = false,
        arguments: repeat (each Argument).Type
    ) {
        var types: [ObjectIdentifier] = []
        for type in repeat each arguments { types.append(ObjectIdentifier(type)) }
        self.service = ObjectIdentifier(service)
        self.name = name
        self.arguments = types
        self.use = use
        self.isOptional = isOptional
    }

    /// The request that the factory makes, in words.
    public var request: ServiceRequest {
        ServiceRequest(service.type, name: name, arguments: arguments.map(\.type))
    }

    /// A service that the factory asks for and that the new instance keeps.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func service<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(service, name: name, use: .kept, arguments: repeat each arguments)
    }

    /// A service that the factory asks for with ``Resolver/resolveIfProvided(_:name:)``, and that the new
    /// instance keeps if something provides it.
    ///
    /// It is not a mistake if the service has no provider.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func optional<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(
            service, name: name, use: .kept, isOptional: true, arguments: repeat each arguments)
    }

    /// A service with a shorter life than the instance that keeps it, where that is intended.
    ///
    /// A shared object that keeps a transient service is usually a mistake, and validation reports
    /// it. This need says that the shared object is meant to have an instance of its own.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func own<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(service, name: name, use: .own, arguments: repeat each arguments)
    }

    /// A service that the instance asks for later: through a ``Provider``, a ``Lazy`` or a resolver
    /// that it keeps, or when it is completed.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func later<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(service, name: name, use: .later, arguments: repeat each arguments)
    }
}

extension ObjectIdentifier {
    package var type: Any.Type {
        // SAFETY: only called for identifiers of types, never of objects; both a type and its identifier
        // are the address of the type's metadata.
        unsafeBitCast(self, to: Any.Type.self)
    }
}
