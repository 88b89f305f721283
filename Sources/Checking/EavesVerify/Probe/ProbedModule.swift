// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesIsolation
import EavesLife
import EavesLoader
import EavesManifest
import EavesModules
import EavesRegistry
import EavesRules
import EavesSystem
import EavesTrust

// SAFETY: used by one task of the probe, one check after the other.
/// The module that the probe runs: loaded, registered and committed when a check first asks for that.
final class ProbedModule: @unchecked Sendable {
    let entry: CatalogEntry
    private let manifest: Manifest?
    private let settings: Settings
    /// The container that it registers in and that creates its services.
    private(set) lazy var container = makeContainer()
    /// The loader of other modules of the manifest that this one needs.
    private lazy var supply = makeSupply()
    private var module: LoadedModule?
    private var registrar: StagedRegistrar?
    /// Its registrations; empty before.
    private(set) var capabilities: Set<Capability> = []
    private var isCommitted = false
    /// The side effects of loading and registering that its own process can see.
    private(set) var stateBefore: ProcessSnapshot?
    private(set) var stateAfter: ProcessSnapshot?
    /// A function that waits until the verifying process has looked at this one.
    private let report: (ProbeMoment) -> Void
    /// The private copy that is loaded, checked as a host does it: the bytes that run are those that were checked.
    private lazy var copy = Result { try makeCopy() }
    /// The folder with its resources; `nil` if it has none.
    private lazy var resources = Result {
        try ResourceFolder(of: copy.get(), in: manifest?.store)
    }
    /// The interfaces next to its file, if there is no manifest. Each comes behind those that it uses itself.
    private lazy var neighbours = Result { try neighbours(of: entry) }
    /// The rights that the system does not take from the process, although the module has no permission for them.
    private var wall: Result<[String], SystemError>
    var created: [CreatedService] = []

    init(_ request: ProbeRequest, report: @escaping (ProbeMoment) -> Void) {
        self.report = report
        var manifest = request.manifest.flatMap { try? Manifest.load($0) }
        // A process behind a wall starts no other one: the modules that this one needs are behind its wall, too.
        if request.permissions != nil { manifest = manifest?.withoutIsolation }
        wall = .success(request.permissions == nil ? [] : ["it was not asked to"])
        self.manifest = manifest
        var entry = Catalog.inspect(file: request.file, profile: .current)
        entry.id = request.id
        entry.path = request.path
        entry.sha256 = request.sha256
        self.entry = entry
        settings = Settings(
            manifest?.entry(request.id)?.settings ?? [],
            directory: manifest?.directory ?? Path.current,
            places: manifest?.settingPlaces(of: request.id) ?? [:])
    }

    /// Takes all rights from this process that the module has no permission for. The process has one thread, and no
    /// code of a module.
    ///
    /// - Parameter channel: The channel on which the verifying process learns where it decides about connections.
    func raiseWall(_ permissions: Permissions, decidedOn channel: Int32) {
        // Without a copy, no code is going to run.
        guard let copy = try? copy.get() else {
            return Wall.forgo(decidedOn: channel)
        }
        ProbeOutput.restrict()
        let needed = supply?.prepareNeeds(of: entry) ?? (try? neighbours.get()) ?? []
        // The last one is that of the module itself.
        let files = (needed + [copy]).map(\.descriptor)
        var rights = permissions
        // A folder that cannot be written is told when the module is loaded.
        if let folder = try? resources.get() { rights.read.append(folder.path) }
        wall = Result { [rights] () throws(SystemError) in
            try Wall.raise(rights, around: files, decidedOn: channel)
        }
    }

    /// The module's code, loaded at the first call.
    ///
    /// - Throws: `BinaryError` if the manifest demands other bytes, `SystemError` if the file cannot be
    ///   copied, `LoadError` if the dynamic linker refuses it, `UnenforcedWall` if its wall does not stand.
    func load() throws -> LoadedModule {
        if let module { return module }
        let file = try readyFile()
        stateBefore = ProcessSnapshot()
        report(.unloaded)
        let loaded = try Loader.open(file)
        report(.loaded)
        module = loaded
        return loaded
    }

    /// The file to load, when everything that stands before the module's own code is done: its interfaces
    /// are loaded, which is not the module's doing.
    func readyFile() throws -> String {
        let file = try copy.get().ownPath
        try resources.get()?.announce()
        let unenforced = try wall.get()
        guard unenforced.isEmpty else { throw UnenforcedWall(gaps: unenforced) }
        Self.watch(entry, from: file)
        ProbeOutput.restrict()
        try loadInterfaces()
        return file
    }

    /// Loads the interfaces that the module names: those of the manifest, or else those next to its file.
    private func loadInterfaces() throws {
        if let supply { return try supply.loadInterfaces(of: entry) }
        for copy in try neighbours.get() { try Loader.openInterface(copy.ownPath) }
    }

