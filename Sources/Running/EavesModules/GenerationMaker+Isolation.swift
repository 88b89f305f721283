// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesInterface
import EavesJSON
package import EavesLife
import EavesLoader
import EavesManifest
import EavesProcess
import EavesRegistry
import EavesSystem
package import EavesWorker

// Makes generations of modules that run in processes of their own.
extension GenerationMaker {
    /// Keeps the copy, from which each generation is another process.
    func isolate(_ module: CheckedModule) -> LoadedCode {
        module.copy.keep()
        observers.tell(.loading(HostModule(module.entry)))
        return LoadedCode(
            nil, of: module.entry, from: module.copy, signedBy: module.signature)
    }

    /// How long a process may take to start and to register, if the host has no limit for first runs.
    private static let startLimit = Duration.seconds(60)

    /// Starts a process for a module, and registers what the module has registered there: factories of proxies.
    ///
    /// - Parameter name: The name of a process that the module shares with others; `nil` for one of its own.
    func registerIsolated(
        _ copy: PrivateCopy, of entry: CatalogEntry, in registrar: StagedRegistrar,
        sharing name: String?
    ) throws {
        guard let declaration = entry.declaration else {
            throw UnusableModuleError(entry: entry)
        }
        let interfaces = outlook.catalog.interfaces(of: [entry])
        // They are open until their descriptors are duplicated.
        var copies: [PrivateCopy] = []
        defer { withExtendedLifetime(copies) {} }
        var files: [Int32] = []
        var needed: [WorkerRequest.Interface] = []
        for interface in interfaces {
            guard let module = interface.declaration?.interface?.module,
                let loaded = InterfaceLoader.copy(of: module)
            else { throw UnusableModuleError(entry: interface) }
            let calls = try WireTables.load(interface.id, from: loaded.ownPath)
            let copy = try readable(loaded, of: interface, inShared: name)
            copies.append(copy)
            files += [copy.descriptor] + (calls.map { [$0] } ?? [])
            needed.append(WorkerRequest.Interface(id: interface.id, hasCalls: calls != nil))
        }
        let resources = try ResourceFolder(of: copy, in: manifest.store)
        let own = try readable(copy, of: entry, inShared: name)
        copies.append(own)
        files.append(own.descriptor)
        let worker = try Worker(
            WorkerRequest(
                id: entry.id, path: entry.path, interfaces: needed, worker: name,
                requires: declaration.requires, settings: .object(entry.settings),
                directory: manifest.directory, logLevel: Int(LogLevel.debug.rawValue),
                memory: entry.limits.memory, resources: resources,
                readable: name == nil ? resources?.path : sharedResources(besides: resources),
                permissions: entry.permissions,
                allowsUnenforced: manifest.choices.allowsUnenforced),
            WorkerFiles(duplicating: files), limits: entry.limits, pauses: pauses,
            sharing: shared, telling: observer(of: entry, copy.digest, registrar.account))
        do {
            let report = try worker.start(
                within: limit ?? Self.startLimit, in: spares.take(for: entry.id))
            warn(report.unenforced, of: entry)
            try register(report, of: entry, from: worker, in: registrar)
        } catch {
            worker.end()
            throw error
        }
    }

    /// The folder with the resources of all modules that may come into a process; where the project can keep nothing, the one
    /// of the module that comes first.
    private func sharedResources(besides first: ResourceFolder?) -> String? {
        (try? ResourceFolder.root(in: manifest.store)) ?? first.map { Path.parent(of: $0.path) }
    }

    /// The copy of a file that a module's process gets. One that modules share may open no further file of the disk when
    /// the module comes.
    private func readable(
        _ copy: PrivateCopy, of file: CatalogEntry, inShared name: String?
    ) throws(SystemError) -> PrivateCopy {
        name == nil ? copy : try copy.inMemory(id: file.id)
    }

    private func register(
        _ report: WorkerReport, of entry: CatalogEntry, from worker: Worker,
        in registrar: StagedRegistrar
    ) throws {
        // Counts as reading them.
        if report.hasReadSettings { _ = registrar.settings }
        if report.hasDecorators { throw IsolationError.decorates }
        for one in report.services {
            let name = ServiceName.word(one.service)
            guard one.arguments.isEmpty else { throw IsolationError.takesArguments(name) }
            guard let scope = Self.scope(one) else {
                throw IsolationError.namedScope(name, one.scope)
            }
            let options = RegistrationOptions(
                name: one.name, scope: scope,
                place: SourcePlace(fileID: one.file, line: UInt(one.line)))
            guard worker.register(one.service, options, in: registrar) else {
                throw IsolationError.unknownService(name)
            }
        }
        registrar.lifecycle(WorkerLifecycle.of(worker, report))
    }

    private func warn(_ unenforced: [String], of entry: CatalogEntry) {
        for words in unenforced {
            observers.warn(
                Diagnostic(
                    "\(entry.id): runs although the system does not take all other rights from it: \(words) "
                        + "(\(entry.path))",
                    fix: "run it where the system does, and without '--allow-unenforced'",
                    code: .configuration))
        }
    }

