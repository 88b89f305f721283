// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDiagnostics
import EavesInterface
import EavesLife
import EavesManifest
import EavesTestSupport
import Synchronization

@testable import EavesHost
@testable import EavesModules

extension TemporaryFolder {
    func manifest(_ text: String = #"{ "manifest": 1 }"#) throws -> Manifest {
        try createFolder("Plugins")
        return try Manifest.load(write(text, to: "manifest.json"))
    }

    /// A manifest that binds services, or switches modules off.
    func manifest(bindings: String = "", modules: String = "") throws -> Manifest {
        try manifest(
            #"{ "manifest": 1, "bindings": { \#(bindings) }, "modules": { \#(modules) } }"#)
    }

    /// A catalog as a host has it.
    func catalog(_ manifest: Manifest) -> Catalog {
        Catalog(manifest: manifest, profile: .current, hostServices: LazyLoader.hostServices)
    }

    /// A host for the modules in this folder.
    func host(
        bindings: String = "", modules: String = "", source: any ModuleSource = NoSource(),
        tellingTo log: EventLog = EventLog()
    ) throws -> Host {
        try Host(
            manifest: manifest(bindings: bindings, modules: modules), source: source,
            policy: LivePolicy(gateLimit: Patience.limit)
        ) { log.add($0) }
    }
}

extension Host {
    /// Follows the disk until the sequence is dropped, which has what the host takes on.
    func followedChanges() throws -> AsyncStream<HostChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: HostChange.self)
        observers.add { event in
            if case .changed(let change) = event { continuation.yield(change) }
        }
        let following = try follow()
        continuation.onTermination = { _ in following.end() }
        return stream
    }
}

/// The events that a host told, a line for each.
final class EventLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    /// The ids of the modules that were loaded, in order.
    var loaded: [String] {
        lines.filter { $0.hasPrefix("loaded ") }.map { String($0.dropFirst(7)) }
    }

    func add(_ event: HostEvent) {
        let line: String
        switch event {
        case .loading(let module): line = "loading \(module.id)"
        case .loaded(let module, _): line = "loaded \(module.id)"
        case .warned(let problem): line = "warned \(problem.message)"
        case .logged(let entry): line = "\(entry.module ?? "host") logged \(entry.text)"
        default: return
        }
        kept.withLock { $0.append(line) }
    }
}

/// A source of modules that does what a test says, and keeps what it was asked for.
final class ScriptedSource: ModuleSource {
    private let asked = Mutex<[[String]]>([])
    private let action: @Sendable ([CatalogEntry]) throws -> Bool

    init(_ action: @escaping @Sendable ([CatalogEntry]) throws -> Bool = { _ in false }) {
        self.action = action
    }

    /// The ids of the modules that it was asked to bring up to date, a list for each time.
    var requests: [[String]] { asked.withLock { $0 } }

    func freshen(_ modules: [CatalogEntry]) throws -> Bool {
        asked.withLock { $0.append(modules.map(\.id)) }
        return try action(modules)
    }
}

/// A console that keeps what is written.
final class KeptConsole: Console {
    private let written = Mutex("")

    let isInteractive = false
    var text: String { written.withLock { $0 } }

    func readLine() throws(ConsoleError) -> String? { nil }
    func write(_ text: String) throws(ConsoleError) { written.withLock { $0 += text } }
    func warn(_ text: String) {}
}

/// An error without words for people.
struct PlainError: Error, CustomStringConvertible {
    var description = "it broke"
}

// The factories of the common interface make screens. Those of the modules here make features instead, to
// which the host's own routes lead.

/// A factory that makes features.
protocol FeatureFactory: Sendable {
    func makeLogin(name: String?) throws -> any Feature
}

extension LoginFactory {
    /// The default is for the modules of these tests, whose factories make features.
    func makeLogin(
        name: String, router: ScreenRouter
    ) throws -> any LoginViewModelInterface {
        throw NoScreen()
    }
}

/// A factory that was asked for what it does not make.
struct NoScreen: Error {}

/// The route to a login that is a feature.
struct LoginRoute: Route {
    var name: String?

    func feature(from factory: any LoginFactory) throws -> any Feature {
        guard let factory = factory as? any FeatureFactory else { throw NoScreen() }
        return try factory.makeLogin(name: name)
    }
}

/// The route to the home of a user, to which no module of these tests leads.
struct HomeRoute: Route {
    let user: User

    func feature(from factory: any HomeFactory) throws -> any Feature {
        throw NoScreen()
    }
}
