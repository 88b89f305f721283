// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// What the builder remembers of a module it built, so that the next look needs stats alone.
///
/// Stands in the store as `build/<id>.json`. Not a contract: one that cannot be read is as good as a
/// module that is out of date.
struct BuildRecord: Hashable, Sendable {
    private static let version = 1

    var folder: String
    var output: String
    /// The file as we left it.
    var outputStamp: FileStamp
    var configuration: BuildConfiguration
    /// The digest of the inputs, as in the module's note.
    var inputs: String
    var files: [SourceFiles.File]
    var sdk: SDKStamps
    var compiler: FileStamp?

    /// Whether the record is of this request's file, and the file the one that we left there.
    func isOurs(_ stamp: FileStamp, of request: BuildRequest) -> Bool {
        output == request.output && outputStamp == stamp
    }
}

extension BuildRecord {
    var json: JSON {
        [
            "record": .integer(Self.version),
            "folder": .string(folder),
            "output": ["path": .string(output), "stamp": outputStamp.json],
            "configuration": .string(configuration.rawValue),
            "inputs": .string(inputs),
            "files": .array(files.map { ["name": .string($0.name), "stamp": $0.stamp.json] }),
            "sdk": sdk.json,
            "compiler": compiler?.json ?? nil,
        ]
    }

    /// `nil` if it is damaged, or was written by another version of the builder.
    init?(json bytes: [UInt8]) {
        guard let node = try? JSONNode.parse(bytes), node["record"]?.integer == Self.version,
            let folder = node["folder"]?.string,
            let output = node["output"]?["path"]?.string,
            let outputStamp = FileStamp(node["output"]?["stamp"]),
            let configuration = node["configuration"]?.string
                .flatMap(BuildConfiguration.init(rawValue:)),
            let inputs = node["inputs"]?.string, let elements = node["files"]?.elements
        else { return nil }
        var files: [SourceFiles.File] = []
        for element in elements {
            guard let name = element["name"]?.string, let stamp = FileStamp(element["stamp"]) else {
                return nil
            }
            files.append(SourceFiles.File(name: name, stamp: stamp))
        }
        self.folder = folder
        self.output = output
        self.outputStamp = outputStamp
        self.configuration = configuration
        self.inputs = inputs
        self.files = files
        sdk = SDKStamps(node["sdk"])
        compiler = FileStamp(node["compiler"])
    }
}
