// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// What came with interface 1.1, for resolvers that know nothing of it; and the shorter forms.
extension Resolver {
    /// The unnamed one, if it is provided: a resolver has to say for itself what else there is.
    public func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        var types: [Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        do throws(ResolutionError) {
            return [try resolve(service, name: nil, arguments: repeat each arguments)]
        } catch {
            guard case .notRegistered = error.reason,
                error.wanted == ServiceRequest(service, arguments: types)
            else { throw error }
            return []
        }
    }

    /// Itself.
    public var weaklyHeld: any Resolver { self }

    /// Asks once. Should several threads be first at once, each may ask, and all get the same answer.
    public func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        let resolver = weaklyHeld
        let first = FirstAnswer<Service>()
        return Lazy { () throws(ResolutionError) in
            try first.get { () throws(ResolutionError) in try resolver.resolve(service, name: name)
            }
        }
    }

    /// Every implementation of a service that is made without runtime arguments, as
    /// ``resolveAll(_:arguments:)``.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameter service: The protocol, such as `(any EventHandler).self`.
    public func resolveAll<Service: Sendable>(
        _ service: Service.Type
    ) throws(ResolutionError) -> [Service] {
        func all<each Argument>(
            _ arguments: repeat each Argument
        ) throws(ResolutionError) -> [Service] {
            try resolveAll(service, arguments: repeat each arguments)
        }
        return try all()
    }

    /// Asks for a service anew each time. Nothing is asked for now.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it was registered under; `nil` is the unnamed one.
    public func provider<Service: Sendable>(
        _ service: Service.Type, name: String? = nil
    ) -> Provider<Service> {
        Provider(asking: weaklyHeld, name: name)
    }

    /// Asks for the unnamed implementation of a service once, when it is first used.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameter service: The protocol, such as `(any UserService).self`.
    public func lazy<Service: Sendable>(_ service: Service.Type) -> Lazy<Service> {
        lazy(service, name: nil)
    }
}
