// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesJSON
import EavesSystem
import EavesTrust

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
    var interfaces: [UsedInterface] = []
    /// The digests of the texts that the module needs in the ``InterfaceCache``: those of its interfaces,
    /// and its own if it is an interface module.
    var texts: [String] = []
    /// The name of the folder that SwiftPM has compiled into, if packages share it.
    var packages: String?
}

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
}

extension BuiltFile {
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
            "dependencies": .texts(dependencies),
            "sources": .string(sources),
            "sdk": sdk.json,
            "sdkContent": .string(sdkContent),
            "compiler": compiler?.json ?? nil,
            "environment": .texts(environment),
            "interfaces": .array(interfaces.map(\.json)),
            "texts": .texts(texts),
            "packages": .text(packages),
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
        files = elements.compactMap { element in
            guard let name = element["name"]?.string else { return nil }
            return BuildIdentity(element["stamp"]).map {
                SourceFiles.File(name: name, identity: $0)
            }
        }
        self.folder = folder
        output = BuiltFile(identity: identity, sha256: sha256)
        self.configuration = configuration
        self.inputs = inputs
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
        if interfaces.count != used.count || files.count != elements.count { return nil }
    }
}

extension UsedInterface {
    var json: JSON {
        [
            "id": .string(id), "file": .string(file), "stamp": identity.json,
            "digest": .string(digest),
        ]
    }

    init?(_ node: JSONNode) {
        guard let id = node["id"]?.string, let file = node["file"]?.string,
            let identity = BuildIdentity(node["stamp"]), let digest = node["digest"]?.string
        else { return nil }
        self.init(id: id, file: file, identity: identity, digest: digest)
    }
}

/// The place of the record of one output: `.eaves-records/<name>.json` next to the file.
///
/// It is there, and not in a manifest's store, because it belongs to the file: the two are moved and
/// copied together, and they are found in the same way whatever manifest, link or folder leads to them.
struct RecordPlace: Hashable, Sendable {
    enum Entry: Hashable, Sendable {
        case record(BuildRecord)
        /// There is a record that cannot be read.
        case damaged
        case absent
    }

    static let folderName = ".eaves-records"

    private let outputFolder: String
    let folder: String
    private let path: String
    let trust: TrustCheck

    /// - Parameters:
    ///   - output: An absolute path.
    ///   - trust: The rule for who may change the folder where records are written; reading does not need it.
    init(of output: String, _ trust: TrustCheck = .own) {
        self.trust = trust
        outputFolder = Path.parent(of: output)
        folder = Path.join(outputFolder, Self.folderName)
        path = Path.join(folder, Path.name(of: output) + ".json")
    }

    /// The record as it is on the disk now.
    var entry: Entry {
        do throws(SystemError) {
            let bytes = try Files.read(path, limit: 16 << 20)
            return BuildRecord(json: bytes).map(Entry.record) ?? .damaged
        } catch {
            return error.errno.meansMissing ? .absent : .damaged
        }
    }

    /// The record; `nil` if it is absent or damaged.
    var record: BuildRecord? {
        if case .record(let record) = entry { record } else { nil }
    }

    static func records(in folder: String) -> [BuildRecord] {
        Folder.names(in: folder).filter { $0.hasSuffix(".json") }.compactMap { name in
            let bytes = try? Files.read(Path.join(folder, name), limit: 16 << 20)
            return bytes.flatMap { BuildRecord(json: $0) }
        }
    }

    /// For how long a folder that no record names stays: the next record may name it. In nanoseconds.
    static let grace: Int64 = 3_600_000_000_000

    /// Removes the folders among the records that no record names any more. Those of the last hour stay.
    ///
    /// - Parameters:
    ///   - now: In nanoseconds since 1970.
    ///   - isLocked: Whether a process locks the folder that it builds in.
    func removeUnused(
        in folderName: String, at now: Int64, locked isLocked: Bool = false,
        naming names: (BuildRecord) -> [String]
    ) {
        guard let all = try? open(), let parent = try? all.folder(folderName, checkedBy: trust),
            let old = try? parent.entries().map(\.name).filter({ name in
                (try? parent.status(link: name)).map { $0.modified < now - Self.grace } ?? false
            }), !old.isEmpty
        else { return }
        let used = Self.records(in: folder).flatMap(names)
        for name in Set(old).subtracting(used) {
            // A later build removes the folders that this one cannot.
            guard isLocked else {
                try? parent.removeTree(name)
                continue
            }
            guard let opened = try? parent.file(name), opened.lockAlone() else { continue }
            try? parent.removeTree(name)
            withExtendedLifetime(opened) {}
        }
    }

    // MARK: Folders of sources

