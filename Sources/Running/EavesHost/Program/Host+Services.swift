// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
public import EavesLife
import EavesRegistry

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

    /// Launches a feature: checks that everything it is declared to require is provided, loads its module,
    /// creates the feature, and runs it.
    ///
    /// Several features can run at the same time. Standard output is flushed when a feature ends.
    ///
    /// - Parameters:
    ///   - feature: The feature's name; it may be one that the program itself provides.
    ///   - arguments: The arguments that follow the name on the command line.
    ///   - values: The values of keys by which bindings choose, such as `["user": "alice"]`; see
    ///     ``ServiceContainer/child(choosingBy:)``.
    ///   - console: The console from which the feature reads, and to which it writes; `nil` for standard input and
    ///     output.
    /// - Returns: The exit code of the feature.
    /// - Throws: ``HostError`` if the feature cannot be launched, or if it fails; its
    ///   ``HostError/cause`` is then the error of the feature.
    public func launch(
        _ feature: String, _ arguments: [String] = [], choosingBy values: [String: String] = [:],
        console: (any Console)? = nil
    ) async throws(HostError) -> ExitCode {
        let console = console ?? StandardConsole.standard
        do {
            let code = try await launch(
                feature, Launch(arguments: arguments, console: console), choosingBy: values)
            try (console as? StandardConsole)?.flush()
            return code
        } catch {
            // The error of the feature says more than that its output cannot be written.
            try? (console as? StandardConsole)?.flush()
            throw HostError(error)
        }
    }
}
