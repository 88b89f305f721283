// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
internal import EavesSystem
package import EavesTrust

/// The content of `manifest.json`: where modules are, which of them are enabled, and to which
/// module each service is bound.
package struct Manifest: Sendable {
    package static let fileName = "manifest.json"

    /// The manifest's file, as an absolute path. A symbolic link is not resolved: paths in the
    /// manifest are relative to the folder of the link, not to that of its target.
    package let path: String
    /// The folder that paths in the manifest are relative to, as an absolute path.
    package let directory: String
    /// The directories that are searched for modules, as written. Without that key: `Plugins`.
    package let directories: [String]
    /// Whether the manifest has that key: then each directory has to exist.
    package let namesDirectories: Bool
    /// The Swift compilers other than the host's own that modules may be built with, such as `6.2`.
    package let compilers: [String]
    /// The entries of single modules, in the order of the file.
    package private(set) var modules: [ModuleEntry]
    /// The bindings of services, in the order of the file.
    package let bindings: [Binding]
    /// The feature to launch when the command line names none.
    package let launch: String?
    /// The feature that opens links.
    package let open: String?
    /// The terms on which a host that stays up judges what it has swapped.
    package let probation: ProbationPolicy
    /// Whether modules have to be signed; `nil` if they need not be.
    package let signatures: SignatureRule?
    /// The file that lists the signers to accept, as an absolute path. Without that key:
    /// `allowed_signers` next to the manifest.
    package let allowedSigners: String
    /// Whether the manifest has that key: then the list has to exist.
    package let namesSigners: Bool
    /// The patterns of the ids that each signer may sign; `nil` without that key.
    package let signers: [String: [String]]?
    /// The file that lists revoked keys, as an absolute path; `nil` without that key.
    package let revokedKeys: String?
    /// The check for all files that the manifest leads to.
    package let trust: TrustCheck
    /// The folder of the host's own files: private copies, the cache, the history.
    package let store: Store
    /// The sum of the text.
    package let sum: UInt64

    /// The module of each bound service.
    package private(set) var chosen: ChosenBindings
    package private(set) var choices = BindingChoices()

    private var indexByID: [String: Int]

    /// Parses and checks a text.
    ///
    /// - Parameters:
    ///   - path: The file of the text. It is not read.
    ///   - bytes: The text.
    /// - Throws: ``ManifestError`` with all problems of the text.
    package init(path: String, bytes: [UInt8], trust: TrustCheck = .own) throws(ManifestError) {
        self.trust = trust
        let root: JSONNode
        do {
            root = try JSONNode.parse(bytes)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error), at: error.position)])
        }
        var parser = ManifestParser(root, in: bytes)
        sum = checksum(of: bytes.span)
        self.path = Path.absolute(path)
        directory = Path.parent(of: self.path)
        store = Store(of: directory, trust)
        directories = parser.directories()
        namesDirectories = root[ManifestKey.directories.rawValue] != nil
        compilers = parser.compilers()
        modules = parser.modules()
        bindings = parser.bindings()
        launch = parser.text(.launch)
        open = parser.text(.open)
        probation = parser.probation()
        signers = parser.signers()
        // A rule about signers that nothing checked would only seem to protect.
        signatures = parser.signatures() ?? signers.map { _ in .required }
        allowedSigners = Path.absolute(
            parser.text(.allowedSigners) ?? "allowed_signers", from: directory)
        namesSigners = root[ManifestKey.allowedSigners.rawValue] != nil
        revokedKeys = parser.text(.revokedKeys).map { [directory] in
            Path.absolute($0, from: directory)
        }
        guard parser.problems.isEmpty else { throw ManifestError(path, parser.sortedProblems) }
        // The parser has refused ids and services that occur twice.
        indexByID = Dictionary(
            modules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        chosen = ChosenBindings(bindings)
    }

    /// Passes the gate of trust, then reads, parses and checks the file that the gate has opened.
    package static func load(_ path: String) throws(ManifestError) -> Manifest {
        let text = try read(path)
        return try Manifest(path: path, bytes: text.bytes, trust: text.trust)
    }

    /// Loads a manifest like ``load(_:)``, also by the path of the folder that it is in.
    package static func load(fileOrFolder path: String) throws(ManifestError) -> Manifest {
        let isFolder = (try? FileStatus(path: path))?.kind == .directory
        return try load(isFolder ? Path.join(path, fileName) : path)
    }

    /// Returns the nearest `manifest.json` in a folder or above it, as an absolute path.
    package static func find(from folder: String) -> String? {
        var folder = Path.absolute(folder)
        while true {
            let path = Path.join(folder, fileName)
            if let status = try? FileStatus(path: path), status.kind != .directory { return path }
            if folder == "/" { return nil }
            folder = Path.parent(of: folder)
        }
    }

    package var signerLists: SignerLists {
        SignerLists(
            project: allowedSigners, isNamed: namesSigners, revokedKeys: revokedKeys, ids: signers,
            trust)
    }

    package var acceptedVersions: AcceptedVersions { AcceptedVersions(in: store) }

    package func entry(_ id: String) -> ModuleEntry? {
        indexByID[id].map { modules[$0] }
    }

    /// Returns the places of a module's settings, by their names, as messages show them: `manifest.json:3:14`.
    package func settingPlaces(of id: String) -> [String: String] {
        guard let positions = entry(id)?.settingPositions, !positions.isEmpty else { return [:] }
        let file = Path.relative(path, to: Path.current)
        return positions.mapValues { "\(file):\($0)" }
    }

    /// Returns the binding of a service as the manifest has it, under exactly this key.
    package func binding(_ key: BindingKey) -> Binding? {
        bindings.first { $0.key == key }
    }

    /// The module of each bound service, if these values choose.
    package func chosen(by choices: BindingChoices) -> ChosenBindings {
        ChosenBindings(bindings, choices)
    }

    /// The same manifest, where other values choose between modules that share a binding, and others decide which
    /// modules are isolated.
    package func choosing(_ choices: BindingChoices) -> Manifest {
        var manifest = self
        manifest.choices = choices
        manifest.chosen = chosen(by: choices)
        for id in choices.isolated { manifest.isolate(id) }
        return manifest
    }

    /// The same manifest with other modules for services, by the keys of bindings.
    package func binding(_ modules: [String: String]) -> Manifest {
        var manifest = self
        // A qualified name comes behind the shorter one without the Swift module, whose demand would go before it.
        for (key, module) in modules.sorted(by: { $0.key.utf8.count < $1.key.utf8.count }) {
            manifest.chosen = manifest.chosen.demanding(BindingKey(text: key), module)
        }
        return manifest
    }

    /// The same manifest, where all modules run in the process of the host.
    package var withoutIsolation: Manifest {
        var manifest = self
        for index in modules.indices { manifest.modules[index].isIsolated = false }
        return manifest
    }

    private mutating func isolate(_ id: String) {
        let index = indexByID[id] ?? modules.count
        if index == modules.count {
            modules.append(ModuleEntry(id: id, position: .start))
            indexByID[id] = index
        }
        modules[index].isIsolated = true
    }

    /// The same manifest, for a process that runs modules: where a binding has weights and no key, the process draws.
    package var drawn: Manifest {
        guard choices.chance == nil, chosen.choices.contains(where: { $0.reason == .chance }) else {
            return self
        }
        var choices = choices
        choices.chance = BindingChoices.chanceOfProcess
        return choosing(choices)
    }

    /// The keys by which the manifest's bindings choose, each once, sorted. The draw at each call has none.
    package var choiceKeys: [String] {
        Set(bindings.compactMap { $0.weights?.key }).subtracting([Weights.callKey]).sorted()
    }

    // MARK: Paths in the manifest

    /// A path as seen from the manifest's folder.
    package func shown(_ path: String) -> String {
        path == directory ? "." : Path.relative(path, to: directory)
    }

    /// The path to write into the manifest for a file: relative to the manifest's folder, so that both
    /// can be moved together. Links on the way to the file stay, so that the host follows them when they change.
    ///
    /// A file that shares only the root with the manifest keeps its absolute path: one that goes up to
    /// the root and down again would not survive a move either. So does a file to which a relative
    /// path does not lead, because the way to the manifest has links in it.
    ///
    /// - Parameter file: An absolute path.
    package func library(for file: String) -> String {
        let inside = shown(file)
        if inside != file { return inside }
        let folder = Path.parent(of: file)
        guard let realFolder = Files.resolved(folder), let real = Files.resolved(directory) else {
            return file
        }
        // The way may lead through the manifest's folder by another name.
        var above = folder
        while above != "/" {
            if Files.resolved(above) == real { return Path.relative(file, to: above) }
            above = Path.parent(of: above)
        }
        let up = Path.climb(from: directory, to: file)
        // Two that have only the root in common say nothing of each other.
        if up.hasPrefix(Path.climb(from: directory, to: "/") + "/") { return file }
        // The host takes '..' in the text, and the system takes it on the disk: both have to agree.
        let isSame = [Path.absolute(up, from: directory), Path.join(directory, up)].allSatisfy {
            Files.resolved(Path.parent(of: $0)) == realFolder
        }
        return isSame ? up : file
    }

    // MARK: Reading

    /// A limit for the size of the file, so that a wrong file cannot exhaust memory. In bytes.
    private static let sizeLimit = 1 << 20

    /// Opens a manifest once, and reads its text.
    ///
    /// - Returns: The text, and the check that the manifest has passed.
    /// - Throws: ``ManifestError`` also if others can change the manifest.
    static func read(_ path: String) throws(ManifestError) -> (bytes: [UInt8], trust: TrustCheck) {
        let problem: ManifestProblem.Kind
        do {
            let gate = try TrustGate.open(Path.absolute(path))
            let status = try gate.manifest.status()
            guard status.size <= sizeLimit else { throw SystemError(.read, path, .fileTooBig) }
            let bytes = try gate.manifest.bytes(at: 0, count: status.size)
            return (bytes, gate.check)
        } catch ConsentError.place(.untrusted(.notAFile(_, let kind))) {
            problem = .notAFile(kind)
        } catch let error as SystemError {
            problem = .system(error)
        } catch ConsentError.place(.untrusted(.unresolved(_, let error))) {
            problem = error.errno == .noSuchFile ? .missing : .system(error)
        } catch let error as ConsentError {
            problem = .untrusted(error)
        } catch {
            problem = .system(SystemError(.read, path))
        }
        throw ManifestError(path, [ManifestProblem(problem)])
    }
}

