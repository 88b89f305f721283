// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import EavesRegistry

// What takes the place of what modules register: now, or when they are loaded.
extension TestContainer {
    /// Replaces a service, or provides it if nobody else does.
    ///
    /// From then on, whoever asks gets what this factory makes: tests, modules that are loaded, and
    /// modules that will be. What was made before keeps what it was given. What a test replaces is not
    /// loaded, and needs no provider.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it is asked for under; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the mock. Runtime arguments stand behind the resolver.
    public func replace<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        let place = SourcePlace(fileID: fileID, line: line)
        replace {
            $0.register(service, name: name, scope: scope, place: place, factory: factory)
        }
    }

    /// Replaces a service with a factory that is awaited, as ``replace(_:name:scope:fileID:line:factory:)``.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it is asked for under; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the mock. Runtime arguments stand behind the resolver.
    public func replaceAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service
    ) {
        let place = SourcePlace(fileID: fileID, line: line)
        replace {
            $0.registerAsync(service, name: name, scope: scope, place: place, factory: factory)
        }
    }

    /// Replaces a service with a factory that runs on the main actor, as
    /// ``replace(_:name:scope:fileID:line:factory:)``.
    ///
    /// - Parameters:
    ///   - service: The protocol, such as `(any UserService).self`.
    ///   - name: The name it is asked for under; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the mock, on the main actor. Runtime arguments stand behind the resolver.
    public func replaceOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws ->
            Service
    ) {
        let place = SourcePlace(fileID: fileID, line: line)
        replace {
            $0.registerOnMainActor(
                service, name: name, scope: scope, place: place, factory: factory)
        }
    }

    /// Replaces a feature, or provides it if no module does.
    ///
    /// - Parameters:
    ///   - name: The feature's name.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the mock, once for each launch.
    public func replaceFeature(
        _ name: String, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> any Feature
    ) {
        let place = SourcePlace(fileID: fileID, line: line)
        replace {
            $0.register(
                (any Feature).self, name: name, scope: .transient, place: place, factory: factory)
        }
    }
}
