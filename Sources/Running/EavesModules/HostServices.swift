// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesDeclaration
package import EavesInterface
import EavesLife
package import EavesLoader
import EavesProcess
package import EavesRegistry
import EavesSystem
import Synchronization

extension Container {
    /// Registers the services that the host itself provides, and those of the program.
    ///
    /// - Parameters:
    ///   - level: The lowest level of messages that ``log`` takes.
    ///   - log: A function that gets what modules log, and the id of the module; `nil` for the program itself.
    package func registerHostServices(
        loggingFrom level: LogLevel, log: @escaping @Sendable (String?, LogMessage) -> Void
    ) throws(RegistrationError) {
        try register((any Routing).self) { Router(resolver: $0) }
        try register(Logger.self) { _ in
            let module = Container.askingModule
            return Logger(module: module, level: level) {
                log(module, LogMessage(level: $0, text: $1))
            }
        }
        try register((any Listeners).self) { _ in KeptDescriptors.ofProcess }
        ProgramServices.provide(in: self)
    }
}

/// The services that the program itself provides to every host of its process, also to the processes that
/// verify modules: the command has them from `EavesCommand.main`.
///
/// Safe from any thread.
package enum ProgramServices {
    private static let provision = Mutex<(@Sendable (Container) -> Void)?>(nil)

    /// Lets hosts that are made from now on provide what a function provides.
    package static func provide(_ services: @escaping @Sendable (Container) -> Void) {
        provision.withLock { $0 = services }
    }

    fileprivate static func provide(in container: Container) {
        provision.withLock { $0 }?(container)
    }
}

/// Goes from feature to feature: resolves the factory of a route's place and launches the feature that it makes.
struct Router: Routing {
    let resolver: any Resolver

    func open<Place: Route>(_ route: Place, _ launch: Launch) async throws -> ExitCode {
        let factory = try await resolver.resolveAsync(Place.Factory.self)
        return try await route.feature(from: factory).launch(launch)
    }
}

extension Container {
    /// Brings in a module that is linked into the program. It has no file to check and to load; the steps after that are
    /// those of a module that has one: it registers, it starts, and all that it has registered becomes visible at once.
    ///
    /// - Parameters:
    ///   - id: The module's id in messages; the type's name if `nil`.
    ///   - starts: Whether the module starts, on this thread. If not, its life cycle is the program's own.
    /// - Returns: The life cycle that ends the work of the module; `nil` if it has none.
    /// - Throws: The error of the module, or ``RegistrationError``. Nothing of the module is registered then, and it does
    ///   not run.
    package func bringIn<Linked: Module>(
        _ module: Linked.Type, id: String?, settings: Settings, starting starts: Bool
    ) throws -> (any Lifecycle)? {
        let id = id ?? "\(module)"
        let registrar = StagedRegistrar(module: id, settings: settings)
        try module.register(in: registrar)
        guard starts, let lifecycle = try registrar.lifecycle() else {
            try registrar.commit(to: self)
            return nil
        }
        try ThreadState.keeping { try lifecycle.start(resolver(forLifecycleOf: id)) }
        do {
            try registrar.commit(to: self)
        } catch {
            // The error says what is wrong; a module that does not stop either cannot change that.
            try? lifecycle.stop()
            throw error
        }
        return lifecycle
    }
}
