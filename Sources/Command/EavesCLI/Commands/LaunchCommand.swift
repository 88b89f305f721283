// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesManifest
import EavesOutput
import EavesRestart
import EavesSystem
import Glibc

extension Subcommand {
    static let launch = Subcommand(
        name: "launch",
        summary: "run a feature",
        operands: "[FEATURE [ARG…]]",
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
        guard let count = Int(value), count > 0 else {
            throw .badNumber(
                "--restart-after", "a number of new files, 1 or more, or 'never'", found: value,
                as: "--restart-after 32")
        }
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
            waiting: {
                guard isatty(STDERR_FILENO) == 1 else { return }
                terminal.say("the feature was asked to end; Ctrl-C once more ends it at once")
            })
        let following = options.has(.live) ? try host.follow() : nil
        defer {
            // A signal that has come ends the process.
            host.awaitEnd()
            following?.end()
            host.stop()
        }
        let console = FeatureConsole(
            terminal: terminal, feature: feature, interruption: interruption)
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

extension Subcommand {
    static let open = Subcommand(
        name: "open",
        summary: "open a link",
        operands: "LINK [ARG…]",
        options: launchOptions,
        stopsAtOperand: true,
        discussion: """
            Runs the feature that the manifest names under 'open', with the link and the arguments, and
            exits with its exit code. The feature decides what a link is: the shipped one opens the screens
            of a link such as 'eaves://login/home'.
            """,
        run: .asynchronous(prepare: { try $0.prepareLaunch() }) { try await $0.open() })
}

extension SubcommandCall {
    fileprivate func open() async throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        guard let feature = manifest.open else {
            throw CommandError.noLinkFeature(
                manifest: Path.relative(manifest.path, to: Path.current))
        }
        return try await launch(feature, options.operands, of: manifest)
    }
}

extension Subcommand {
    /// `eaves` without a subcommand: launches the manifest's feature, or shows the overview if there is none.
    ///
    /// The overview comes with the exit code of a wrong command line: a script that calls `eaves` so has done nothing.
    static let start = Subcommand(
        name: "",
        summary: "start the application",
        options: [.manifest],
        discussion: "",
        run: .asynchronous { try await $0.start() })
}

extension SubcommandCall {
    fileprivate func start() async throws -> Int32 {
        let manifest: Manifest
        do {
            manifest = try options.manifest()
        } catch CommandError.noManifest {
            return try overview()
        }
        guard let feature = manifest.launch else { return try overview() }
        return try await launch(feature, [], of: manifest)
    }

    private func overview() throws -> Int32 {
        try terminal.write(Help.overview)
        return FailureCode.usage.rawValue
    }
}

/// Launches a feature again when the process has crashed that its module runs in. So it goes on, as a host that crashes with
/// `--live` does.
enum RepeatedLaunch {
    /// A launch ends with the next crash after as many within a minute, as a host does.
    static let mostCrashes = 5

    /// - Parameter warn: The reporter of each crash after which the feature is launched again.
    static func run(
        warning warn: (Diagnostic) -> Void, _ launch: () async throws -> ExitCode,
        at time: () -> ContinuousClock.Instant = { .now }
    ) async throws -> ExitCode {
        var crashes: [ContinuousClock.Instant] = []
        while true {
            do {
                return try await launch()
            } catch let error as HostError {
                guard let crash = error.crash, !Task.isCancelled else { throw error }
                if case .resting(let pause, _) = crash.reason {
                    try await Task.sleep(for: pause)
                    continue
                }
                let now = time()
                crashes = crashes.filter { now - $0 < .seconds(60) } + [now]
                guard crashes.count <= mostCrashes else { throw error }
                let crashed = error.problems[0].diagnostic
                warn(
                    Diagnostic(
                        "\(crashed.message); it is launched again",
                        fix: "mend what is named, or ask the module's author", code: .crashed))
            }
        }
    }
}

/// The console that a feature gets: its output is its own, and its messages stand behind its name.
struct FeatureConsole: PrintingConsole {
    let terminal: Terminal
    let feature: String
    /// Noted when the feature's wait for a line has to end.
    var interruption: EventFlag?

    var isInteractive: Bool { terminal.console.isInteractive }

    var isStandardOutput: Bool { (terminal.console as? StandardConsole)?.isStandardOutput ?? false }

    func readLine() throws(ConsoleError) -> String? {
        if let interruption, (terminal.console as? StandardConsole)?.hasLine == false {
            try terminal.console.flush()
            try interruption.waitForInput()
        }
        return try terminal.console.readLine()
    }

    func write(_ text: String) throws(ConsoleError) { try terminal.console.write(text) }

    func warn(_ text: String) { terminal.say(text, by: feature) }

    func flush() throws(ConsoleError) { try terminal.console.flush() }
}

extension EventFlag {
    /// Waits until standard input can be read.
    ///
    /// - Throws: `ConsoleError` if the event is noted before that.
    fileprivate func waitForInput() throws(ConsoleError) {
        while true {
            var sources = [STDIN_FILENO, descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&sources, 2, -1) > 0 else { continue }
            if sources[1].revents != 0 { throw ConsoleError("interrupted") }
            return
        }
    }
}
