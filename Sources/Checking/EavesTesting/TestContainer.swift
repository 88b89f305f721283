// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
public import EavesInterface
import EavesLife
import EavesLoader
import EavesManifest
import EavesModules
import EavesRegistry
import Synchronization

/// A registry for one test, in which mocks can replace any service.
///
/// With a manifest, the container is a host. It finds, checks, loads and registers real modules as
/// `eaves launch` does, each when the test or another module first asks for one of its services.
///
/// ```swift
/// let container = try TestContainer(manifest: "manifest.json")
/// container.replace((any UserService).self) { _ in MockUsers() }
/// let launch = try await container.launch("users")
/// #expect(launch.output == "7 Grace\n")
/// ```
///
/// Without a manifest, the container holds what the test adds: mocks, and modules that are linked into the test.
///
/// Each container has its own registrations, instances and replacements, so tests can run in parallel. A process loads
/// the code of a module once: all containers share the module's global and static variables.
///
/// Safe from any thread. Loaded modules stay loaded until the process ends.
public final class TestContainer: Sendable {
    let container: Container
    private let host: Host?
    private let keptLog: KeptLog
    /// The life cycles of linked modules that have started.
    private let started = Mutex<[any Lifecycle]>([])

    /// Creates a container that holds only the host's own services.
    ///
    /// - Throws: ``TestContainerError``.
    public init() throws(TestContainerError) {
        host = nil
        let container = Container()
        let log = KeptLog()
        self.container = container
        keptLog = log
        try TestContainerError.wrapping {
            try container.registerHostServices(loggingFrom: .debug) { log.add($0, $1) }
        }
    }

    /// Creates a container with the modules of a manifest.
    ///
    /// Modules that the manifest isolates run in the process of the test, too: that program does not become a worker.
    ///
    /// This runs no module's code, and it builds nothing: build modules that have sources before the
    /// test, with `eaves build`.
    ///
    /// - Parameter path: The `manifest.json`, or its folder. A relative path starts from the current
    ///   folder, which is the package's folder in `swift test`.
    /// - Throws: ``TestContainerError`` with every problem of the manifest, or if the test is not
    ///   linked so that modules can be loaded into it.
    public init(manifest path: String) throws(TestContainerError) {
        // The protocol descriptor of `Feature`.
        guard HostSymbols.has("$s14EavesInterface7FeatureMp") else {
            throw TestContainerError.notExported
        }
        let log = KeptLog()
        keptLog = log
        let host = try TestContainerError.wrapping {
            let manifest = try Manifest.load(fileOrFolder: path).withoutIsolation
            return try Host(manifest: manifest) { event in
                guard case .logged(let entry) = event else { return }
                log.add(entry.module, LogMessage(level: entry.level, text: entry.text))
            }
        }
        self.host = host
        container = host.container
    }

    /// Registers a module that is linked into the test.
    ///
    /// Calls the module's `register(in:)`, as a host does after loading it, and does not compare the
    /// registrations with any `module.json`. If the module gives a life cycle, it is started on this thread, before
    /// its services can be resolved; ``stop()`` stops it.
    ///
    /// - Parameters:
    ///   - module: The module's type.
    ///   - id: The module's id in messages.
    ///   - settings: The settings that a manifest would have for the module.
    /// - Throws: The error of the module, or ``TestContainerError`` if the module registers a service
    ///   that is already registered and not replaced. The container then registers nothing of it.
    public func load<Loaded: Module>(
        _ module: Loaded.Type, id: String? = nil, settings: Settings = Settings()
    ) throws {
        do {
            let lifecycle = try container.bringIn(
                module, id: id, settings: settings, starting: true)
            if let lifecycle { started.withLock { $0.append(lifecycle) } }
        } catch  where error is RegistrationError || error is SecondLifecycleError {
            throw TestContainerError(error)
        }
    }

    /// Stops the modules that have a life cycle: those that are linked into the test in the reverse order of their
    /// starts, on this thread, and then those of the manifest as a host does.
    ///
    /// - Throws: The first error of a linked module; the others are stopped all the same.
    public func stop() throws {
        let lifecycles = started.withLock { started in
            defer { started = [] }
            return started
        }
        let results = lifecycles.reversed().map { lifecycle in Result { try lifecycle.stop() } }
        host?.stop()
        for result in results { try result.get() }
    }

    /// Everything that modules have logged so far, in the order of time.
    ///
    /// The container takes all levels. A message of a linked module has the id that `load` was given.
    public var log: [TestLogMessage] { keptLog.messages }