/// The manifest's entry of one module.
package struct ModuleEntry: Hashable, Sendable {
    package var id: String
    /// The path of the `.so` as written, relative to the manifest; `nil` for the module of that id in the directories.
    package var library: String?
    package var isEnabled = true
    /// The SHA-256 digest that the file must have, as 64 lowercase digits.
    package var sha256: String?
    /// The module is refused if its version is older than this one.
    package var leastVersion: ModuleVersion?
    /// Whether the module runs in a process of its own.
    package var isIsolated = false
    package var limits = IsolationLimits()
    package var permissions = Permissions()
    package var allowsExecutableStack = false
    /// Whether the module may take the place of another one, or of an older file of its own, whose state it cannot
    /// take on.
    package var discardsState = false
    /// The module's own settings, which it gets unchanged.
    package var settings: [JSON.Member] = []
    /// The places of their values in the manifest, by their names.
    var settingPositions: [String: TextPosition] = [:]
    package var position: TextPosition
}

/// Whether modules have to be signed.
package enum SignatureRule: String, CaseIterable, Sendable {
    /// Every module has to be signed by a signer in the list.
    case required
}

/// The keys of a manifest. `Documentation/manifest.schema.json` lists them for editors.
package enum ManifestKey: String, CaseIterable, Sendable {
    case schema = "$schema"
    case manifest, directories, compilers, modules, bindings, launch, open, probation, signatures
    case signers, allowedSigners, revokedKeys

    /// The value of `isolation`.
    package static let process = "process"

    /// The keys of an entry of `modules`.
    package enum Module: String, CaseIterable, Sendable {
        case library, enabled, sha256, leastVersion, isolation, permissions, limits
        case executableStack, discardState, settings
    }

    package enum Permission: String, CaseIterable, Sendable {
        case read, write, connect, listen, resolve, run, environment
    }

    package enum Limit: String, CaseIterable, Sendable {
        case call, memory, processes, temporary
    }

    package enum Probation: String, CaseIterable, Sendable {
        case seconds, calls, errors, latency, steps, oneAtATime
    }
}
