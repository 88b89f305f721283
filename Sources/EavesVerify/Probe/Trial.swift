// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesSystem

// SAFETY: used by one task of the probe, one check after the other.
/// A module that is being tried out in the probe, and what has become of it so far.
final class Trial: @unchecked Sendable {
    let entry: CatalogEntry
    private let manifest: Manifest?
    private let settings: Settings
    /// The container that it registers in, and from which its services are asked for.
    private(set) lazy var container = makeContainer()
    private var module: LoadedModule?
    private var registrar: StagedRegistrar?
    private var isCommitted = false
    /// Set when it has registered: what that did beside registering.
    private(set) var traces: RegistrationTraces?
    /// What ``ServicesCreatedCheck`` made.
    var made: [MadeService] = []

    init(_ request: ProbeRequest) {
        let manifest = request.manifest.flatMap { try? Manifest.load($0) }
        self.manifest = manifest
        var entry = Catalog.inspect(file: request.file, profile: .current)
        entry.id = request.id
        entry.path = request.path
        entry.sha256 = request.sha256
        self.entry = entry
        settings = Settings(
            manifest?.entry(request.id)?.settings ?? [],
            directory: manifest?.directory ?? Path.current)
    }

    /// The module's code, loaded when it is first asked for.
    func load() throws -> LoadedModule {
        if let module { return module }
        let file = try fileToLoad()
        CrashWatch.expect(entry.id, entry.path, from: file, logEntry: "{")
        ProbeOutput.restrict()
        traces = RegistrationTraces()
        let loaded = try Loader.open(file)
        traces?.noteLoaded()
        module = loaded
        return loaded
    }

    /// What the module registers, when it is let register for the first time.
    func register() throws -> StagedRegistrar {
        if let registrar { return registrar }
        let module = try load()
        let registrar = makeRegistrar()
        try module.register(in: registrar) { _ in }
        traces?.noteRegistered()
        self.registrar = registrar
        return registrar
    }

    /// The container with what the module registered in it: all of it, whatever the manifest binds.
    func commit() throws -> Container {
        guard !isCommitted else { return container }
        try register().commit(to: container)
        isCommitted = true
        return container
    }

    /// A registrar that knows of no registration yet.
    func makeRegistrar() -> StagedRegistrar {
        StagedRegistrar(module: entry.id, settings: settings)
    }

    /// What a check finds, or what it throws, as a failure.
    func finding(_ check: () throws -> Finding) -> Finding {
        do {
            return try check()
        } catch {
            return failure(error)
        }
    }

    /// Lets the module register in a host that is not as usual, where it may also refuse.
    func registerOrRefuse(shown table: HostTable) throws -> Finding {
        let module = try load()
        do throws(LoadError) {
            try module.register(in: makeRegistrar(), shown: table) { _ in }
        } catch {
            guard case .refused = error else { return failure(error) }
        }
        return .passed
    }

    /// A failure, in the words that a host has for it.
    func failure(_ error: any Error) -> Finding {
        .failed(ModuleError(entry, error).diagnostics)
    }

    /// A failure of this module, in words of its own.
    func failure(_ message: String, fix: String?, _ code: FailureCode = .badData) -> Finding {
        .failed([diagnostic(message, fix: fix, code)])
    }

    /// A warning of this module, in words of its own.
    func warning(_ message: String, fix: String?) -> Finding {
        .warned([diagnostic(message, fix: fix, .badData)])
    }

    private func diagnostic(_ message: String, fix: String?, _ code: FailureCode) -> Diagnostic {
        Diagnostic(message, fix: fix, code: code).naming(entry.id, entry.path)
    }

    /// As a host does it: a private copy, checked, so that nothing else is run than what was checked.
    private func fileToLoad() throws -> String {
        guard let manifest else { return entry.file }
        let copies = ShadowCopy(in: ShadowCopy.folder(in: manifest.store))
        let file = try copies.make(of: entry.file, id: entry.id).path
        try BinaryCheck.checkDemands(file, of: entry, in: manifest)
        return file
    }

    /// With the manifest's other modules for what this one needs.
    private func makeContainer() -> Container {
        let supply = manifest.map {
            ModuleSupply(manifest: $0, source: NoSource()) { event in
                guard case .loading(let entry, let file) = event else { return }
                CrashWatch.expect(entry.id, entry.path, from: file, logEntry: "{")
            }
        }
        let container = Container { request, container in
            try supply?.provide(Need(request), in: container) ?? false
        }
        do {
            try container.registerHostServices()
        } catch {
            preconditionFailure("an empty container has no routing yet")
        }
        return container
    }
}
