// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a registration says that its factory asks for, so that mistakes are found before it runs.
///
/// ```swift
/// registrar.register(
///     (any LoginFactory).self, needs: [.service((any UserService).self)]
/// ) { resolver in LoginScreens(users: try resolver.resolve((any UserService).self)) }
/// ```
///
/// Since interface 1.1.
public struct ServiceNeed: Hashable, Sendable {
    /// What becomes of what is asked for.
    package enum Use: Hashable, Sendable {
        /// It is kept by what is made.
        case kept
        /// It is kept, and meant to be an instance of its own.
        case own
        /// It is asked for when what is made is in use, and not before.
        case later
    }

    /// What is asked for, in words.
    public let request: ServiceRequest
    /// The service's type.
    package let service: ObjectIdentifier
    /// The types of the runtime arguments, in order.
    package let arguments: [ObjectIdentifier]
    package let use: Use

    private init<each Argument>(
        _ service: Any.Type, name: String?, use: Use, arguments: repeat (each Argument).Type
    ) {
        var types: [Any.Type] = []
        for type in repeat each arguments { types.append(type) }
        request = ServiceRequest(service, name: name, arguments: types)
        self.service = ObjectIdentifier(service)
        self.arguments = types.map { ObjectIdentifier($0) }
        self.use = use
    }

    /// A service that the factory asks for, and that what it makes keeps.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func service<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(service, name: name, use: .kept, arguments: repeat each arguments)
    }

    /// As ``service(_:name:arguments:)``, where it is meant that a shared object keeps an instance
    /// of its own of what others get anew.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func own<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(service, name: name, use: .own, arguments: repeat each arguments)
    }

    /// A service that is asked for later: through a ``Provider``, a ``Lazy``, a resolver that is
    /// kept, or when the object is completed.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    ///   - arguments: The types of the runtime arguments, in order.
    public static func later<each Argument>(
        _ service: Any.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> ServiceNeed {
        ServiceNeed(service, name: name, use: .later, arguments: repeat each arguments)
    }
}
