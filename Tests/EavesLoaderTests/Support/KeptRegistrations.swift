// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesTestSupport

@testable import EavesLoader

/// A registrar that keeps the features of modules in C.
final class KeptRegistrations: Registrar {
    let settings = Settings([:], directory: "/")
    private(set) var features: [String: any Feature] = [:]
    private(set) var places: [String] = []
    private(set) var lifecycles: [any Lifecycle] = []
    private(set) var messages: [LogMessage] = []

    func register<Service: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        guard let feature = try? factory(NoServices()) as? any Feature else { return }
        features[options.name ?? ""] = feature
        places.append("\(options.place)")
    }

    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        preconditionFailure("modules in C register features")
    }

    func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service,
        completed: (@Sendable (any Resolver, Service) async throws -> Void)?
    ) {
        preconditionFailure("modules in C register features")
    }

    func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service,
        completed: (@MainActor @Sendable (any Resolver, Service) throws -> Void)?
    ) {
        preconditionFailure("modules in C register features")
    }

    func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        preconditionFailure("modules in C register features")
    }

    func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        preconditionFailure("modules in C register features")
    }

    func lifecycle(_ lifecycle: any Lifecycle) { lifecycles.append(lifecycle) }

    /// Opens a module and calls its entry point.
    func load(_ file: String, shown table: HostTable = .current) throws(LoadError) {
        try Loader.open(file).register(in: self, shown: table) { self.messages.append($0) }
    }

    /// Launches a feature and returns its exit code.
    func launch(_ name: String, _ arguments: String...) async throws -> ExitCode? {
        try await features[name]?.launch(Launch(arguments: arguments, console: NoConsole()))
    }

    /// Drops all features, and the life cycle.
    func drop() {
        features = [:]
        lifecycles = []
    }
}

/// A resolver for factories that resolve nothing.
final class NoServices: Resolver {
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

    func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service? { nil }

    func isProvided(_ service: Any.Type, name: String?) -> Bool { false }

    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] { [] }

    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        preconditionFailure("modules in C resolve nothing")
    }

    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
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

/// Compiles modules in C for tests.
enum CModules {
    /// Compiles C code to a shared object in a folder, and returns its path. The code can use
    /// `eaves.h`.
    @discardableResult
    static func compile(
        _ code: String, to name: String = "module.so", in folder: TemporaryFolder,
        _ arguments: [String] = []
    ) throws -> String {
        let source = try folder.write("#include <eaves.h>\n" + code, to: name + ".c")
        let output = folder.file(name)
        try CCompiler.first().run(
            ["-shared", "-fPIC"] + CCompiler.includes + ["-o", output, source] + arguments)
        return output
    }
}
