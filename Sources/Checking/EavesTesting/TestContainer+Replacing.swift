// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import EavesRegistry

// Replacements take the place of registrations, including those of modules that are loaded later.
extension TestContainer {
    /// Replaces a service, or provides it if no module does.
    ///
    /// From then on, the test and all modules get the instances of this factory, whether a module is
    /// loaded already or later. Instances that exist already keep the services they have. A replaced
    /// service needs no provider, and no module is loaded for it.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name that others ask for; `nil` for the unnamed implementation.
    ///   - scope: How long the container keeps the mock.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the mock. Runtime arguments follow the resolver.
    /// - Returns: The replacement, to undo it.
    @discardableResult
    public func replace<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) -> Replacement {
        replace {
            $0.register(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    /// Replaces a service by a factory that is awaited, like
    /// ``replace(_:name:scope:fileID:line:factory:)``, whose parameters are the same.
    @discardableResult
    public func replaceAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) -> Replacement {
        replace {
            $0.registerAsync(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    /// Replaces a service by a factory that runs on the main actor, like
    /// ``replace(_:name:scope:fileID:line:factory:)``, whose parameters are the same.
    @discardableResult
    public func replaceOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws ->
            Service
    ) -> Replacement {
        replace {
            $0.registerOnMainActor(
                service, name: name, scope: scope, fileID: fileID, line: line, factory: factory)
        }
    }

    /// Replaces a feature, or provides it if no module does.
    ///
    /// - Parameters:
    ///   - name: The feature's name.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: A function that creates the mock, once for each launch.
    /// - Returns: The replacement, to undo it.
    @discardableResult
    public func replaceFeature(
        _ name: String, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> any Feature
    ) -> Replacement {
        replace { $0.registerFeature(name, fileID: fileID, line: line, factory: factory) }
    }
}

/// A service of a ``TestContainer`` that a test replaced.
///
/// The replacement lasts as long as its container, unless the test undoes it:
///
/// ```swift
/// let offline = container.replace((any Weather).self) { _ in NoWeather() }
/// #expect(try await container.launch("weather").exitCode == .failure)
/// offline.undo()
/// ```
///
/// Safe from any thread.
public struct Replacement: Sendable {
    let overriding: Overriding
    let container: Container

    /// Puts back what was there before: what a module registered, with the instances that existed, or an
    /// earlier replacement. If nothing was there, a module that provides the service is loaded again when
    /// the service is asked for.
    ///
    /// Replacements can be undone in any order. Undoing one twice has no effect.
    public func undo() {
        container.undo(overriding)
    }
}
