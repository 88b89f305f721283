// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// The builder's memory of a module that it built, so that the next look needs file statuses alone.
///
/// The store keeps it as `build/<id>.json`. The format is not a contract: a module whose record cannot
/// be read counts as out of date.
struct BuildRecord: Hashable, Sendable {
    private static let version = 1

    var folder: String
    var output: String
    /// The file as the builder left it.
    var outputIdentity: BuildIdentity
    var configuration: BuildConfiguration
    /// The digest of the inputs, as in the module's note.
    var inputs: String
    var files: [SourceFiles.File]
    var sdk: SDKIdentity
    var compiler: BuildIdentity?

    /// Whether the record is about the output of a request, and the builder left the file like this.
    func describes(_ file: BuildIdentity, of request: BuildRequest) -> Bool {
        output == request.output && outputIdentity == file
    }
}

extension BuildRecord {
    var json: JSON {
        [
            "record": .integer(Self.version),
            "folder": .string(folder),
            "output": ["path": .string(output), "stamp": outputIdentity.json],
            "configuration": .string(configuration.rawValue),
            "inputs": .string(inputs),
            "files": .array(files.map { ["name": .string($0.name), "stamp": $0.identity.json] }),
            "sdk": sdk.json,
            "compiler": compiler?.json ?? nil,
        ]
    }

    /// `nil` if the record is damaged, or another version of the builder wrote it.
    init?(json bytes: [UInt8]) {
        guard let node = try? JSONNode.parse(bytes), node["record"]?.integer == Self.version,
            let folder = node["folder"]?.string,
            let output = node["output"]?["path"]?.string,
            let outputIdentity = BuildIdentity(node["output"]?["stamp"]),
            let configuration = node["configuration"]?.string
                .flatMap(BuildConfiguration.init(rawValue:)),
            let inputs = node["inputs"]?.string, let elements = node["files"]?.elements
        else { return nil }
        var files: [SourceFiles.File] = []
        for element in elements {
            guard let name = element["name"]?.string,
                let identity = BuildIdentity(element["stamp"])
            else { return nil }
            files.append(SourceFiles.File(name: name, identity: identity))
        }
        self.folder = folder
        self.output = output
        self.outputIdentity = outputIdentity
        self.configuration = configuration
        self.inputs = inputs
        self.files = files
        sdk = SDKIdentity(node["sdk"])
        compiler = BuildIdentity(node["compiler"])
    }
}

/// Keeps the records of all modules in the store.
struct RecordStore: Hashable, Sendable {
    enum Entry: Hashable, Sendable {
        case record(BuildRecord)
        /// There is a record that cannot be read.
        case damaged
        case absent
    }

    private let folder: String

    /// - Parameter store: The folder `.eaves`.
    init(store: String) {
        folder = Path.join(store, "build")
    }

    private func path(_ id: String) -> String { Path.join(folder, "\(id).json") }

    /// Reads the record of a module.
    func entry(_ id: String) -> Entry {
        do throws(SystemError) {
            let bytes = try Files.read(path(id), limit: 16 << 20)
            return BuildRecord(json: bytes).map(Entry.record) ?? .damaged
        } catch {
            return error.errno == .noSuchFile || error.errno == .notDirectory ? .absent : .damaged
        }
    }

    /// Runs `body` and writes the record that it returns, while no other build does the same. After two
    /// builds at the same time, output and record are then of the same build.
    ///
    /// - Returns: The error that kept the record from being written; `body` has run all the same.
    /// - Throws: The error of `body`.
    func update<Failure: Error>(
        _ id: String, _ body: () throws(Failure) -> BuildRecord?
    ) throws(Failure) -> SystemError? {
        let lock: FileLock
        do throws(SystemError) {
            try Files.createFolder(folder)
            lock = try FileLock(folder)
        } catch {
            _ = try body()
            return error
        }
        return try lock.hold { () throws(Failure) in
            try body().flatMap { write($0, id) }
        }
    }

    private func write(_ record: BuildRecord, _ id: String) -> SystemError? {
        do throws(SystemError) {
            let text = record.json.text(pretty: true) + "\n"
            try Files.replace(path(id), with: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }
}
