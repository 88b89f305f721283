// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesQuarantine
import EavesCatalog
import EavesHost
import EavesInterface
import EavesLoader
import EavesManifest

/// `eaves launch [FEATURE [ARG…]]`
struct LaunchCommand: LongSubcommand {
    static let name = "launch"
    static let summary = "run a feature"
    static let operands = "[FEATURE [ARG…]]"
    static let operandCount = 0...Int.max
    static let options: [OptionSpec] = [.manifest, .verbose, noBuild]
    static let stopsAtOperand = true
    static let discussion = """
        Loads only the modules that the feature needs, runs it with the arguments, and exits with
        its exit code. Without a feature, the one that the manifest names under 'launch' runs.
        Modules that are built from a folder beside their file are brought up to date first.
        """

    private static let noBuild = OptionSpec("no-build", help: "take the modules as they are")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) async throws -> Int32 {
        let manifest = try options.manifest()
        guard let feature = options.operands.first ?? manifest.launch else {
            throw LookupFault.noLaunch(manifest: manifest.shownPath)
        }
        let progress = LoadProgress(terminal: terminal, isVerbose: options.has(.verbose))
        let source: any ModuleSource =
            options.has(Self.noBuild)
            ? NoSource() : FolderSource(manifest: manifest, terminal: terminal)
        let quarantine = QuarantineStore(manifest.store)
        CrashWatch.begin()
        CrashWatch.log(into: quarantine.log, in: quarantine.folder, in: manifest.store)
        let host = try Host(manifest: manifest, source: source) { event in
            if case .loading(let entry, let file) = event {
                CrashWatch.expect(
                    entry.id, entry.path, from: file,
                    logEntry: CrashLogEntry.beginning(
                        entry.suspect, entry.status, copy: file))
            }
            progress.show(event)
        }
        let launch = Launch(
            arguments: Array(options.operands.dropFirst()), console: terminal.console)
        return Int32(try await host.launch(feature, launch).rawValue)
    }
}