    /// The folder that the record names, as ``path(ofFolder:)`` takes it; `nil` if there is no record.
    ///
    /// Looks at the beginning of the file alone: each launch asks this of modules that were deployed with
    /// their records and without their sources.
    var folderName: String? {
        let beginning = Array(BuildRecord.beginning.utf8)
        guard let file = try? OpenFile(reading: path),
            let bytes = try? file.bytes(at: 0, count: 512)
        else { return nil }
        let rest = bytes.dropFirst(beginning.count)
        guard bytes.starts(with: beginning), let end = rest.firstIndex(of: UInt8(ascii: "\"")),
            !rest[..<end].contains(UInt8(ascii: "\\"))
        else { return record?.folder }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// A folder as a record of this place names it.
    func name(ofFolder folder: String) -> String {
        let inside = Path.relative(folder, to: outputFolder)
        if inside != folder { return inside }
        // Outside of the output's folder, `..` leads the right way only without links.
        return Path.climb(
            from: Files.resolved(outputFolder) ?? outputFolder,
            to: Files.resolved(folder) ?? folder)
    }

    /// The absolute path of the folder that a record of this place names.
    func path(ofFolder name: String) -> String {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"))
        let isInside = !parts.contains { $0.elementsEqual("..".utf8) }
        let start = isInside ? outputFolder : Files.resolved(outputFolder) ?? outputFolder
        return Path.absolute(name, from: start)
    }

    // MARK: Writing

    /// Opens the folder of the records. It is held, and its owner and permissions were checked, so that no other
    /// user can put a link in the place of what is written there.
    ///
    /// - Returns: `nil` if there is none.
    func open() throws(PlaceError) -> OpenFolder? {
        try trust.openWorkplace(outputFolder).folder(Self.folderName, checkedBy: trust)
    }

    /// Opens the folder of the records as ``open()`` does, and creates it if it is missing.
    func make() throws(PlaceError) -> OpenFolder {
        try trust.openWorkplace(outputFolder).makeFolder(
            Self.folderName, mode: 0o755, checkedBy: trust
        ) { made throws(SystemError) in
            // The records are about the files of this machine, so that they are no part of a repository.
            try made.replace(".gitignore", with: "*\n".utf8, mode: 0o644)
        }
    }

    /// Runs `body` and writes the record that it returns, while no other build does the same. After two
    /// builds at the same time, output and record are then of the same build.
    ///
    /// - Returns: The error that kept the record from being written; `body` has run all the same.
    func update<Failure: Error>(
        _ body: () throws(Failure) -> BuildRecord?
    ) throws(Failure) -> PlaceError? {
        let folder: OpenFolder
        do throws(PlaceError) {
            folder = try make()
        } catch {
            _ = try body()
            return error
        }
        return try update(in: folder, body)
    }

    private func update<Failure: Error>(
        in folder: borrowing OpenFolder, _ body: () throws(Failure) -> BuildRecord?
    ) throws(Failure) -> PlaceError? {
        let lock: FileLock
        do throws(PlaceError) {
            lock = try takeLock(of: folder)
        } catch {
            _ = try body()
            return error
        }
        return try lock.hold { () throws(Failure) in
            guard let record = try body() else { return nil }
            return write(record, in: folder)
        }
    }

    /// Takes the right to compile the output, if no other build has it. Does not wait.
    func claim() -> BuildClaim.Outcome {
        do throws(PlaceError) {
            let name = Path.name(of: path) + ".lock"
            return .taken(BuildClaim(try takeLock(of: make(), name, within: .zero)))
        } catch {
            if case .system(let error) = error, error.action == .lock, error.errno == .tryAgain {
                return .held(error.holder)
            }
            // Whatever else is wrong with the folder, a later step reports.
            return .taken(nil)
        }
    }

    /// Runs `body` while no build publishes the output and its record. Creates nothing.
    ///
    /// - Parameter body: A function that can write a record with its argument. The record stays as it is where others
    ///   can change it.
    func steady<Result>(_ body: ((BuildRecord) -> Void) -> Result) -> Result {
        guard let folder = try? open(), let lock = try? takeLock(of: folder) else {
            return body { _ in }
        }
        return lock.hold { body { _ = write($0, in: folder) } }
    }

    private func takeLock(
        of records: borrowing OpenFolder, _ name: String = "lock",
        within limit: Duration = FileLock.patience
    ) throws(PlaceError) -> FileLock {
        let owner = (try? records.status())?.owner
        return try records.takeLock(name, within: limit, checkedBy: trust) {
            made throws(SystemError) in
            // If root builds in a user's folder, that user has to be able to build there later.
            if let owner { try made.give(to: owner) }
        }
    }

    private func write(_ record: BuildRecord, in folder: borrowing OpenFolder) -> PlaceError? {
        let text = record.json.text(pretty: true) + "\n"
        do throws(SystemError) {
            try folder.replaceFile(
                Path.name(of: path), with: text.utf8, mode: 0o644, keepsStatus: true)
            return nil
        } catch {
            return .system(error)
        }
    }
}

/// The right to compile an output, which one build has at a time. It ends with this object, or with its process.
final class BuildClaim: Sendable {
    enum Outcome {
        /// `nil` where nothing can be locked.
        case taken(BuildClaim?)
        /// Another build has it: this process, if it is known.
        case held(LockHolder?)
    }

    private let lock: FileLock

    init(_ lock: consuming FileLock) { self.lock = lock }
}
