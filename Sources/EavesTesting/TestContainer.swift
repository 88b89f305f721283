// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
public import EavesInterface
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesSystem

/// A registry of a test's own, in which any service can be replaced by a mock.
///
/// With a manifest it is a host: real modules are found, checked, loaded and registered as
/// `eaves launch` does it, each when something of it is first asked for.
///
/// ```swift
/// let container = try TestContainer(manifest: "manifest.json")
/// container.replace((any UserService).self) { _ in MockUsers() }
/// let launch = try await container.launch("users")
/// #expect(launch.output == "7 Grace\n")
/// ```
///
/// Without one it holds what the test puts there: mocks, and modules that are linked into the test.
///
/// Each container is a registry of its own, with its own instances and replacements, so that tests
/// can run in parallel. The code of a module is loaded once in a process: global and static variables
/// of a module are the same in all containers.
///
/// Safe from any thread. Loaded modules stay loaded until the process ends.
public final class TestContainer: Sendable {
    let container: Container
    private let host: Host?

    /// A container with nothing in it but what the host itself provides.
    ///
    /// - Throws: ``TestContainerError``.
    public init() throws(TestContainerError) {
        host = nil
        let container = Container()
        self.container = container
        try TestContainerError.naming { try container.registerHostServices() }
    }

    /// A container with the modules of a manifest.
    ///
    /// Runs no code of any module. Modules are taken as they are: those that come from sources have to
    /// be built before the test, with `eaves build`.
    ///
    /// - Parameter path: The `manifest.json`, or the folder that it stands in. A relative path is
    ///   seen from the current folder, which in `swift test` is that of the package.
    /// - Throws: ``TestContainerError`` with every problem of the manifest, or if the test is not
    ///   linked so that modules can be loaded into it.
    public init(manifest path: String) throws(TestContainerError) {
        // The descriptor of the protocol that every feature conforms to.
        guard HostSymbols.has("$s14EavesInterface7FeatureMp") else {
            throw TestContainerError.notExported
        }
        let host = try TestContainerError.naming {
            let isFolder = (try? FileStatus(path: path))?.kind == .directory
            let manifest = try Manifest.load(isFolder ? Path.join(path, Manifest.fileName) : path)
            return try Host(manifest: manifest)
        }
        self.host = host
        container = host.container
    }

    /// Lets a module register that is linked into the test.
    ///
    /// Calls `register(in:)` as a host would after loading it. What it registers is not compared with
    /// any `module.json`.
    ///
    /// - Parameters:
    ///   - module: The module's type.
    ///   - id: What messages call it.
    ///   - settings: What a manifest would set for it.
    /// - Throws: What the module throws; ``TestContainerError`` if it registers what is there already
    ///   and is not replaced. Nothing of it is registered then.
    public func load<Loaded: Module>(
        _ module: Loaded.Type, id: String? = nil, settings: Settings = Settings()
    ) throws {
        let registrar = StagedRegistrar(module: id ?? "\(module)", settings: settings)
        try module.register(in: registrar)
        try TestContainerError.naming { try registrar.commit(to: container) }
    }

    /// Launches a feature.
    ///
    /// With a manifest, its declared needs are checked first, but for those that are replaced.
    ///
    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - arguments: What would stand behind it on the command line.
    ///   - input: What is typed, a line each; without it, nobody sits there.
    /// - Throws: What the feature throws; ``TestContainerError`` if its needs are not met or its
    ///   module is not to be had; `ResolutionError` if it cannot be made.
    public func launch(
        _ feature: String, _ arguments: [String] = [], input: [String]? = nil
    ) async throws -> TestLaunch {
        let console = TestConsole(input: input)
        let exitCode = try await launch(feature, Launch(arguments: arguments, console: console))
        return TestLaunch(
            exitCode: exitCode, output: console.output, warnings: console.warnings)
    }

    /// Launches a feature on any console.
    ///
    /// A ``TestConsole`` can also be read while the feature runs, and after it failed.
    ///
    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - launch: The arguments, and where to read and write.
    /// - Returns: How the feature ended.
    /// - Throws: As ``launch(_:_:input:)``.
    public func launch(_ feature: String, _ launch: Launch) async throws -> ExitCode {
        guard let host else {
            return try await resolveAsync((any Feature).self, name: feature).launch(launch)
        }
        do {
            return try await host.launch(feature, launch)
        } catch let error as FeatureError {
            throw error.reason
        } catch let error as PlanError {
            throw TestContainerError(error)
        } catch let error as ModuleError {
            throw TestContainerError(error)
        }
    }

    /// Puts registrations in the place of whatever is, or will be, registered.
    func replace(_ register: (StagedRegistrar) -> Void) {
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        register(registrar)
        registrar.override(in: container)
    }
}
