// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesLoader
package import EavesManifest

/// A host's request to a worker: the module to run. The host sends it on the channel, before any message.
package struct WorkerRequest: Hashable, Codable, Sendable {
    /// The module's id.
    package var id: String
    /// Its file as people see it.
    package var path: String
    /// The interface modules that it needs, each behind those that it builds on.
    ///
    /// The worker gets their files with the request, each followed by the file with its calls if it has any. The module's
    /// own file is the last.
    package var interfaces: [Interface]
    /// The qualified names of the services that it may have of the host.
    package var requires: [String]
    /// The module's settings, the text of a JSON object.
    package var settings: String
    /// The folder that paths in the settings are relative to.
    package var directory: String
    /// The lowest level of messages to send.
    package var logLevel: Int
    /// The memory that the process may take for itself, in bytes; `nil` for no limit.
    package var memory: UInt64?
    /// The folder with the module's resources; `nil` if it has none.
    package var resources: ResourceFolder?
    /// Its rights, with absolute paths.
    package var permissions: Permissions
    /// Whether it may run although the system cannot take all others from it.
    package var allowsUnenforced: Bool

    package struct Interface: Hashable, Codable, Sendable {
        package var id: String
        package var hasCalls: Bool

        package init(id: String, hasCalls: Bool) {
            self.id = id
            self.hasCalls = hasCalls
        }
    }

    /// The number of files that the worker gets.
    var fileCount: Int { interfaces.reduce(1) { $0 + ($1.hasCalls ? 2 : 1) } }

    /// The number of descriptors that come with the request: behind the files, a module that may listen gets a socket that
    /// brings it those of the host.
    var descriptorCount: Int { fileCount + (permissions.mayListen ? 1 : 0) }

    package init(
        id: String, path: String, interfaces: [Interface],
        requires: [String], settings: String, directory: String, logLevel: Int,
        memory: UInt64? = nil,
        resources: ResourceFolder? = nil,
        permissions: Permissions = Permissions(), allowsUnenforced: Bool = false
    ) {
        self.id = id
        self.path = path
        self.interfaces = interfaces
        self.requires = requires
        self.settings = settings
        self.directory = directory
        self.logLevel = logLevel
        self.memory = memory
        self.resources = resources
        self.permissions = permissions
        self.allowsUnenforced = allowsUnenforced
    }

    /// The rights of the process: those of the module, and to read its resources.
    var rights: Permissions {
        var rights = permissions
        if let resources { rights.read.append(resources.path) }
        return rights
    }
}

extension Permissions {
    var mayListen: Bool { !listen.isEmpty }
}

/// The registrations of a module in a worker, as the worker reports them.
package struct WorkerReport: Hashable, Codable, Sendable {
    package struct Service: Hashable, Codable, Sendable {
        /// The service's qualified name.
        package var service: String
        package var name: String?
        /// The name of the scope, and whether the author chose it.
        package var scope: String
        package var isNamedScope: Bool
        /// The place in the module's sources.
        package var file: String
        package var line: Int
        /// The runtime arguments that the factory takes; empty for none.
        package var arguments: [String]
    }

    package var services: [Service] = []
    package var hasLifecycle = false
    /// Whether the module's state goes from one generation to the next.
    package var keepsState = false
    package var hasDecorators = false
    package var hasReadSettings = false
    /// The rights that the system does not take from the process. If there are any, and the request does not allow that, the
    /// worker has not loaded the module.
    package var unenforced: [String] = []

    /// The report of a worker that has not loaded its module.
    init(unenforced: [String]) { self.unenforced = unenforced }

    init(
        services: [Service], hasLifecycle: Bool, keepsState: Bool, hasDecorators: Bool,
        hasReadSettings: Bool
    ) {
        self.services = services
        self.hasLifecycle = hasLifecycle
        self.keepsState = keepsState
        self.hasDecorators = hasDecorators
        self.hasReadSettings = hasReadSettings
    }
}

/// The functions of a worker itself, which a host calls as requirements of the instance 0.
enum WorkerFunction: Int, Sendable {
    /// The request for the report of what the module has registered.
    case begin
    /// The functions of the module's life cycle.
    case start, stop, health, snapshot, restore
}
