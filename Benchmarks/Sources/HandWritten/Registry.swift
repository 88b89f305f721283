// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
public import EavesInterface
@preconcurrency import Glibc

// What people write by hand today: the paths known, nothing checked, everything loaded.
struct Factory<Service, each Argument> {
    let make: @Sendable (any Resolver, repeat each Argument) throws -> Service
    func callAsFunction(_ resolver: any Resolver, _ arguments: repeat each Argument) throws
        -> Service
    {
        try make(resolver, repeat each arguments)
    }
}

public final class Registry: Registrar, Resolver, @unchecked Sendable {
    public private(set) var factories: [String: Any] = [:]
    public let settings = Settings()

    public init() {}

    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) { factories["\(service) \(name ?? "")"] = Factory(make: factory) }

    public func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        let found = factories["\(service) \(name ?? "")"] as? Factory<Service>
        guard let made = try? found?(self) else { fatalError("no \(service)") }
        return made
    }

    public func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service { fatalError("not needed here") }
}

extension Registry {
    /// Loads a module and lets it register here.
    public func load(_ path: String) {
        guard let module = dlopen(path, RTLD_NOW | RTLD_LOCAL),
            let symbol = dlsym(module, "eaves_register")
        else { fatalError(String(cString: dlerror())) }
        var registrar: any Registrar = self
        withUnsafeMutablePointer(to: &registrar) { registrar in
            var host = eaves_host(
                abi_version: 1, size: UInt32(MemoryLayout<eaves_host>.size), registrar: registrar,
                register_feature: { _, _ in 1 }, fail: { fatalError(String(cString: $1)) },
                log: { _, _, _ in })
            _ = unsafeBitCast(symbol, to: eaves_entry.self)(&host)
        }
    }

    /// Makes a feature and runs it.
    public func launch(_ feature: String) async throws -> Int32 {
        let made = try resolve((any Feature).self, name: feature)
        return Int32(try await made.launch(Launch(console: Terminal())).rawValue)
    }
}
