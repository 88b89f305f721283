// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesJSON
import EavesSystem

/// The builder's memory of a file that it built, and of the folder that it built the file from.
///
/// The identities make the next look need file statuses alone. The digests decide where identities
/// differ: they are the same after a project was copied, and no program can set them back.
///
/// The format is not a contract: a module whose record cannot be read counts as out of date.
struct BuildRecord: Hashable, Sendable {
    private static let version = 3

    /// The folder of the sources, seen from the folder of the output.
    var folder: String
    var output: BuiltFile
    var configuration: BuildConfiguration
    /// The digest of all inputs, as in the module's note.
    var inputs: String
    var files: [SourceFiles.File]
    /// The folders of packages elsewhere that ``files`` are in, too, relative to the folder of the sources.
    var dependencies: [String]
    /// The digest of the names and contents of ``files``.
    var sources: String
    var sdk: SDKIdentity
    /// The digest of what modules depend on in the SDK.
    var sdkContent: String
    var compiler: BuildIdentity?
    /// The variables that compilers look at, as ``Toolchain/deciding`` has them.
    var environment: [String] = []
    /// The interfaces that the module was compiled against.
    var interfaces: [UsedInterface] = []
    /// The digests of the texts that the module needs in the ``InterfaceCache``: those of its interfaces,
    /// and its own if it is an interface module.
    var texts: [String] = []
    /// The name of the folder that SwiftPM has compiled into, if packages share it.
    var packages: String?
}

/// An interface that a module was compiled against.
struct UsedInterface: Hashable, Sendable {
    var id: String
    /// The file of the interface, seen from the folder of the output.
    var file: String
    var identity: BuildIdentity
    /// The digest of what modules depend on in the file.
    var digest: String
}

/// A file as the builder left it.
struct BuiltFile: Hashable, Sendable {
    var identity: BuildIdentity
    var sha256: String

    init(identity: BuildIdentity, sha256: String) {
        self.identity = identity
        self.sha256 = sha256
    }

    /// Reads the file. The identity comes first: it describes the file that is read, or an older one.
    init(path: String) throws(SystemError) {
        let file = try OpenFile(reading: path)
        identity = BuildIdentity(try file.status())
        sha256 = try SHA256.digest(of: file).hex
    }

    /// The file at a path, if it has the content of this one; `nil` for any other content.
    func found(at path: String) -> BuiltFile? {
        if BuildIdentity(path: path) == identity { return self }
        guard let file = try? BuiltFile(path: path), file.sha256 == sha256 else { return nil }
        return file
    }
}

extension BuildRecord {
    /// The text of a record up to its ``folder``.
    static let beginning = "{\n  \"record\": \(version),\n  \"folder\": \""

    var json: JSON {
        [
            "record": .integer(Self.version),
            "folder": .string(folder),
            "output": ["stamp": output.identity.json, "sha256": .string(output.sha256)],
            "configuration": .string(configuration.rawValue),
            "inputs": .string(inputs),
            "files": .array(files.map { ["name": .string($0.name), "stamp": $0.identity.json] }),
            "dependencies": .array(dependencies.map(JSON.string)),
            "sources": .string(sources),
            "sdk": sdk.json,
            "sdkContent": .string(sdkContent),
            "compiler": compiler?.json ?? nil,
            "environment": .array(environment.map(JSON.string)),
            "interfaces": .array(interfaces.map(\.json)),
            "texts": .array(texts.map(JSON.string)),
            "packages": packages.map(JSON.string) ?? .null,
        ]
    }

    /// `nil` if the record is damaged, or another version of the builder wrote it.
    init?(json bytes: [UInt8]) {
        guard let node = try? JSONNode.parse(bytes), node["record"]?.integer == Self.version,
            let folder = node["folder"]?.string,
            let identity = BuildIdentity(node["output"]?["stamp"]),
            let sha256 = node["output"]?["sha256"]?.string,
            let configuration = node["configuration"]?.string
                .flatMap(BuildConfiguration.init(rawValue:)),
            let inputs = node["inputs"]?.string, let elements = node["files"]?.elements,
            let dependencies = node["dependencies"]?.elements,
            let sources = node["sources"]?.string, let sdkContent = node["sdkContent"]?.string
        else { return nil }
        var files: [SourceFiles.File] = []
        for element in elements {
            guard let name = element["name"]?.string,
                let identity = BuildIdentity(element["stamp"])
            else { return nil }
            files.append(SourceFiles.File(name: name, identity: identity))
        }
        self.folder = folder
        output = BuiltFile(identity: identity, sha256: sha256)
        self.configuration = configuration
        self.inputs = inputs
        self.files = files
        self.dependencies = dependencies.compactMap(\.string)
        self.sources = sources
        sdk = SDKIdentity(node["sdk"])
        self.sdkContent = sdkContent
        compiler = BuildIdentity(node["compiler"])
        environment = node["environment"]?.elements?.compactMap(\.string) ?? []
        let used = node["interfaces"]?.elements ?? []
        interfaces = used.compactMap(UsedInterface.init)
        texts = node["texts"]?.elements?.compactMap(\.string) ?? []
        packages = node["packages"]?.string
        if interfaces.count != used.count { return nil }
    }
}

extension UsedInterface {
    var json: JSON {
        [
            "id": .string(id), "file": .string(file), "stamp": identity.json,
            "digest": .string(digest),
        ]
    }

    /// `nil` if the value is damaged.
    init?(_ node: JSONNode) {
        guard let id = node["id"]?.string, let file = node["file"]?.string,
            let identity = BuildIdentity(node["stamp"]), let digest = node["digest"]?.string
        else { return nil }
        self.init(id: id, file: file, identity: identity, digest: digest)
    }
}
