// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
public import EavesInterface
import EavesJSON
public import EavesLife
import EavesLoader
package import EavesManifest
public import EavesModules
import EavesQuarantine
import EavesSystem
import EavesTrust
import Synchronization

extension Host {
    /// Creates a host for a manifest. Loads no module, and looks at none yet.
    ///
    /// - Parameters:
    ///   - path: The `manifest.json`, or its folder. A relative path starts from the current folder.
    ///   - sources: The place that the modules' files come from: as they are, or compiled before they are loaded
    ///     (`.folders`, with `import EavesSources`).
    ///   - configuration: The choices of the program.
    /// - Throws: ``HostError`` with every problem of the manifest, if a module that is demanded does not
    ///   provide the service, if there is no module that is to be isolated, or if modules cannot be loaded into this
    ///   program because it does not export its symbols, or has the Swift runtime linked in.
    public convenience init(
        manifest path: String, sources: Sources = .files,
        _ configuration: Configuration = Configuration()
    ) throws(HostError) {
        do {
            let manifest = try Manifest.load(fileOrFolder: path).choosing(configuration.choices)
            try manifest.checkDemands()
            if configuration.recordsCrashes, let observer = configuration.observer {
                Self.tellCrashes(manifest, observer)
            }
            try self.init(manifest: manifest, sources: sources, configuration)
        } catch {
            throw HostError(error)
        }
    }

    /// Creates a host for a manifest that has been read, and has the choices of the program already.
    package convenience init(
        manifest: Manifest, sources: Sources, _ configuration: Configuration = Configuration()
    ) throws {
        let recordsCrashes = configuration.recordsCrashes
        let recorder = recordsCrashes ? CrashRecorder(manifest) : nil
        let observers = HostObservers(beforeLoading: { recorder?.expect($0, from: $1) })
        if let observer = configuration.observer { observers.add(observer) }
        let manifest = recordsCrashes ? manifest.settled { observers.tell($0) } : manifest
        try self.init(
            manifest: manifest, source: sources.source(manifest) { observers.tell($0) },
            observers: observers, policy: configuration.policy,
            isolation: configuration.isolation?.make(),
            loggingFrom: configuration.logLevel)
        // To know that a module has a file takes no look at the others.
        for id in manifest.choices.isolated where modules.catalog.usedEntry(id)?.status == nil {
            if case .unknownModule(_, let known)? = module(id)?.problem {
                throw SwapError.unknownModule(id, known: known)
            }
        }
    }

    /// Tells of the crashes that earlier processes recorded and that no host has counted yet.
    static func tellCrashes(_ manifest: Manifest, _ observer: @Sendable (HostEvent) -> Void) {
        for record in QuarantineStore(manifest.store).uncounted {
            observer(
                .crashed(
                    HostEvent.Crash(
                        module: record.module, path: record.path, reason: "\(record.crash.cause)",
                        generation: record.crash.generation, feature: record.crash.feature)))
        }
    }

    /// The choices of a program for a host.
    public struct Configuration: Sendable {
        /// The values of keys by which bindings of the manifest choose, such as `["environment": "staging"]`, for the
        /// whole host.
        public var values: [String: String] = [:]
        /// The modules that take the place of what the manifest binds, by service, such as
        /// `["UserService": "users-v2"]`. They are written nowhere.
        public var bindings: [String: String] = [:]
        /// The means to run modules in processes of their own; `nil` for a program that isolates none.
        public var isolation: Isolation?
        /// The ids of modules that run in processes of their own, besides those that the manifest isolates.
        public var isolated: [String] = []
        /// Whether isolated modules also run where the system cannot take all other rights from their processes. The
        /// observer is warned of each right then.
        public var allowsUnenforced = false
        /// Whether a module that makes the process crash is noted, so that it is kept out after three times without a good
        /// minute between. This installs handlers of signals for the whole process; only the first host of a process does.
        public var recordsCrashes = false
        /// The patience of the host with modules that it exchanges while it runs.
        public var policy = LivePolicy()
        /// The lowest level of what modules log that the observer is told of.
        public var logLevel = LogLevel.warning
        /// A function that is told of the host's work, from the beginning, on the thread that does it, which waits for
        /// it. It may ask the host for anything except the module that the event is about.
        public var observer: (@Sendable (HostEvent) -> Void)?

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

extension Host.Configuration {
    var choices: BindingChoices {
        var choices = BindingChoices(
            by: values,
            with: bindings.sorted { $0.key < $1.key }.map {
                BindingChoices.Demand(BindingKey(text: $0.key), $0.value)
            })
        choices.isolated = isolated
        choices.allowsUnenforced = allowsUnenforced
        return choices
    }
}

extension Host {
    /// The means by which a host runs modules in processes of their own.
    ///
    /// The product `EavesIsolation` has them, as `.processes`: a program that isolates no module does not compile them.
    public struct Isolation: Sendable {
        package let make: @Sendable () throws -> any ModuleIsolation

        package init(_ make: @escaping @Sendable () throws -> any ModuleIsolation) {
            self.make = make
        }
    }
}

extension Host {
    /// The place that modules' files come from: it brings them up to date before the host loads them.
    ///
    /// The product `EavesSources` has `.folders`, which compiles modules whose sources are here.
    public struct Sources: Sendable {
        /// A function that makes the source of a host, which tells the host's observers of its work.
        let source:
            @Sendable (Manifest, @escaping @Sendable (HostEvent) -> Void) -> any ModuleSource

