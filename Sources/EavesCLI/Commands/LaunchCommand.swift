// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesManifest
import EavesSystem
import Glibc
import Synchronization

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

extension OptionSpec {
    static let noBuild = OptionSpec("no-build", help: "do not build the modules first")
}

extension Host {
    /// A host that prints what it does, as the options of a command want it.
    ///
    /// - Parameter reporting: Prints the changes that a live host takes on.
    convenience init(
        _ manifest: Manifest, _ options: ParsedOptions, _ terminal: Terminal,
        reporting report: (@Sendable (HostChange) -> Void)? = nil
    ) throws {
        let isVerbose = options.has(.verbose)
        let report = report ?? { terminal.report($0, isVerbose: isVerbose) }
        let progress = LoadProgress(terminal: terminal, isVerbose: isVerbose, reporting: report)
        try self.init(
            manifest: manifest, buildsModules: !options.has(.noBuild),
            usesColor: terminal.isColored, recordsCrashes: true,
            loggingFrom: isVerbose ? .debug : .warning, observer: progress.show)
        if isVerbose { choices.forEach { terminal.say($0) } }
    }

    /// A line for each module that was chosen, and that the manifest alone does not name.
    private var choices: [String] {
        bindings.filter { $0.reason != .bound }.map { binding in
            let chosen = "\(binding.key): \(binding.module)"
            return switch binding.reason {
            case .value: "\(chosen), chosen by \(binding.by ?? "")"
            case .noValue: "\(chosen), by the greatest weight, without a \(binding.by ?? "")"
            case .chance: "\(chosen), chosen by chance"
            case .call: "\(chosen), and a canary at some calls"
            default: "\(chosen), for this run"
            }
        }
    }
}

/// Lets a host follow the disk. Its observer prints the changes.
struct Following: Sendable {
    private let reader: Task<Void, Never>

    /// - Parameter changes: The sequence that keeps the host following. It is read, so that it does not grow.
    init(_ changes: HostChanges) {
        reader = Task { for await _ in changes {} }
    }

    func end() { reader.cancel() }
}

/// Prints what a host builds and loads, and what modules log.
final class LoadProgress: Sendable {
    private let terminal: Terminal
    private let isVerbose: Bool
    private let report: @Sendable (HostChange) -> Void
    private let count = Atomic(0)
    private let line: ProgressLine

    /// - Parameters:
    ///   - isVerbose: Whether to name each module that is loaded, with its place in the order
    ///     and its time, and to show all that modules log. Warnings and errors are always shown.
    ///   - report: Prints the changes that a live host takes on.
    init(
        terminal: Terminal, isVerbose: Bool,
        reporting report: @escaping @Sendable (HostChange) -> Void = { _ in }
    ) {
        self.terminal = terminal
        self.isVerbose = isVerbose
        self.report = report
        line = ProgressLine(terminal)
    }

    func show(_ event: HostEvent) {
        switch event {
        case .building(let build): return line.show(build.standing)
        // A module that is loaded may print.
        case .loading: line.end()
        default: line.clear()
        }
        switch event {
        case .compilerPrinted(_, let text):
            terminal.passOn(compiled: text)
        case .restarted(let module):
            terminal.reportRestart(of: module.id)
        case .built(let module, let duration):
            terminal.reportBuild(of: module.id, in: duration)
        case .loaded(let module, let duration) where isVerbose:
            let number = count.add(1, ordering: .relaxed).newValue
            terminal.say(
                "loaded \(number): \(module.id) \(module.version ?? "") "
                    + "in \(duration.milliseconds) ms (\(module.path))")
        case .changed(let change):
            report(change)
        case .building, .loading, .loaded, .refused, .crashed:
            // The command ends with the reason why a module is refused.
            break
        case .warned(let problem):
            terminal.warn(problem.diagnostic)
        case .logged(let entry):
            // What modules in C log comes here whatever the host's level is.
            if isVerbose || entry.level >= .warning {
                terminal.say(
                    "\(entry.level): \(entry.text)", by: entry.module ?? CommandName.current.text)
            }
        }
    }
}

extension LoadProgress {
    /// Shows a build alone, and what is wrong.
    func showBuild(_ event: HostEvent) {
        switch event {
        case .building, .compilerPrinted, .loading, .restarted, .built, .warned: show(event)
        default: break
        }
    }
}

/// The console that a feature gets: its output is its own, and its messages stand behind its name.
struct FeatureConsole: Console {
    private let terminal: Terminal
    private let feature: String
    /// Ends the feature's wait for a line.
    private let interruption: EventFlag?

    /// - Parameter interruption: Is noted when the feature's wait for a line has to end.
    init(_ terminal: Terminal, feature: String, _ interruption: EventFlag? = nil) {
        self.terminal = terminal
        self.feature = feature
        self.interruption = interruption
    }

    var isInteractive: Bool { terminal.console.isInteractive }

    func readLine() throws(ConsoleError) -> String? {
        if let interruption, (terminal.console as? StandardConsole)?.hasLine == false {
            try terminal.console.flush()
            try interruption.waitForInput()
        }
        return try terminal.console.readLine()
    }

    func write(_ text: String) throws(ConsoleError) { try terminal.console.write(text) }

    func warn(_ text: String) { terminal.say(text, by: feature) }
}
