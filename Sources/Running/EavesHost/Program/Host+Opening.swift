// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
public import EavesInterface
import EavesLoader
package import EavesManifest
package import EavesModules
import EavesQuarantine
import EavesSystem

extension Host {
    /// Creates a host for a manifest. Loads no module, and looks at none yet.
    ///
    /// - Parameters:
    ///   - path: The `manifest.json`, or its folder. A relative path starts from the current folder.
    ///   - sources: The place that the modules' files come from: as they are, or compiled before they are loaded
    ///     (`.folders`, with `import EavesSources`).
    ///   - isolation: The means to run modules in processes of their own; `nil` for a program that isolates none.
    ///   - interfaces: The interface modules that are linked into the program. They belong to the process:
    ///     every host of it knows them from then on.
    ///   - values: The values of keys by which bindings of the manifest choose, such as
    ///     `["environment": "staging"]`, for the whole host.
    ///   - demands: The modules that take the place of what the manifest binds, by service, such as
    ///     `["UserService": "users-v2"]`. They are written nowhere.
    ///   - ids: Modules that run in processes of their own, besides those that the manifest isolates.
    ///   - allowsUnenforced: Whether isolated modules also run where the system cannot take all other rights from their
    ///     processes. Observers are warned of each right then.
    ///   - recordsCrashes: Whether a module that makes the process crash is noted, so that it is kept out
    ///     after three times. This installs handlers of signals for the whole process; only the first host
    ///     of a process does.
    ///   - policy: How patient the host is with modules that it exchanges while it runs.
    ///   - level: The lowest level of what modules log that observers are told of.
    ///   - observer: Is told of the host's work, from the beginning, on the thread that does it, which waits for it. It may
    ///     ask the host for anything except the module that the event is about. ``events`` tells the same, as a sequence.
    /// - Throws: ``HostError`` with every problem of the manifest, if a module that is demanded does not
    ///   provide the service, if there is no module that is to be isolated, or if modules cannot be loaded into this
    ///   program because it does not export its symbols.
    public convenience init(
        manifest path: String, sources: Sources = .files, isolation: Isolation? = nil,
        interfaces: [LinkedInterface] = [],
        choosingBy values: [String: String] = [:], binding demands: [String: String] = [:],
        isolating ids: [String] = [], allowsUnenforced: Bool = false,
        recordsCrashes: Bool = false, policy: LivePolicy = LivePolicy(),
        loggingFrom level: LogLevel = .warning,
        observer: (@Sendable (HostEvent) -> Void)? = nil
    ) throws(HostError) {
        do {
            try ProgramError.checkExports()
            try LinkedInterfaces.declare(interfaces)
            var choices = BindingChoices(
                by: values,
                with: demands.sorted { $0.key < $1.key }.map {
                    BindingChoices.Demand(BindingKey(text: $0.key), $0.value)
                })
            choices.isolated = ids
            choices.allowsUnenforced = allowsUnenforced
            let manifest = try Manifest.load(fileOrFolder: path).choosing(choices)
            try manifest.checkDemands()
            if recordsCrashes, let observer { Self.tellCrashes(manifest, observer) }
            try self.init(
                manifest: manifest, sources: sources, isolation: isolation,
                recordsCrashes: recordsCrashes, policy: policy, loggingFrom: level,
                observer: observer)
        } catch {
            throw HostError(error)
        }
    }

    /// Creates a host for a manifest that has been read.
    ///
    /// The parameters are those of
    /// ``init(manifest:sources:isolation:interfaces:choosingBy:binding:isolating:allowsUnenforced:recordsCrashes:policy:loggingFrom:observer:)``.
    package convenience init(
        manifest: Manifest, sources: Sources, isolation: Isolation? = nil,
        recordsCrashes: Bool = false, policy: LivePolicy = LivePolicy(),
        loggingFrom level: LogLevel = .warning,
        observer: (@Sendable (HostEvent) -> Void)? = nil
    ) throws {
        let recorder = recordsCrashes ? CrashRecorder(manifest) : nil
        let observers = HostObservers { recorder?.expect($0, from: $1) }
        if let observer { observers.add(observer) }
        let manifest = recordsCrashes ? manifest.settled { observers.tell(.changed($0)) } : manifest
        try self.init(
            manifest: manifest, source: sources.source(manifest) { observers.tell($0) },
            observers: observers, policy: policy, isolation: isolation?.make(),
            loggingFrom: level)
    }

    /// Tells of the crashes that earlier processes recorded and that no host has counted yet.
    static func tellCrashes(
        _ manifest: Manifest, _ observer: @Sendable (HostEvent) -> Void
    ) {
        for record in QuarantineStore(manifest.store).uncounted {
            observer(
                .crashed(
                    HostCrash(
                        module: record.module, path: record.path, reason: "\(record.crash.cause)",
                        generation: record.crash.generation, feature: record.crash.feature)))
        }
    }
}

extension Host {
    /// The means by which a host runs modules in processes of their own.
    ///
    /// The product `EavesIsolation` has them, as `.processes`: a program that isolates no module does not compile them.
    public struct Isolation: Sendable {
        /// Creates the isolation of one host.
        package let make: @Sendable () throws -> any ModuleIsolation

        package init(_ make: @escaping @Sendable () throws -> any ModuleIsolation) {
            self.make = make
        }
    }
}
