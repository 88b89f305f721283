// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesDiagnostics
public import EavesInterface
public import EavesLife
import EavesLoader
package import EavesManifest
package import EavesModules
package import EavesRegistry
import EavesSystem

/// The pipeline on one screen: manifest → catalog → load → register → launch.
///
/// A host is made for one manifest. It runs no code of a module before a caller asks for something of
/// it: launching a feature loads its module, and asking for a service loads the module that provides it.
/// It keeps the manifest as it was when the host was made, unless it ``follow()``s the disk. Code that a
/// process has loaded stays loaded until the process ends.
///
/// ```swift
/// let host = try Host(manifest: "manifest.json")
/// host.provide((any Clock).self, scope: .shared) { _ in SystemClock() }
/// let code = try await host.launch("weather", ["Berlin"])
/// ```
///
/// The folder `Program/` holds what a program can do with a host besides; `eaves` uses the same.
///
/// Safe from any thread. The program owns the host; resolvers that services keep hold its container, and not the host.
public final class Host: Sendable {
    /// Where modules register, and services are resolved.
    package let container: Container
    let modules: LazyLoader
    package let observers: HostObservers
    let live: LiveModules
    let follower: Follower
    /// The lock that is held while the modules are being stopped.
    let stopping = RecursiveLock()
    let runningFeatures = RunningFeatures()
    private let choiceContainers = ChoiceContainers()

    /// Looks at no module yet.
    ///
    /// - Parameters:
    ///   - level: The lowest level of what modules log that the observers are told of.
    ///   - runtime: The library of Swift's runtime, which the program shares with its modules.
    /// - Throws: ``NoRoleError`` if the process was started as a worker, ``ProgramError`` if no program like this one can
    ///   load modules.
    package init(
        manifest: Manifest, source: any ModuleSource = NoSource(),
        observers: HostObservers = HostObservers(), policy: LivePolicy = LivePolicy(),
        isolation: (any ModuleIsolation)? = nil, loggingFrom level: LogLevel = .debug,
        arguments: [String] = CommandLine.arguments, runtime: String = "libswiftCore.so",
        observer: (@Sendable (HostEvent) -> Void)? = nil
    ) throws {
        if WorkerRole.isRequested(by: arguments) { throw NoRoleError() }
        try ProgramError.checkExports(runtime: runtime)
        if let observer { observers.add(observer) }
        let modules = LazyLoader(
            manifest: manifest.drawn, source: source, observers: observers, policy: policy,
            isolation: isolation, beforeWork: Host.takeSignals)
        self.modules = modules
        self.observers = observers
        // The container asks what is made from it.
        let sharing = Shared<(@Sendable (Capability) -> Void)?>(nil)
        container = Container(
            supplier: { request, container in
                let isLoaded = try observers.telling {
                    try modules.provide(Capability(request), in: container)
                }
                if isLoaded { sharing.value?(Capability(request)) }
                return isLoaded
            },
            supplierOfAll: { request, container in
                if case .service(let service, _) = Capability(request) {
                    try observers.telling { try modules.provideAll(service, in: container) }
                }
            },
            supplierSearch: { modules.offers(Capability($0)) },
            chooser: ModuleChoice(
                modules, by: modules.manifest.choices.values, bindings: modules.manifest.chosen,
                above: nil, containers: choiceContainers),
            onLongWait: { observers.warn($0.diagnostic) })
        let live = LiveModules(modules, in: container, policy: policy) {
            observers.tell(.changed($0))
        }
        self.live = live
        sharing.value = { [weak live] in live?.share($0) }
        follower = Follower(live, in: manifest.store, telling: observers)
        try container.registerHostServices(loggingFrom: level) {
            observers.log($0, $1)
        }
    }

    /// Returns the choices if these values choose, too.
    func choices(_ values: [String: String]) -> BindingChoices {
        var choices = modules.manifest.choices
        choices.values.merge(values) { $1 }
        return choices
    }

    /// Whether the program itself provides something, so that no module has to.
    package func isOwn(_ capability: Capability) -> Bool {
        container.hasOwn { Capability($0).agrees(with: capability) }
    }

