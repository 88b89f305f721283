// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesLoader
import EavesManifest
import EavesModules
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

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

    /// The modules of the files that the worker gets; empty for files with calls.
    var fileIDs: [String] { interfaces.flatMap { $0.hasCalls ? [$0.id, ""] : [$0.id] } + [id] }

    var fileCount: Int { fileIDs.count }

    /// The number of descriptors that come with the request: behind the files, a module that may listen gets a socket that
    /// brings it those of the host.
    var descriptorCount: Int { fileCount + (permissions.listen.isEmpty ? 0 : 1) }

    /// The rights of the process: those of the module, and to read its resources.
    var rights: Permissions {
        var rights = permissions
        if let resources { rights.read.append(resources.path) }
        return rights
    }

    /// Sends the request on a channel that carries nothing yet, and the files that it names.
    ///
    /// - Throws: `SystemError` if there are too many files. A process that does not read its request has ended, and its
    ///   channel shows that.
    func send(_ files: [Int32], to socket: Int32) throws(SystemError) {
        guard files.count <= LocalSocket.mostDescriptors else {
            throw SystemError(.open, "\(files.count) interface modules", .tooManyOpenFiles)
        }
        let bytes = (try? Frame.bytes(of: self)) ?? []
        try? LocalSocket.send(bytes, files, to: socket)
    }

    /// Receives the request, and the descriptors of the files that it names. Blocks the thread.
    ///
    /// - Returns: `nil` if there is none.
    static func receive(from socket: Int32) -> (request: WorkerRequest, files: [Int32])? {
        guard let (first, files) = try? LocalSocket.receive(from: socket, upTo: Frame.headSize),
            let content = Frame.read(from: socket, after: first),
            let request = try? Frame.value(WorkerRequest.self, in: content),
            files.count == request.descriptorCount
        else { return nil }
        return (request, files)
    }
}

struct WorkerReport: Hashable, Codable, Sendable {
    struct Service: Hashable, Codable, Sendable {
        var service: String
        var name: String?
        /// The name of the scope, and whether the author chose it.
        var scope: String
        var isNamedScope: Bool
        var file: String
        var line: UInt
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

    /// The largest report. In bytes.
    static let limit = 1 << 20
}

/// The functions of a worker itself, which a host calls as requirements of the instance 0.
enum WorkerFunction: Int, Sendable {
    /// The request for the report of what the module has registered.
    case begin
    /// The functions of the module's life cycle.
    case start, stop, health, snapshot, restore
}

/// The open files of a module and of the interface modules that it needs, for each process that a worker starts.
struct WorkerFiles: Sendable {
    /// Those of the interface modules first, each behind those that it builds on, and the module's own last.
    let descriptors: [Int32]
    /// The copy whose file is the last one, which is open as long. A process never closes interface modules that it has loaded.
    let copy: PrivateCopy
}
