// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON
import EavesSystem
import EavesTrust

/// A module that is a Swift package: SwiftPM builds its dynamic library, with all packages linked in.
///
/// SwiftPM compiles into `.build/eaves` of the package's folder, where it finds again what has not
/// changed. The linker gets the note and the entry point in addition, and the host's interface stays
/// undefined, as in any other module.
struct PackageBuild: Hashable, Sendable {
    /// The folder of the package, and its name in messages.
    let folder: String
    /// The dynamic library that is the module.
    let product: String
    /// The Swift modules of the library, with the folders of their sources relative to ``folder``.
    let targets: [Target]
    /// The folders of packages on this machine that it depends on, directly or not, relative to
    /// ``folder``. Sorted.
    let dependencies: [String]
    /// The path of `swift`.
    private let swift: String

    struct Target: Hashable, Sendable {
        var name: String
        var folder: String
    }

    /// Asks SwiftPM what the package has. It runs the manifests of the package and of those on this machine
    /// that it depends on, each after it was checked who can change it.
    ///
    /// - Throws: If a manifest is not valid, or the package has no fitting library.
    init(_ request: BuildRequest, _ tools: BuildTools) throws(BuildError) {
        folder = request.folder
        swift = try tools.swift(for: request.id)
        let root = try PackageManifest(request.folder, request, tools, swift)
        (product, targets) = try root.library(for: request)
        var waiting = root.dependencies
        var found: Set<String> = []
        while let path = waiting.popLast() {
            guard found.insert(path).inserted else { continue }
            do throws(SourceError) {
                _ = try SourceFiles(path, checkedBy: request.trust)
            } catch {
                throw BuildError(request.id, because: error)
            }
            waiting += try PackageManifest(path, request, tools, swift).dependencies
        }
        let start = Files.resolved(folder) ?? folder
        dependencies = found.map { RecordPlace.climb(from: start, to: $0) }.sorted()
    }

    /// The Swift module of the library that a source belongs to; `nil` for any other source.
    func target(of source: String) -> String? {
        targets.first { source.hasPrefix($0.folder + "/") }?.name
    }

    func flags(_ configuration: BuildConfiguration) -> [String] {
        ["swift build", configuration.rawValue] + Self.flags(configuration) + [product]
    }

    /// The options of SwiftPM that make a difference to the module.
    private static func flags(_ configuration: BuildConfiguration) -> [String] {
        let options = [
            "--quiet", "-c", configuration.rawValue, "--disable-local-rpath",
            "-Xswiftc", "-use-ld=lld", "-Xswiftc", "-no-toolchain-stdlib-rpath",
        ]
        switch configuration {
        // In debug builds, SwiftPM itself lets others see what is internal.
        case .debug: return options
        // The added entry point names the module's type, which need not be public.
        case .release: return options + ["-Xswiftc", "-enable-testing"]
        }
    }

    /// The file that SwiftPM links.
    func output(_ configuration: BuildConfiguration) -> String {
        Path.join(buildFolder(configuration), "lib\(product).so")
    }

    /// The folder that SwiftPM compiles into.
    var scratch: String { Path.join(folder, ".build/eaves") }

    private func buildFolder(_ configuration: BuildConfiguration) -> String {
        Path.join(scratch, configuration.rawValue)
    }

    /// The commands that build the module: SwiftPM compiles the package, the compiler makes the entry point
    /// out of an added source, and SwiftPM links both.
    ///
    /// - Parameters:
    ///   - compile: The command line that the sources would have without a package.
    ///   - added: The added source of the entry point; `nil` if a source of the package defines the function.
    ///   - work: The private folder.
    func commands(
        recipe: BuildRecipe, compile: CompileCommand, added: String?, in work: String
    ) throws(PlaceError) -> [ChildCommand] {
        let configuration = recipe.configuration
        // It stays the same between builds: with another name, everything would be compiled again.
        let options = Path.join(scratch, "linker.cfg")
        if (try? Files.read(options)) != Array(CompileCommand.linkerOptions.utf8) {
            try Output(options, recipe.request.trust)
                .replace(with: Array(CompileCommand.linkerOptions.utf8))
        }
        let metadata = CompileCommand.percentEncoded(compile.note.json.text(pretty: false))
        let build =
            ["build", "--package-path", folder, "--scratch-path", scratch]
            + Self.flags(configuration) + compile.searchPaths.flatMap { ["-Xswiftc", $0] }
            + recipe.libraries.flatMap(\.arguments).flatMap { ["-Xswiftc", $0] } + [
                "-Xcc", "-I\(Path.parent(of: compile.sdk.header))",
                "-Xswiftc", "-Xclang-linker", "-Xswiftc", "--config=\(options)",
            ]
        let link = ["--product", product, "-Xlinker", "--package-metadata=\(metadata)"]
        let environment = recipe.tools.toolchain.environment
        func swiftPM(_ rest: [String]) -> ChildCommand {
            ChildCommand(swift, build + rest, environment: environment)
        }
        guard let added, let target = targets.first?.name else { return [swiftPM(link)] }
        let object = Path.join(work, "entry.o")
        let entry =
            [
                "-c", "-parse-as-library", "-wmo", "-swift-version", "6", "-module-name",
                "\(target)_eaves_entry", "-I", Path.join(buildFolder(configuration), "Modules"),
                compile.usesColor ? "-color-diagnostics" : "-no-color-diagnostics", added, "-o",
                object,
            ] + compile.searchPaths + configuration.flags
        return targets.map { swiftPM(["--target", $0.name]) }
            + [
                ChildCommand(compile.toolchain.swiftc, entry, environment: environment),
                swiftPM(link + ["-Xlinker", object]),
            ]
    }
}

/// The parts of a `Package.swift` that a build looks at, as `swift package dump-package` prints them.
private struct PackageManifest {
    let root: JSONNode
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

    /// The only dynamic library, or the one that is named like the folder or the module.
    ///
    /// - Throws: If there is none.
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
            : names.lazy.compactMap { name in libraries.first { $0["name"]?.string == name } }.first
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

    /// The folder of a target's sources.
    private func folder(of target: String) -> String {
        let node = root["targets"]?.elements?.first { $0["name"]?.string == target }
        let usual = "Sources/\(target)"
        // The only target of a package can have its sources directly in the folder.
        let isThere = (try? FileStatus(path: Path.join(folder, usual))) != nil
        return node?["path"]?.string ?? (isThere ? usual : "Sources")
    }
}
