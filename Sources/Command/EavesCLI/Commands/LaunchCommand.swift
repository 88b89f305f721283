// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesManifest
import EavesOutput
import EavesRestart
import EavesSystem
import Glibc

extension Subcommand {
    /// `eaves launch [FEATURE [ARG…]]`
    static let launch = Subcommand(
        name: "launch",
        summary: "run a feature",
        operands: "[FEATURE [ARG…]]",
        operandCount: 0...Int.max,
        completed: [.feature, .file],
        options: launchOptions,
        stopsAtOperand: true,
        discussion: """
            Loads only the modules that the feature needs, runs it with the arguments, and exits with
            its exit code. Without a feature, it runs the one that the manifest names under 'launch'.
            Modules that 'eaves build' made here, or that are not built yet, are brought up to date first.
            Where modules share a binding, '--by' chooses, as in '--by user=alice'. '--with' takes another
            module for this run alone, as in '--with UserService=users-v2'. '--isolate' runs a module in a
            process of its own. All three can be given several times.
            With '--live', the feature gets new code and new bindings while it runs. After 32 new files, or
            as many as '--restart-after' says, and when it gets the signal SIGUSR2, a fresh process takes over.
            After a crash, another one goes on.
            """,
        run: .asynchronous(prepare: { try $0.prepareLaunch() }) { try await $0.launch() })

    /// The options of all subcommands that run a feature.
    static let launchOptions: [OptionSpec] = [
        .allowUnenforced, .by, .isolate, .live, .manifest, .restartAfter, .verbose, .with, .noBuild,
    ]
}

extension OptionSpec {
    fileprivate static let live = OptionSpec(
        "live", help: "take on what changes on the disk meanwhile")
    fileprivate static let restartAfter = OptionSpec(
        "restart-after", value: "COUNT",
        help: "with --live: new files until a fresh process takes over; or 'never'")
}

extension ParsedOptions {
    /// Lets a process wait for those in which the feature runs, if one of them may take over from another.
    func prepareLaunch() throws {
        if try restartPolicy() != nil, has(.live) { try Host.begin(as: [.restart]) }
    }

    /// When a fresh process takes over; `nil` for never.
    fileprivate func restartPolicy() throws(CommandError) -> HotRestart.Policy? {
        var policy = HotRestart.Policy(signal: SIGUSR2)
        guard let value = value(.restartAfter) else { return policy }
        if value == "never" { return nil }
        guard let count = Int(value), count > 0 else { throw .badRestartCount(value) }
        policy.generations = count
        return policy
    }
}

extension SubcommandCall {
    fileprivate func launch() async throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        guard let feature = options.operands.first ?? manifest.launch else {
            throw CommandError.noFeature(
                manifest: Path.relative(manifest.path, to: Path.current),
                features: try Host(manifest: manifest).features)
        }
        return try await launch(
            feature, Array(options.operands.dropFirst()), of: manifest)
    }

    /// Runs a feature with what the options of this subcommand say.
    ///
    /// - Returns: The exit code of the feature.
    func launch(
        _ feature: String, _ arguments: [String], of manifest: Manifest
    ) async throws -> Int32 {
        let policy = try options.restartPolicy()
        let host = try Host(manifest, options, terminal)
        let interruption = try EventFlag()
        host.stopOnSignals(
            asking: { interruption.note() },
            waiting: { terminal.sayOfWaiting() },
            finish: { try? terminal.finish() })
        let following = options.has(.live) ? try host.follow() : nil
        defer {
            // A signal that has come ends the process.
            host.awaitEnd()
            following?.end()
            host.stop()
        }
        let console = FeatureConsole(terminal, feature: feature, interruption)
        let launch: @Sendable () async throws -> ExitCode = {
            try await host.launch(feature, arguments, console: console)
        }
        guard following != nil else { return Int32(try await launch().rawValue) }
        let repeated: @Sendable () async throws -> ExitCode = {
            try await RepeatedLaunch.run(warning: terminal.warn, launch)
        }
        guard let policy else { return Int32(try await repeated().rawValue) }
        let restart = try HotRestart(of: host, policy, observer: terminal.report)
        let code = try await restart.run(beforeLeaving: { try? terminal.finish() }, repeated)
        return Int32(code.rawValue)
    }
}
