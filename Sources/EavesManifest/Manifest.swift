// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON
internal import EavesSystem

/// What `manifest.json` says: where modules are, which are on, and which of them each service is
/// bound to.
package struct Manifest: Sendable {
    /// The file's name, by which a manifest is found.
    package static let fileName = "manifest.json"

    /// The file, as an absolute path. A symbolic link stands for itself: what the manifest names is
    /// relative to the folder of the link, not to the folder it leads to.
    package let path: String
    /// The folder that what it names is relative to, as an absolute path.
    package let directory: String
    /// Where modules are found without an entry, as written. Without that key: `Plugins`.
    package let directories: [String]
    /// Whether the manifest says so itself: then each of them has to be there.
    package let namesDirectories: Bool
    /// The Swift compilers that modules may be built with beside the host's own, such as `6.2`.
    package let compilers: [String]
    /// In the order of the file.
    package let modules: [ModuleEntry]
    /// In the order of the file.
    package let bindings: [Binding]
    /// The feature that is launched when none is named.
    package let launch: String?
    /// Whether modules have to be signed; `nil`: they need not be.
    package let signatures: SignatureRule?
    /// The file that says whose signatures count, as an absolute path. Without that key:
    /// `allowed_signers` beside the manifest.
    package let allowedSigners: String

    private let indexByID: [String: Int]
    private let moduleByService: [String: String]

    /// Reads and checks a text.
    ///
    /// - Parameters:
    ///   - path: Where it stands; the file is not touched.
    ///   - bytes: The text.
    package init(path: String, bytes: [UInt8]) throws(ManifestError) {
        let root: JSONNode
        do {
            root = try JSONNode.parse(bytes)
        } catch {
            throw ManifestError(path, [ManifestProblem(.syntax(error), at: error.position)])
        }
        var reader = ManifestReader(root, in: bytes)
        self.path = Path.absolute(path)
        directory = Path.parent(of: self.path)
        directories = reader.directories()
        namesDirectories = root[ManifestKey.directories.rawValue] != nil
        compilers = reader.compilers()
        modules = reader.modules()
        bindings = reader.bindings()
        launch = reader.launch()
        signatures = reader.signatures()
        allowedSigners = Path.absolute(reader.allowedSigners(), from: directory)
        guard reader.problems.isEmpty else { throw ManifestError(path, reader.allProblems) }
        // The reader refused what stands twice.
        indexByID = Dictionary(
            modules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        moduleByService = Dictionary(
            bindings.map { ($0.service, $0.module) }, uniquingKeysWith: { first, _ in first })
    }

    package static func load(_ path: String) throws(ManifestError) -> Manifest {
        try Manifest(path: path, bytes: ManifestFile.read(path))
    }

    /// The nearest `manifest.json` in a folder or above it, as an absolute path.
    package static func find(from folder: String) -> String? {
        var folder = Path.absolute(folder)
        while true {
            let path = Path.join(folder, fileName)
            if let status = try? FileStatus(path: path), status.kind != .directory { return path }
            if folder == "/" { return nil }
            folder = Path.parent(of: folder)
        }
    }

    /// Where the host keeps what it makes for itself: private copies, the cache, the history.
    package var store: String { Path.join(directory, ".eaves") }

    package func entry(_ id: String) -> ModuleEntry? {
        indexByID[id].map { modules[$0] }
    }

    /// The id of the module that a service is bound to.
    package func binding(of service: String) -> String? {
        moduleByService[service]
    }
}
