// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
package import EavesLoader
package import EavesManifest

/// A host's request to a worker: the module to run. The host sends it as JSON on the channel, before any message.
package struct WorkerRequest: Hashable, Sendable {
    /// The module's id.
    package var id: String
    /// Its file as people see it.
    package var path: String
    /// The interface modules that it needs, each behind those that it builds on.
    ///
    /// The worker gets their files with the request, each followed by the file with its calls if it has any. The module's
    /// own file is the last.
    package var interfaces: [Interface]
    /// The name of the process, if modules share it; `nil` for one of the module alone. The process comes to know others by
    /// a socket, the door, which comes with the first request.
    package var worker: String?
    /// The qualified names of the services that it may have of the host.
    package var requires: [String]
    /// The module's settings, a JSON object.
    package var settings: JSON
    /// The folder that paths in the settings are relative to.
    package var directory: String
    /// The lowest level of messages to send.
    package var logLevel: Int
    /// The memory that the process may take for itself, in bytes; `nil` for as much as the system gives.
    package var memory: UInt64?
    /// The folder with the module's resources; `nil` if it has none.
    package var resources: ResourceFolder?
    /// A folder that the process may read besides: that of the resources, or the one with those of all modules that may come
    /// into the process.
    package var readable: String?
    /// Its rights, with absolute paths.
    package var permissions: Permissions
    /// Whether it may run although the system cannot take all others from it.
    package var allowsUnenforced: Bool

    package struct Interface: Hashable, Sendable {
        package var id: String
        package var hasCalls: Bool

        package init(id: String, hasCalls: Bool) {
            self.id = id
            self.hasCalls = hasCalls
        }
    }

    /// The version of the request and of the messages. A side that speaks another one does not begin.
    private static let version = 1

    /// How many files the worker gets.
    var fileCount: Int { interfaces.reduce(1) { $0 + ($1.hasCalls ? 2 : 1) } }

    /// How many descriptors come with the request: behind the files, a module that may listen gets a socket that brings it
    /// those of the host. If modules share the process, the last one is the door, or for a request that comes by the door the
    /// channel of its module.
    var descriptorCount: Int {
        fileCount + (permissions.mayListen ? 1 : 0) + (worker == nil ? 0 : 1)
    }

    package init(
        id: String, path: String, interfaces: [Interface], worker: String? = nil,
        requires: [String], settings: JSON, directory: String, logLevel: Int, memory: UInt64? = nil,
        resources: ResourceFolder? = nil, readable: String? = nil,
        permissions: Permissions = Permissions(), allowsUnenforced: Bool = false
    ) {
        self.id = id
        self.path = path
        self.interfaces = interfaces
        self.worker = worker
        self.requires = requires
        self.settings = settings
        self.directory = directory
        self.logLevel = logLevel
        self.memory = memory
        self.resources = resources
        self.readable = readable
        self.permissions = permissions
        self.allowsUnenforced = allowsUnenforced
    }

    /// - Returns: `nil` if the bytes are not those that ``json`` makes.
    init?(_ bytes: [UInt8]) {
        guard let root = try? JSONNode.parse(bytes), root["wire"]?.integer == Self.version,
            let id = root["id"]?.string,
            let path = root["path"]?.string, let directory = root["directory"]?.string,
            let interfaces = root["interfaces"]?.elements,
            let requires = root["requires"]?.elements, let settings = root["settings"]?.value,
            let logLevel = root["logLevel"]?.integer,
            let permissions = root["permissions"].flatMap(Permissions.init),
            let allowsUnenforced = root["allowsUnenforced"]?.bool
        else { return nil }
        self.init(
            id: id, path: path,
            interfaces: interfaces.compactMap { node in
                guard let id = node["id"]?.string, let hasCalls = node["calls"]?.bool else {
                    return nil
                }
                return Interface(id: id, hasCalls: hasCalls)
            },
            worker: root["worker"]?.string,
            requires: requires.compactMap(\.string), settings: settings, directory: directory,
            logLevel: logLevel, memory: root["memory"]?.integer.map { UInt64(max(0, $0)) },
            resources: Self.resources(root["resources"]), readable: root["readable"]?.string,
            permissions: permissions, allowsUnenforced: allowsUnenforced)
    }

    private static func resources(_ node: JSONNode?) -> ResourceFolder? {
        guard let digest = node?["digest"]?.string, let path = node?["path"]?.string else {
            return nil
        }
        return ResourceFolder(digest: digest, path: path)
    }

    /// The rights of the process: those of the module, and to read its resources.
    var rights: Permissions {
        var rights = permissions
        if let readable { rights.read.append(readable) }
        return rights
    }

    var json: JSON {
        [
            "wire": .integer(Self.version), "id": .string(id), "path": .string(path),
            "interfaces": .array(
                interfaces.map { ["id": .string($0.id), "calls": .bool($0.hasCalls)] }),
            "worker": worker.map { .string($0) } ?? .null,
            "requires": .array(requires.map { .string($0) }), "settings": settings,
            "directory": .string(directory), "logLevel": .integer(logLevel),
            "memory": memory.map { .integer(Int(clamping: $0)) } ?? .null,
            "resources": resources.map {
                ["digest": .string($0.digest), "path": .string($0.path)]
            } ?? .null,
            "readable": readable.map { .string($0) } ?? .null,
            "permissions": permissions.json, "allowsUnenforced": .bool(allowsUnenforced),
        ]
    }
}

extension Permissions {
    var mayListen: Bool { !listen.isEmpty }
}

/// The registrations of a module in a worker, as the worker reports them.
package struct WorkerReport: Hashable, Sendable {
    package struct Service: Hashable, Sendable {
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

    /// - Returns: `nil` if the text is not one that ``json`` makes.
    init?(_ text: String) {
        guard let root = try? JSONNode.parse(Array(text.utf8)),
            let services = root["services"]?.elements
        else { return nil }
        self.services = services.compactMap { node in
            guard let service = node["service"]?.string, let scope = node["scope"]?.string,
                let file = node["file"]?.string, let line = node["line"]?.integer
            else { return nil }
            return Service(
                service: service, name: node["name"]?.string, scope: scope,
                isNamedScope: node["named"]?.bool ?? false, file: file, line: line,
                arguments: (node["arguments"]?.elements ?? []).compactMap(\.string))
        }
        hasLifecycle = root["lifecycle"]?.bool ?? false
        keepsState = root["state"]?.bool ?? false
        hasDecorators = root["decorators"]?.bool ?? false
        hasReadSettings = root["settings"]?.bool ?? false
        unenforced = (root["unenforced"]?.elements ?? []).compactMap(\.string)
    }

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

    var json: JSON {
        [
            "services": .array(
                services.map { service in
                    [
                        "service": .string(service.service),
                        "name": service.name.map { .string($0) } ?? .null,
                        "scope": .string(service.scope), "named": .bool(service.isNamedScope),
                        "file": .string(service.file), "line": .integer(service.line),
                        "arguments": .array(service.arguments.map { .string($0) }),
                    ]
                }),
            "lifecycle": .bool(hasLifecycle), "state": .bool(keepsState),
            "decorators": .bool(hasDecorators), "settings": .bool(hasReadSettings),
            "unenforced": .array(unenforced.map { .string($0) }),
        ]
    }
}

/// The functions of a worker itself, which a host calls as requirements of the instance 0.
enum WorkerFunction: Int, Sendable {
    /// Tells what the module has registered.
    case begin
    /// The functions of the module's life cycle.
    case start, stop, health, snapshot, restore
}
