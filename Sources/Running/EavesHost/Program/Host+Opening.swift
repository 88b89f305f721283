// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
public import EavesLife
import EavesLoader
package import EavesManifest
import EavesModules
import EavesQuarantine
import EavesSystem

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
    ///   program because it does not export its symbols.
    public convenience init(
        manifest path: String, sources: Sources = .files,
        _ configuration: Configuration = Configuration()
    ) throws(HostError) {
        do {
            try ProgramError.checkExports()
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
        let observers = HostObservers { recorder?.expect($0, from: $1) }
        if let observer = configuration.observer { observers.add(observer) }
        let manifest = recordsCrashes ? manifest.settled { observers.tell(.changed($0)) } : manifest
        try self.init(
            manifest: manifest, source: sources.source(manifest) { observers.tell($0) },
            observers: observers, policy: configuration.policy,
            isolation: configuration.isolation?.make(),
            loggingFrom: configuration.logLevel)
    }

    /// Tells of the crashes that earlier processes recorded and that no host has counted yet.
    static func tellCrashes(
        _ manifest: Manifest, _ observer: @Sendable (HostEvent) -> Void
    ) {
        for record in QuarantineStore(manifest.store).uncounted {
            observer(
                .crashed(
                    HostEvent.Crash(
                        module: record.module, path: record.path, reason: "\(record.crash.cause)",
                        generation: record.crash.generation, feature: record.crash.feature)))
        }
    }
}