    /// Launches a feature: checks that everything it is declared to require is provided, loads its module,
    /// creates the feature, and runs it.
    ///
    /// Several features can run at the same time. Standard output is flushed when a feature ends.
    ///
    /// - Parameters:
    ///   - feature: The feature's name; it may be one that the program itself provides.
    ///   - arguments: The arguments that follow the name on the command line.
    ///   - values: The values of keys by which bindings choose, such as `["user": "alice"]`; see
    ///     ``ServiceContainer/child(choosingBy:)``.
    ///   - console: The console from which the feature reads, and to which it writes; `nil` for standard input and
    ///     output.
    /// - Returns: The exit code of the feature.
    /// - Throws: ``HostError`` if the feature cannot be launched, or if it fails; its
    ///   ``HostError/cause`` is then the error of the feature.
    public func launch(
        _ feature: String, _ arguments: [String] = [], choosingBy values: [String: String] = [:],
        console: (any Console)? = nil
    ) async throws(HostError) -> ExitCode {
        let console = console ?? StandardConsole.standard
        do {
            let called = Launch(arguments: CommandLine.keeping(arguments), console: console)
            let code = try await launch(feature, called, choosingBy: values)
            try (console as? StandardConsole)?.flush()
            return code
        } catch {
            // The error of the feature says more than that its output cannot be written.
            try? (console as? StandardConsole)?.flush()
            throw HostError(error)
        }
    }

    /// Launches a feature as the public function does, and throws errors as they are: ``PlanError`` or ``ModuleError`` before
    /// the feature runs, ``FeatureError`` for an error that it does not answer for, else the feature's own error.
    package func launch(
        _ feature: String, _ launch: Launch, choosingBy values: [String: String] = [:]
    ) async throws -> ExitCode {
        let endNote = CrashRecorder.noteLaunch(of: feature)
        defer { endNote() }
        let ended = runningFeatures.begin()
        defer { ended() }
        let chosen = values.isEmpty ? container : container.child(choosingBy: values)
        if isOwn(.feature(feature)) {
            await Self.beginFeature()
            return try await chosen.resolveAsync((any Feature).self, name: feature)
                .run(launch.naming(feature))
        }
        let plan = try observers.telling {
            let bindings = values.isEmpty ? nil : modules.manifest.chosen(by: choices(values))
            let plan = try modules.plan(for: feature, bound: bindings, unless: isOwn)
            modules.prepareWorkers(for: plan)
            try modules.load(plan.module, into: container)
            return plan
        }
        defer { modules.endSpareWorkers(of: plan) }
        let account = container.accounts[plan.module.id]
        await Self.beginFeature()
        do {
            let created = try await chosen.resolveAsync((any Feature).self, name: feature)
            let summary = plan.module.declaration?.features.first { $0.name == feature }?.summary
            let code = try await created.run(launch.naming(feature, summary: summary))
            // A feature blames itself with `EX_SOFTWARE`, or a code that stands for a signal.
            account?.note(isError: code.rawValue == 70 || code.rawValue > 128)
            return code
        } catch {
            let fault = FeatureError(feature, of: plan.module, error)
            // Its factory has counted by itself.
            if fault != nil, !(error is ResolutionError), !(error is CancellationError) {
                account?.note(isError: true)
            }
            throw fault ?? error
        }
    }

    /// Lets a feature begin, after this call, where any Swift task does.
    private static func beginFeature() async {
        // A feature that never waits for anything can be asked to end, too.
        takeSignals()
        await TaskThreads.shared.enter()
    }
}

/// The threads that Swift runs tasks on.
package actor TaskThreads {
    package static let shared = TaskThreads()
    private var entries = 0

    /// Lets a task go on, after this call, on one of these threads. The caller may have begun it on a thread of its own: a
    /// task comes back from its first `await` of an actor on another one, and this is that `await`. `Task.yield` returns on
    /// the same thread if another one is quick to answer it.
    package func enter() { entries &+= 1 }
}

extension Feature {
    /// Launches the feature: prints its help if it is asked for, and adds near matches to an error about
    /// an unknown option.
    package func run(_ launch: Launch) async throws -> ExitCode {
        try launch.refuseBytes(for: self)
        do {
            return try await self.launch(launch)
        } catch let help as HelpRequest {
            try launch.console.write(help.description)
            return .success
        } catch let error as UsageError {
            guard let unknown = error.unknown else { throw error }
            throw UsageError(
                error.description + NearMatch.suffix(for: unknown, among: error.known),
                fix: error.fix)
        }
    }
}

extension Launch {
    /// Refuses arguments that are not UTF-8 for a feature in Swift, which would take another text for them.
    package func refuseBytes(for feature: any Feature) throws(UsageError) {
        guard let index = arguments.firstIndex(where: \.keepsBytes),
            !(feature is any ByteFeature)
        else { return }
        throw UsageError(
            "argument \(index + 1) is not UTF-8: \(arguments[index].quoted)",
            fix: "write it in UTF-8; if it is the name of a file, give that a name in UTF-8")
    }

    /// The same input for a feature that is launched by its name.
    package func naming(_ feature: String, summary: String? = nil) -> Launch {
        var launch = self
        launch.feature = feature
        if let summary { launch.summary = summary }
        return launch
    }
}