        package init(
            _ source:
                @escaping @Sendable (
                    Manifest, @escaping @Sendable (HostEvent) -> Void
                ) -> any ModuleSource
        ) {
            self.source = source
        }

        /// The files as they are.
        public static let files = Sources { _, _ in NoSource() }
    }
}

extension Host {
    /// A role of a process that a host of the program has started: the program itself, started again.
    ///
    /// The products that start such processes have them: `.worker` of `EavesIsolation`, `.judge` of `EavesVerify`, and
    /// `.restart` of `EavesRestart`.
    public struct Role: Sendable {
        /// Whether this process goes on in a child, if it has no other role.
        let goesOn: Bool
        /// A function that takes the role if this process was started for it, and does not return then.
        package let take: @Sendable () throws(HostError) -> Void

        package init(
            goesOnInChild goesOn: Bool = false,
            _ take: @escaping @Sendable () throws(HostError) -> Void
        ) {
            self.goesOn = goesOn
            self.take = take
        }
    }

    /// Begins a program: makes its interfaces and services known to all of its hosts, and takes the role for which a
    /// host has started this process. Then it does not return.
    ///
    /// A program calls this first in its `main`, on the main thread, before it starts a thread.
    ///
    /// ```swift
    /// try Host.begin(as: [.worker, .judge], interfaces: interfaces)
    /// ```
    ///
    /// - Parameters:
    ///   - roles: The roles that the hosts of the program need.
    ///   - interfaces: The interface modules that are linked into the program. They belong to the process: every host
    ///     of it knows them from then on.
    ///   - services: A function that provides the program's own services. Called for each host, and in the processes that verify
    ///     modules; `nil` if there are none.
    /// - Throws: ``HostError`` if an interface has no proper version, or a role cannot be taken.
    public static func begin(
        as roles: [Role] = [], interfaces: [LinkedInterface] = [],
        providing services: (@Sendable (ServiceContainer) -> Void)? = nil
    ) throws(HostError) {
        try HostError.wrapping { try LinkedInterfaces.declare(interfaces) }
        if let services { ProgramServices.provide(services) }
        for role in roles where !role.goesOn { try role.take() }
        for role in roles where role.goesOn { try role.take() }
    }
}

/// Notes for the quarantine which module made a process crash that loads modules, or ended it.
struct CrashRecorder: Sendable {
    private static let isInstalled = Atomic(false)

    /// Installs the handlers, unless an earlier host of this process has: signals are the process's own, so
    /// the crashes of all its modules go to the store of the first manifest.
    init(_ manifest: Manifest) {
        guard !Self.isInstalled.exchange(true, ordering: .relaxed) else { return }
        CrashWatch.begin()
        // If the folder cannot be opened, nothing is logged, and nothing else changes.
        let (project, store) = (try? manifest.store.openPlace()) ?? (-1, Store.name)
        CrashWatch.log(into: QuarantineStore.log, QuarantineStore.folder, store, of: project)
    }

    func expect(_ entry: CatalogEntry, from copy: PrivateCopy) {
        // If the module crashes from here on, the log has it under this line.
        CrashWatch.expect(
            entry.id, entry.path, from: copy.ownPath, named: Path.name(of: copy.path),
            isInterface: entry.declaration?.layer == .interface,
            logEntry: CrashLogEntry.beginning(entry.suspect, copy.digest))
    }

    /// Takes note of a feature that is being launched, until the result is called.
    static func noteLaunch(of feature: String) -> () -> Void {
        guard isInstalled.load(ordering: .relaxed) else { return {} }
        let json = JSON.string(feature).text(pretty: false)
        let number = CrashWatch.beginLaunch(of: feature, json: json)
        return { CrashWatch.endLaunch(number) }
    }
}

extension Manifest {
    /// The manifest without the bindings to modules that have crashed on probation, in an earlier process. They are taken
    /// back in the file, too.
    ///
    /// - Parameter tell: A function that gets each of them.
    func settled(telling tell: (HostEvent) -> Void) -> Manifest {
        let quarantine = QuarantineStore(store)
        guard quarantine.hasTrials else { return self }
        // The catalog reads it once more, and tells what is wrong with it, except that a log was moved aside now.
        var errors: [QuarantineError] = []
        _ = quarantine.read(&errors)
        for error in errors {
            if case .damagedLog = error { tell(.warned(error.diagnostic)) }
        }
        let failed = (try? quarantine.takeFailedTrials()) ?? []
        for trial in failed {
            guard let service = trial.service, let reason = trial.failure else { continue }
            var problems: [Diagnostic] = []
            var swap: ManifestEdit?
            do {
                swap = try ManifestEditor.edit(path) { editor in
                    try editor.retreat(
                        service, from: trial.module.id, to: trial.from, because: reason)
                }
            } catch {
                problems = HostError(error).problems
            }
            guard swap != nil || !problems.isEmpty else { continue }
            let retreat = HostChange.Retreat(
                module: trial.module.id, service: BindingKey(text: service).word.text,
                to: trial.from, reasons: [reason], isQuarantined: true, problems: problems)
            tell(.changed(.rolledBack(retreat)))
        }
        guard failed.contains(where: { $0.service != nil }),
            let changed = try? Manifest.load(path).choosing(choices)
        else { return self }
        return changed
    }
}
