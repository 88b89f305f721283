// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Default implementations of the requirements that interface 1.1 added, for resolvers that implement
// only the requirements of 1.0. The defaults of `lend`, `changes` and `lazy` stand with their types.
extension Resolver {
    /// The default calls ``resolve(_:name:)`` and boxes its error.
    public func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(BoxedResolutionError) -> Service {
        do throws(ResolutionError) {
            return try resolve(service, name: name)
        } catch {
            throw BoxedResolutionError(error)
        }
    }

    /// The default calls ``resolve(_:name:)``. It cannot tell a service that nobody provides from one whose
    /// factory asks another resolver for the same service in vain.
    public func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
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

    /// The default calls `resolve`.
    public func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try resolve(service, name: name, arguments: repeat each arguments)
    }

    /// The default calls `resolve`.
    @MainActor
    public func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: name, arguments: repeat each arguments)
    }

    /// The default returns the unnamed implementation, if the service is provided. It cannot know
    /// the others.
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

    /// The default returns the resolver itself.
    public var weaklyHeld: any Resolver { self }
}