    private func neighbours(of module: CatalogEntry) throws -> [PrivateCopy] {
        let linked = HostProfile.current.interfaces.map(\.id)
        let needed = (module.declaration?.interfaces ?? []).filter { !linked.contains($0.id) }
        return try needed.flatMap { need in
            let file = Path.join(Path.parent(of: module.file), need.id + ".so")
            let found = Catalog.inspect(file: file, profile: .current)
            guard found.problem == nil, found.declaration?.layer == .interface else {
                throw MissingNeighbour(id: need.id)
            }
            let copy = try ShadowCopy(in: nil).make(of: file, id: found.id, .own)
            copy.keep()
            return try neighbours(of: found) + [copy]
        }
    }

    /// The module's registrations, made at the first call.
    ///
    /// - Throws: The errors of ``load()``, and `LoadError` if the module refuses.
    func register() throws -> StagedRegistrar {
        if let registrar { return registrar }
        let module = try load()
        let registrar = makeRegistrar()
        try module.register(in: registrar) { _ in }
        ProbeOutput.flush()
        report(.registered)
        stateAfter = ProcessSnapshot()
        capabilities = Set(registrar.registrations.map { Capability($0.request) })
        self.registrar = registrar
        return registrar
    }

    /// The container with everything that the module registers, whatever the manifest binds.
    ///
    /// - Throws: The errors of ``register()``, and `RegistrationError` if something is registered twice.
    func commit() throws -> Container {
        guard !isCommitted else { return container }
        try register().commit(to: container)
        isCommitted = true
        return container
    }

    /// Releases everything that the module has registered, as a host does that takes it back. A registration
    /// keeps the instance of its scope, so none is kept here either.
    func release() throws {
        try commit().unregister(module: entry.id)
        container.reclaim()
        registrar = makeRegistrar()
        for index in created.indices { created[index].value = nil }
    }

    func makeRegistrar() -> StagedRegistrar {
        StagedRegistrar(module: entry.id, settings: settings)
    }

    /// A failure with the messages that a host has for an error.
    func failure(_ error: any Error) -> CheckConclusion {
        .failed(ModuleError(entry, error).diagnostics)
    }

    func failure(_ message: String, fix: String?, _ code: FailureCode = .badData) -> CheckConclusion
    {
        .failed([diagnostic(message, fix: fix, code)])
    }

    func warning(_ message: String, fix: String?) -> CheckConclusion {
        .warned([diagnostic(message, fix: fix, .badData)])
    }

    private func diagnostic(_ message: String, fix: String?, _ code: FailureCode) -> Diagnostic {
        Diagnostic(message, fix: fix, code: code).naming(entry.id, entry.path)
    }

    private func makeCopy() throws -> PrivateCopy {
        let copies = ShadowCopy(in: manifest?.store)
        let copy = try copies.make(of: entry.file, id: entry.id, manifest?.trust ?? .own)
        if let manifest {
            try InspectedModule(
                copy: copy.ownPath, held: copy, of: entry, among: nil, in: manifest, host: .current
            ).checkDemands()
        }
        copy.keep()
        return copy
    }

    private static func watch(_ entry: CatalogEntry, from file: String) {
        CrashWatch.expect(
            entry.id, entry.path, from: file, isInterface: entry.declaration?.layer == .interface,
            logEntry: "{")
    }

    private func makeSupply() -> LazyLoader? {
        manifest.map {
            LazyLoader(
                manifest: $0, source: NoSource(),
                observers: HostObservers { Self.watch($0, from: $1.ownPath) },
                isolation: ModuleProcesses())
        }
    }

    private func makeContainer() -> Container {
        let supply = supply
        let container = Container { request, container in
            try supply?.provide(Capability(request), in: container) ?? false
        }
        do {
            // Verification judges what a module does, and not what it says meanwhile.
            try container.registerHostServices(loggingFrom: .error) { _, _ in }
        } catch {
            preconditionFailure("an empty container has no routing yet")
        }
        return container
    }
}

/// The system does not take all rights from a process that its module has no permission for.
private struct UnenforcedWall: Error, DiagnosableList {
    let gaps: [String]

    var diagnostics: [Diagnostic] {
        gaps.map { words in
            Diagnostic(
                "the system does not take all other rights from its process: \(words)",
                fix: "verify it where the system does", code: .configuration)
        }
    }
}

/// A module is verified without a manifest, and an interface that it names is not next to its file.
private struct MissingNeighbour: Error, Diagnosable {
    let id: String

    var diagnostic: Diagnostic {
        Diagnostic(
            "it is compiled against the interface '\(id)', and without a manifest that is looked "
                + "for next to its file, where there is none that can be used",
            fix: "put '\(id).so' there, or verify it in a project with a manifest",
            code: .noProvider)
    }
}
