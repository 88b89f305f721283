// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDiagnostics
import EavesJSON
import EavesProcess
import EavesSystem

/// The parts of a `Package.swift` that a build looks at, as `swift package dump-package` prints them.
struct PackageManifest {
    private let root: JSONNode
    private let folder: String
    private let path: String

    init(
        _ folder: String, _ request: BuildRequest, _ tools: BuildTools, _ swift: String
    ) throws(BuildError) {
        self.folder = folder
        path = Path.relative(Path.join(folder, SourceKind.packageManifest), to: request.base)
        let command = ChildCommand(
            swift, ["package", "--package-path", folder, "dump-package"],
            environment: tools.toolchain.environment)
        let output = try tools.output(of: command, for: request.id, shown: path)
        // Warnings stand before the object.
        let start = output.firstIndex(of: UInt8(ascii: "{")) ?? 0
        guard let root = try? JSONNode.parse(Array(output[start...])) else {
            throw BuildError(
                request.id,
                .dependency(
                    .badManifest(file: path, reason: "SwiftPM printed no description of it")))
        }
        self.root = root
    }

    /// The folders of the packages on this machine that this one depends on.
    var dependencies: [String] {
        (root["dependencies"]?.elements ?? []).flatMap { dependency in
            (dependency["fileSystem"]?.elements ?? []).compactMap { $0["path"]?.string }
        }
    }

    /// Whether SwiftPM has to fetch a package or a library that this one names.
    var isPartlyElsewhere: Bool {
        (root["dependencies"]?.elements ?? []).contains { $0["fileSystem"] == nil }
            || (root["targets"]?.elements ?? []).contains { $0["url"]?.string != nil }
    }

    /// The only dynamic library, or the one that is named like the folder or the module.
    func library(
        for request: BuildRequest
    ) throws(BuildError) -> (product: String, targets: [PackageBuild.Target]) {
        let products = root["products"]?.elements ?? []
        let libraries = products.filter {
            $0["type"]?["library"]?.elements?.first?.string == "dynamic"
        }
        let names = [Path.name(of: request.folder), request.id]
        let chosen =
            libraries.count == 1
            ? libraries.first
            : names.firstNonNil { name in libraries.first { $0["name"]?.string == name } }
        guard let chosen, let product = chosen["name"]?.string else {
            throw BuildError(
                request.id,
                .dependency(
                    .noProduct(
                        manifest: path, dynamic: libraries.compactMap { $0["name"]?.string },
                        others: products.compactMap { $0["name"]?.string },
                        target: root["targets"]?.elements?.first?["name"]?.string ?? request.id)))
        }
        let targets = (chosen["targets"]?.elements ?? []).compactMap(\.string)
        return (product, targets.map { .init(name: $0, folder: folder(of: $0)) })
    }

    private func folder(of target: String) -> String {
        let node = root["targets"]?.elements?.first { $0["name"]?.string == target }
        let usual = "Sources/\(target)"
        // The only target of a package can have its sources directly in the folder.
        let isThere = (try? FileStatus(path: Path.join(folder, usual))) != nil
        return node?["path"]?.string ?? (isThere ? usual : "Sources")
    }
}