    /// Lets every instance of a scope be created anew, as a host does when a session ends.
    ///
    /// Instances stay with those who have them.
    ///
    /// - Parameter scope: The scope, such as `.shared` or `.named("session")`.
    public func reset(_ scope: Scope) {
        container.reset(scope)
    }

    /// Launches a feature on a console of its own.
    ///
    /// With a manifest, the container first checks the module's `requires`, except for services that are replaced.
    ///
    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - arguments: The arguments that follow the name on the command line.
    ///   - input: The lines that a person types. With `nil`, the console is not interactive.
    /// - Throws: The error of the feature, ``TestContainerError`` if a required service is missing or
    ///   the module cannot be loaded, or `ResolutionError` if the feature cannot be created.
    public func launch(
        _ feature: String, _ arguments: [String] = [], input: [String]? = nil
    ) async throws -> TestLaunch {
        let console = TestConsole(input: input)
        let exitCode = try await launch(feature, Launch(arguments: arguments, console: console))
        return TestLaunch(
            exitCode: exitCode, output: console.output, warnings: console.warnings)
    }

    /// Launches a feature on a given console.
    ///
    /// A test can read a ``TestConsole`` while the feature runs, and after it has failed.
    ///
    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - launch: The arguments and the console.
    /// - Returns: The feature's exit code.
    /// - Throws: The errors of ``launch(_:_:input:)``.
    public func launch(_ feature: String, _ launch: Launch) async throws -> ExitCode {
        guard let host else {
            return try await resolveAsync((any Feature).self, name: feature)
                .run(launch.naming(feature))
        }
        do {
            return try await host.launch(feature, launch)
        } catch let error as FeatureError {
            throw error.reason
        } catch  where error is PlanError || error is ModuleError {
            throw TestContainerError(error)
        }
    }

    /// Replaces present and future registrations by those that `register` makes.
    func replace(_ register: (StagedRegistrar) -> Void) -> Replacement {
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        register(registrar)
        return Replacement(
            overriding: registrar.override(in: container), container: container)
    }
}

/// A test container cannot be created, or cannot load a module.
public struct TestContainerError: Error, Hashable, CustomStringConvertible {
    /// One message for each problem, as `eaves` prints it, with its fix. Never empty.
    public let messages: [String]

    /// All messages, each on lines of its own.
    public var description: String { messages.joined(separator: "\n") }

    /// The test's executable does not export its symbols, so a module would not find the interface.
    static let notExported = TestContainerError(
        Diagnostic(
            "this test does not export its symbols, so no module can be loaded into it",
            fix: "link it with '-Xlinker --export-dynamic', as Documentation/Testing.md shows",
            code: .incompatible))

    /// Something asks for the test's container where no test with the trait runs.
    static let noContainer = TestContainerError(
        Diagnostic(
            "there is no test container here: no test with the trait '.container' runs in this task",
            fix: "give it to the test or its suite, '@Test(.container)', or create a TestContainer",
            code: .configuration))

    init(_ error: any Error) {
        messages =
            (error as? any Diagnosable)?.diagnostics.map(\.description) ?? ["\(error)"]
    }

    /// Runs a step of the host, and replaces its error, whose type is not public, by this one.
    static func wrapping<Result>(
        _ step: () throws -> Result
    ) throws(TestContainerError) -> Result {
        do {
            return try step()
        } catch {
            throw TestContainerError(error)
        }
    }
}

/// A message that a module logged in a test.
public struct TestLogMessage: Hashable, Sendable, CustomStringConvertible {
    /// The id of the module; `nil` for a factory of the test itself.
    public let module: String?
    /// How important the message is.
    public let level: LogLevel
    /// The text.
    public let text: String

    /// Creates the message that a test expects.
    ///
    /// - Parameters:
    ///   - module: The id of the module; `nil` for a factory of the test itself.
    ///   - level: How important the message is.
    ///   - text: The text.
    public init(module: String?, level: LogLevel, text: String) {
        self.module = module
        self.level = level
        self.text = text
    }

    /// The message as `eaves` prints it, such as `weather: warning: no wind`.
    public var description: String { (module.map { "\($0): " } ?? "") + "\(level): \(text)" }
}

final class KeptLog: Sendable {
    private let kept = Mutex<[TestLogMessage]>([])

    var messages: [TestLogMessage] { kept.withLock { $0 } }

    func add(_ module: String?, _ message: LogMessage) {
        let message = TestLogMessage(module: module, level: message.level, text: message.text)
        kept.withLock { $0.append(message) }
    }
}
