// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

@testable import EavesLoader

/// A registrar that keeps the features of modules in C.
final class KeptRegistrations: Registrar {
    let settings = Settings([:], directory: "/")
    private(set) var features: [String: any Feature] = [:]
    private(set) var places: [String] = []
    private(set) var messages: [LogMessage] = []

    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        preconditionFailure("modules in C register without arguments")
    }

    func registerWithoutArguments<Service: Sendable>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) {
        guard let feature = try? factory(NoServices()) as? any Feature else { return }
        features[name ?? ""] = feature
        places.append("\(place)")
    }

    /// Opens a module and calls its entry point.
    func load(_ file: String, shown table: HostTable = .current) throws(LoadError) {
        try Loader.open(file).register(in: self, shown: table) { self.messages.append($0) }
    }

    /// Launches a feature and returns its exit code.
    func launch(_ name: String, _ arguments: String...) async throws -> ExitCode? {
        try await features[name]?.launch(Launch(arguments: arguments, console: NoConsole()))
    }

    /// Drops all features.
    func drop() { features = [:] }
}

/// A resolver for factories that resolve nothing.
private struct NoServices: Resolver {
    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        preconditionFailure("modules in C resolve nothing")
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        preconditionFailure("modules in C resolve nothing")
    }
}

/// A console without input. Modules in C get descriptors instead.
private struct NoConsole: Console {
    let isInteractive = false
    func readLine() throws(ConsoleError) -> String? { nil }
    func write(_ text: String) throws(ConsoleError) {}
    func warn(_ text: String) {}
}
