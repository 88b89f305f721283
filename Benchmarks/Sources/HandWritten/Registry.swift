// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
@_spi(Containers) package import EavesInterface
@preconcurrency import Glibc

/// A factory, wrapped because Swift cannot keep functions of any number of arguments as they are.
struct Factory<Service, each Argument> {
    let make: @Sendable (any Resolver, repeat each Argument) throws -> Service
    func callAsFunction(_ resolver: any Resolver, _ arguments: repeat each Argument) throws
        -> Service
    {
        try make(resolver, repeat each arguments)
    }
}

/// The registry that people write by hand today: a dictionary by the services' names.
package final class Registry: Registrar, Resolver, @unchecked Sendable {
    package private(set) var factories: [String: Any] = [:]
    package let settings = Settings()

    package init() {}

    package func register<Service: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) { factories["\(service) \(options.name ?? "")"] = Factory(make: factory) }

    package func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        let found = factories["\(service) \(name ?? "")"] as? Factory<Service>
        guard let made = try? found?(self) else { fatalError("no \(service)") }
        return made
    }
}

// Whatever the modules of the benchmark do not use.
extension Registry {
    package func register<Service: Sendable, each Argument>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) { fatalError("not needed here") }

    package func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service,
        completed: (@Sendable (any Resolver, Service) async throws -> Void)?
    ) { fatalError("not needed here") }

    package func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service,
        completed: (@MainActor @Sendable (any Resolver, Service) throws -> Void)?
    ) { fatalError("not needed here") }

    package func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) { fatalError("not needed here") }

    package func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) { fatalError("not needed here") }

    package func lifecycle(_ lifecycle: any Lifecycle) { fatalError("not needed here") }

    package func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service { fatalError("not needed here") }

    package func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service? { fatalError("not needed here") }

    package func isProvided(_ service: Any.Type, name: String?) -> Bool { false }

    package func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] { fatalError("not needed here") }

    package func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service { fatalError("not needed here") }

    package func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service { fatalError("not needed here") }
}

extension Registry {
    /// Loads an interface module, so that modules find its symbols.
    package func loadInterface(_ path: String) {
        guard dlopen(path, RTLD_NOW | RTLD_GLOBAL) != nil else {
            fatalError(String(cString: dlerror()))
        }
    }

    /// Loads a module and lets it register here.
    package func load(_ path: String) {
        guard let module = dlopen(path, RTLD_NOW | RTLD_LOCAL),
            let symbol = dlsym(module, "eaves_register")
        else { fatalError(String(cString: dlerror())) }
        var registrar: any Registrar = self
        withUnsafeMutablePointer(to: &registrar) { registrar in
            var host = eaves_host(
                abi_version: 1, size: UInt32(MemoryLayout<eaves_host>.size), registrar: registrar,
                register_feature: { _, _ in 1 }, fail: { fatalError(String(cString: $1)) },
                log: { _, _, _ in },
                // SAFETY: the text of a static string stays where it is.
                settings: { _ in
                    let text: StaticString = "{}"
                    return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
                },
                path: { $1 }, register_lifecycle: { _, _ in 1 })
            _ = unsafeBitCast(symbol, to: eaves_entry.self)(&host)
        }
    }

    /// Makes a feature and runs it.
    package func launch(_ feature: String) async throws -> Int32 {
        let made = try resolve((any Feature).self, name: feature)
        return Int32(try await made.launch(Launch(console: Terminal())).rawValue)
    }
}
