// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesManifest
import EavesSystem
import Glibc

/// `eaves launch [FEATURE [ARG…]]`
struct LaunchCommand: AsynchronousSubcommand {
    static let name = "launch"
    static let summary = "run a feature"
    static let operands = "[FEATURE [ARG…]]"
    static let operandCount = 0...Int.max
    static let completed: [CompletedWord] = [.feature, .file]
    static let options: [OptionSpec] = [
        .by, live, .manifest, restartAfter, .verbose, .with, .noBuild,
    ]
    static let stopsAtOperand = true
    static let discussion = """
        Loads only the modules that the feature needs, runs it with the arguments, and exits with
        its exit code. Without a feature, it runs the one that the manifest names under 'launch'.
        Modules that 'eaves build' made here, or that are not built yet, are brought up to date first.
        Where modules share a binding, '--by' chooses, as in '--by user=alice'. '--with' takes another
        module for this run alone, as in '--with UserService=users-v2'. Both can be given several times.
        With '--live', the feature gets new code and new bindings while it runs. After 32 new files, or
        as many as '--restart-after' says, and when it gets the signal SIGUSR2, a fresh process takes over.
        After a crash, another one goes on.
        """

    private static let live = OptionSpec("live", help: "take on what changes on the disk meanwhile")
    private static let restartAfter = OptionSpec(
        "restart-after", value: "COUNT",
        help: "with --live: new files until a fresh process takes over; or 'never'")

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func prepare() throws { try Self.prepare(options) }

    /// Lets a process wait for those in which the feature runs, if one of them may take over from another.
    static func prepare(_ options: ParsedOptions) throws {
        if try restartPolicy(options) != nil, options.has(live) { try HotRestart.goOnInChild() }
    }

    func run(_ terminal: Terminal) async throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        guard let feature = options.operands.first ?? manifest.launch else {
            throw CommandError.noFeature(
                manifest: Path.relative(manifest.path, to: Path.current),
                features: try Host(manifest: manifest).features)
        }
        return try await Self.launch(
            feature, Array(options.operands.dropFirst()), of: manifest, options, terminal)
    }

    /// Runs a feature with what the options of this subcommand say.
    ///
    /// - Returns: The exit code of the feature.
    static func launch(
        _ feature: String, _ arguments: [String], of manifest: Manifest, _ options: ParsedOptions,
        _ terminal: Terminal
    ) async throws -> Int32 {
        let policy = try restartPolicy(options)
        let host = try Host(manifest, options, terminal)
        let interruption = try EventFlag()
        host.stopOnSignals(
            asking: { interruption.note() },
            waiting: { terminal.sayOfWaiting() },
            finish: { try? terminal.finish() })
        let following = options.has(live) ? Following(try host.follow()) : nil
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
        guard let policy, following != nil else { return Int32(try await launch().rawValue) }
        let restart = try HotRestart(of: host, policy, observer: terminal.report)
        let code = try await restart.run(beforeLeaving: { try? terminal.finish() }, launch)
        return Int32(code.rawValue)
    }

    /// When a fresh process takes over; `nil` for never.
    private static func restartPolicy(
        _ options: ParsedOptions
    ) throws(CommandError) -> HotRestart.Policy? {
        var policy = HotRestart.Policy(signal: SIGUSR2)
        guard let value = options.value(restartAfter) else { return policy }
        if value == "never" { return nil }
        guard let count = Int(value), count > 0 else { throw .badRestartCount(value) }
        policy.generations = count
        return policy
    }
}
