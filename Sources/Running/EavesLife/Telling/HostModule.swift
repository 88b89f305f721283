// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
import EavesDiagnostics

/// A module of a manifest: what is known of it without running any of its code.
public struct HostModule: Hashable, Sendable {
    /// The verdict whether a host can load a module. The words are those of `eaves list --json`.
    public enum State: String, CaseIterable, Sendable {
        /// No check that works without running the module speaks against it.
        case ready
        /// The manifest switches the module off.
        case disabled
        /// There is no file.
        case missing
        /// The file is no module, or declares something that cannot be true.
        case invalid
        /// The module was built for another host, or for interfaces that are not there.
        case incompatible
        /// A digest is not the expected one, a signature does not count, or others can change the file.
        case untrusted
        /// The module crashed too often.
        case quarantined
    }

    package let entry: CatalogEntry
    private let names: Names

    /// - Parameter names: The services of all modules; `nil` where only this one matters.
    package init(_ entry: CatalogEntry, among names: ServiceNames? = nil) {
        self.entry = entry
        self.names = Names(all: names)
    }

    /// The names of services. Other modules may change how the services of this one are shown, and do not make it
    /// another module.
    private struct Names: Hashable {
        let all: ServiceNames?

        static func == (left: Names, right: Names) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    /// The id that the module gives itself; for a file that gives none, its name without `.so`.
    public var id: String { entry.id }
    /// The version that the module declares; `nil` if it cannot be read.
    public var version: String? { entry.declaration?.version }
    /// The purpose of the module, in one line. May be empty.
    public var summary: String { entry.declaration?.summary ?? "" }
    /// `core`, `feature`, `composition` or `interface`; `nil` if the declaration cannot be read.
    public var layer: String? { entry.declaration?.layer.rawValue }
    /// The file as seen from the manifest's folder, for messages.
    public var path: String { entry.path }
    /// The file as an absolute path. It need not exist.
    public var file: String { entry.file }
    /// The folder that the module is built from, as an absolute path; `nil` if its sources are not here.
    public var source: String? { entry.source }
    /// Whether a host can load the module.
    public var state: State { State(entry.state) }
    /// Whether the manifest switches the module on.
    public var isEnabled: Bool { entry.isEnabled }
    /// Whether the manifest demands a digest of the file.
    public var isPinned: Bool { entry.sha256 != nil }
    /// The services that the module declares to provide, by the names of their protocols, each once. Where two
    /// interfaces have protocols of one name, the name has the Swift module in front: `WeatherAPI.Clock`.
    public var provides: [String] { entry.listedServices(names.all ?? entry.ownNames) }
    /// The services that the module asks other modules for, named in the same way.
    public var requires: [String] { entry.listedRequirements(names.all ?? entry.ownNames) }
    /// The ids of the interface modules that it is compiled against.
    public var interfaces: [String] { entry.declaration?.interfaces.map(\.id) ?? [] }
    /// The names of the protocols of an interface module; empty for any other module.
    public var protocols: [String] { entry.declaration?.interface?.protocols ?? [] }
    /// The features that the module offers.
    public var features: [HostFeature] {
        (entry.declaration?.features ?? []).map {
            HostFeature(name: $0.name, summary: $0.summary, module: id, state: state)
        }
    }
    /// The reasons why the module cannot be used as it is. A module that is ready has one if its own file is kept out, so that
    /// its last good file takes the place of it; else it has none, as one that is disabled.
    public var problems: [HostError.Problem] {
        (entry.diagnostics + [entry.standInWarning].compactMap(\.self))
            .map { HostError.Problem($0) }
    }
}

extension HostModule.State {
    /// The catalog's state, which has the same words.
    package init(_ state: ModuleState) {
        switch state {
        case .ready: self = .ready
        case .disabled: self = .disabled
        case .missing: self = .missing
        case .invalid: self = .invalid
        case .incompatible: self = .incompatible
        case .untrusted: self = .untrusted
        case .quarantined: self = .quarantined
        }
    }
}

/// A feature that a module of a manifest offers.
public struct HostFeature: Hashable, Sendable {
    /// The name by which a person launches it.
    public let name: String
    /// The purpose of the feature, in one line. May be empty.
    public let summary: String
    /// The id of its module.
    public let module: String
    /// The state of its module.
    public let state: HostModule.State

    package init(name: String, summary: String, module: String, state: HostModule.State) {
        self.name = name
        self.summary = summary
        self.module = module
        self.state = state
    }
}

/// An interface module that is linked into the program, so that no file of it is loaded.
///
/// The program compiles it with library evolution, and its `.swiftmodule` and `.swiftinterface` stand in
/// `Modules` next to the executable, where `swift build` leaves them.
public struct LinkedInterface: Hashable, Sendable {
    /// The id by which modules name it in `interfaces`, such as `weather-api`.
    public let id: String
    /// The name of the Swift module, such as `WeatherAPI`.
    public let module: String
    /// The interface's version: two numbers, such as `1.2`.
    public let version: String
    /// The id of the module whose own interface it is; `nil` for an interface that all modules share.
    public let owner: String?

    /// Describes an interface that is linked in.
    ///
    /// - Parameters:
    ///   - id: The id by which modules name it.
    ///   - module: The name of the Swift module.
    ///   - version: Two numbers, such as `1.2`.
    ///   - owner: The id of the module whose own interface it is. Without it, every module may name the
    ///     interface.
    public init(id: String, module: String, version: String, owner: String? = nil) {
        self.id = id
        self.owner = owner
        self.module = module
        self.version = version
    }
}
