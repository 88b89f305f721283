// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What awaited factories are given: the container, and the knowledge of what is being made.
///
/// Tasks that a factory starts know that by themselves, but for detached ones, and threads. Who asks
/// through this goes on where the factory stands, from wherever. When the factory has returned it is
/// no more than the container.
struct AsyncMakingResolver: Resolver {
    private let container: Container
    private let resolution: AsyncResolution

    init(_ container: Container, _ resolution: AsyncResolution) {
        self.container = container
        self.resolution = resolution
    }

    var changes: ChangeCounter? { container.changes }

    func lend(_ service: Any.Type, name: String?) -> Loan {
        container.lend(service, name: name)
    }

    var weaklyHeld: any Resolver { container.weaklyHeld }

    func lazy<Service: Sendable>(_ service: Service.Type, name: String?) -> Lazy<Service> {
        container.lazy(service, name: name)
    }

    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        try goingOn { () throws(ResolutionError) in
            try container.resolveAll(service, arguments: repeat each arguments)
        }
    }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try goingOn { () throws(ResolutionError) in try container.resolve(service, name: name) }
    }

    func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionFailure) -> Service {
        try goingOn { () throws(ResolutionFailure) in try container.find(service, name: name) }
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try goingOn { () throws(ResolutionError) in
            try container.resolve(service, name: name, arguments: repeat each arguments)
        }
    }

    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        guard resolution.isElsewhere else {
            return try await container.resolveAsync(
                service, name: name, arguments: repeat each arguments)
        }
        return try await AsyncResolution.$current.withValue(resolution) {
            () async -> Result<Service, ResolutionError> in
            do throws(ResolutionError) {
                return .success(
                    try await container.resolveAsync(
                        service, name: name, arguments: repeat each arguments))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    @MainActor
    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try goingOn { () throws(ResolutionError) in
            try container.resolveOnMainActor(service, name: name, arguments: repeat each arguments)
        }
    }

    /// Runs `body` where the factory stands.
    private func goingOn<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard resolution.isElsewhere else { return try body() }
        return try AsyncResolution.$current.withValue(resolution) {
            () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }.get()
    }
}
