// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesManifest

/// A host's request to a worker: the module to run. The host sends it on the channel, before any message.
struct WorkerRequest: Hashable, Codable, Sendable {
    var id: String
    /// Its file as people see it.
    var path: String
    /// The interface modules that it needs, each behind those that it builds on.
    ///
    /// The worker gets their files with the request, each followed by the file with its calls if it has any. The module's
    /// own file is the last.
    var interfaces: [Interface]
    /// The qualified names of the services that it may have of the host.
    var requires: [String]
    /// The module's settings, the text of a JSON object.
    var settings: String
    var settingPlaces: [String: String] = [:]
    /// The folder that paths in the settings are relative to.
    var directory: String
    /// The lowest level of messages to send.
    var logLevel: Int
    /// The memory that the process may take for itself, in bytes; `nil` for no limit.
    var memory: UInt64?
    /// The folder with the module's resources; `nil` if it has none.
    var resources: ResourceFolder?
    /// Its rights, with absolute paths.
    var permissions = Permissions()
    /// Whether it may run although the system cannot take all others from it.
    var allowsUnenforced = false

    struct Interface: Hashable, Codable, Sendable {
        var id: String
        var hasCalls: Bool
    }

    /// The number of files that the worker gets.
    var fileCount: Int { interfaces.reduce(1) { $0 + ($1.hasCalls ? 2 : 1) } }

    /// The number of descriptors that come with the request: behind the files, a module that may listen gets a socket that
    /// brings it those of the host.
    var descriptorCount: Int { fileCount + (permissions.mayListen ? 1 : 0) }

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

struct WorkerReport: Hashable, Codable, Sendable {
    struct Service: Hashable, Codable, Sendable {
        var service: String
        var name: String?
        /// The name of the scope, and whether the author chose it.
        var scope: String
        var isNamedScope: Bool
        var file: String
        var line: Int
        /// The runtime arguments that the factory takes; empty for none.
        var arguments: [String]
    }

    var services: [Service] = []
    var hasLifecycle = false
    /// Whether the module's state goes from one generation to the next.
    var keepsState = false
    var hasDecorators = false
    var hasReadSettings = false
    /// The rights that the system does not take from the process. If there are any, and the request does not allow that, the
    /// worker has not loaded the module.
    var unenforced: [String] = []
}

/// The functions of a worker itself, which a host calls as requirements of the instance 0.
enum WorkerFunction: Int, Sendable {
    /// The request for the report of what the module has registered.
    case begin
    /// The functions of the module's life cycle.
    case start, stop, health, snapshot, restore
}