    private static func scope(_ service: WorkerReport.Service) -> Scope? {
        guard !service.isNamedScope else { return nil }
        return [Scope.transient, .shared, .graph, .weak].first { $0.name == service.scope }
    }

    /// As many crashes of a module's process without a good time in between keep its file out, as they do where each one
    /// ends the host.
    private static let mostCrashes = 3

    /// - Parameter account: Takes note of a crash, while the module is judged.
    private func observer(
        of entry: CatalogEntry, _ digest: SHA256Digest, _ account: CallAccount?
    ) -> Worker.Observer {
        let (observers, store, id, path) = (observers, manifest.store, entry.id, entry.path)
        return Worker.Observer(
            log: { observers.log(id, LogMessage(level: $0, text: $1)) },
            died: { death in
                let error = death.error
                let words = "its process \(error.shortReason)"
                if !death.endsLaunch {
                    observers.warn(
                        Diagnostic(
                            "\(id): \(words), and is started again (\(path))",
                            fix: "mend what is named, or ask the module's author", code: .crashed))
                }
                if !death.isOfOther {
                    observers.tell(
                        .crashed(HostCrash(module: id, path: path, reason: error.shortReason)))
                }
                guard death.isOwnMistake else { return }
                account?.noteCrash(words)
                if death.crashes == Self.mostCrashes {
                    Self.keepOut(
                        entry, digest, because: "crashed \(death.crashes) times in a row: \(words)",
                        in: store, telling: observers)
                }
            })
    }
}

extension LazyLoader {
    /// Starts the processes of a plan's isolated modules, while the first of its modules are loaded.
    package func prepareWorkers(for plan: Plan) {
        for entry in plan.modules where entry.isolation != nil && entry.problem == nil {
            guard !loader.running[module: entry.id].isLoaded else { continue }
            if let name = entry.isolation?.worker {
                loader.shared.prepare(
                    name, entry.permissions, entry.limits,
                    allowsUnenforced: outlook.manifest.choices.allowsUnenforced)
            } else {
                loader.spares.prepare(entry.id, entry.permissions)
            }
        }
    }

    /// Ends the processes of those that were not loaded.
    package func endSpareWorkers(of plan: Plan) {
        loader.spares.end(of: plan.modules.map(\.id))
        loader.shared.endUnused()
    }
}

extension RemoteCallError {
    /// The reason without its subject, the process of the module.
    fileprivate var shortReason: String {
        let place = frame.map { " in \($0)" } ?? ""
        return switch reason {
        case .killed(let signal): "was ended by \(SignalName.of(signal))\(place)"
        case .exited(let code): "ended with exit code \(code)\(place)"
        case .misunderstood(let reason): "was not understood: \(reason)"
        case .notStarted(let reason): "could not be started: \(reason)"
        default: description
        }
    }
}

/// A module registers in its process what no other process can have.
enum IsolationError: Error, Hashable, Sendable {
    case decorates
    case takesArguments(String)
    case namedScope(String, String)
    case unknownService(String)
}

extension IsolationError: Diagnosable {
    var diagnostic: Diagnostic {
        let what =
            switch self {
            case .decorates: "decorates services of others"
            case .takesArguments(let service):
                "registers \(service) with arguments, which its factory would get in another process"
            case .namedScope(let service, let scope):
                "registers \(service) in the scope '\(scope)', which the host resets and another process "
                    + "does not"
            case .unknownService(let service):
                "registers \(service), whose calls cannot go to another process"
            }
        return Diagnostic(
            "cannot run in a process of its own: it \(what)",
            fix: "remove the module's 'isolation' from the manifest", code: .configuration)
    }
}

extension WorkerError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .system(let error): error.diagnostics
        case .died(let error):
            [
                Diagnostic(
                    "its process ended before it had registered: \(error)",
                    fix: "correct what is named, or ask the module's author", code: .crashed)
            ]
        case .refused(let reason):
            [
                Diagnostic(
                    "does not load or register in a process of its own: \(reason.indented)",
                    fix: "correct what is named, or ask the module's author", code: .badData)
            ]
        case .unenforced(let words):
            words.map { words in
                Diagnostic(
                    "the system does not take all other rights from its process: \(words)",
                    fix: "run it where the system does; or accept that with '--allow-unenforced'",
                    code: .configuration)
            }
        case .late(let limit):
            [
                Diagnostic(
                    "did not register in its process within \(limit)",
                    fix:
                        "let the program call 'ModuleWorker.runIfRequested()' first in its 'main'; if it "
                        + "does, ask the module's author", code: .crashed)
            ]
        case .noRole:
            [
                Diagnostic(
                    "needs a process of its own, and this program does not become one",
                    fix: "let the program call 'ModuleWorker.runIfRequested()' first in its 'main'",
                    code: .configuration)
            ]
        }
    }
}
