// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// A resolver that does not keep its container alive: what a container made can keep it without
/// keeping itself.
struct WeakResolver: Resolver {
    private weak let container: Container?

    init(_ container: Container) {
        self.container = container
    }

    var weaklyHeld: any Resolver { self }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try holding(ServiceRequest(service, name: name)).resolve(service, name: name)
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let container = try holding(ServiceRequest(service, name: name))
        return try container.resolve(service, name: name, arguments: repeat each arguments)
    }

    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        let container = try holding(ServiceRequest(service, name: name))
        return try await container.resolveAsync(
            service, name: name, arguments: repeat each arguments)
    }

    @MainActor
    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        let container = try holding(ServiceRequest(service, name: name))
        return try container.resolveOnMainActor(
            service, name: name, arguments: repeat each arguments)
    }

    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        try holding(ServiceRequest(service)).resolveAll(service, arguments: repeat each arguments)
    }

    func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        let instance = LazyInstance(service, name: name, from: self)
        return Lazy { () throws(ResolutionError) in try instance.get() }
    }

    private func holding(
        _ wanted: @autoclosure () -> ServiceRequest
    ) throws(ResolutionError) -> Container {
        guard let container else { throw ResolutionError(.containerGone, wanted: wanted()) }
        return container
    }
}

extension Container {
    package var weaklyHeld: any Resolver { WeakResolver(self) }

    package func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        WeakResolver(self).lazy(service, name: name)
    }
}

// While a factory runs it is asked as the container is; what is kept for later is the container's.
extension MakingResolver {
    var weaklyHeld: any Resolver { container.weaklyHeld }

    func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        container.lazy(service, name: name)
    }

    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        do throws(ResolutionFailure) {
            return try goingOn { () throws(ResolutionFailure) in
                do throws(ResolutionError) {
                    return try container.resolveAll(service, arguments: repeat each arguments)
                } catch {
                    throw ResolutionFailure(error)
                }
            }
        } catch {
            throw error.error
        }
    }
}
