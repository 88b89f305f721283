// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesSystem

struct BuildRecipe {
    let request: BuildRequest
    let declaration: ModuleDeclaration
    let configuration: BuildConfiguration
    /// The files as they were before any of them was read.
    let sources: SourceFiles
    let sourcesDigest: String
    var method: BuildMethod
    /// The headers and libraries of C that the module uses.
    let c: CSettings
    let tools: BuildTools
    let moduleName: String
    let interfaces: [InterfaceFile]

    /// The target of a package that the added entry point has to import; `nil` if the entry point is
    /// compiled with the sources.
    var importedByEntryPoint: PackageBuild.Target? {
        guard case .package(let package, .added(let type)) = method else { return nil }
        return package.target(of: type.file)
    }

    func inputs(of contents: [SourceFiles.Content]) -> String {
        var digest = InputDigest()
        digest.add(method.flags(configuration).joined(separator: "\0").utf8)
        digest.add(tools.compiler.versionLine.utf8)
        digest.add(tools.compiler.target.utf8)
        digest.add((tools.wrapperDigest ?? "").utf8)
        for variable in tools.toolchain.deciding { digest.add(variable.utf8) }
        digest.add(tools.sdkContent.interface)
        digest.add(tools.sdkContent.header)
        digest.add(moduleName.utf8)
        digest.add(Path.name(of: request.folder).utf8)
        for interface in interfaces { digest.add(interface.digest.utf8) }
        if isInterface { digest.add(CrossingCode.version.utf8) }
        digest.add(contents)
        // The rest of it stands in module.json.
        if let packages = c.packages {
            for argument in packages.compilerArguments + packages.linkerArguments {
                digest.add(argument.utf8)
            }
        }
        if let added = method.entryPoint?.source(shownAs: "") { digest.add(added.utf8) }
        return digest.finalize()
    }

    static func digest(of contents: [SourceFiles.Content]) -> String {
        var digest = InputDigest()
        digest.add(contents)
        return digest.finalize()
    }

    /// The record of an output that was made by this recipe.
    ///
    /// - Parameters:
    ///   - now: A time before the sources were last read, in nanoseconds since 1970.
    ///   - text: The textual interface of an interface module.
    func record(
        _ inputs: String, output: BuiltFile, at now: Int64, text: InterfaceText? = nil
    ) -> BuildRecord {
        let place = request.records
        return BuildRecord(
            folder: place.name(ofFolder: request.folder),
            output: output, configuration: configuration, inputs: inputs,
            files: sources.settled(at: now), dependencies: sources.dependencies,
            sources: sourcesDigest,
            sdk: tools.sdkContent.identity, sdkContent: tools.sdkContent.digest,
            compiler: tools.compilerIdentity, environment: tools.toolchain.deciding,
            interfaces: interfaces.map { file in
                UsedInterface(
                    id: file.id, file: place.name(ofFolder: file.path), identity: file.identity,
                    digest: file.digest)
            },
            texts: interfaces.filter { !$0.isLinked }.map(\.text.digest)
                + [text?.digest].compactMap(\.self))
    }

    var isInterface: Bool { declaration.layer == .interface }

    /// The names for the folders that do not change from build to build: SwiftPM compiles all anew for other options.
    var folderNames: [(folder: String, name: String)] {
        let folder = Files.resolved(request.folder) ?? request.folder
        let own = [
            (method.scratch, "packages"), (tools.sdk.moduleFolder, "eaves"),
            (Path.parent(of: tools.sdk.header), "eaves"),
            (Path.parent(of: tools.sdk.moduleMap), "eaves"),
            (tools.compiler.toolFolder.map(Path.parent), "swift"),
        ].compactMap { folder, name in folder.map { ($0, name) } }
        return own
            + sources.dependencies.map { (Path.absolute($0, from: folder), Path.name(of: $0)) }
            + [folder, request.folder].map { (Path.parent(of: $0), ".") }
    }

    /// The note that is embedded in the module: the declaration, and what the build adds to it.
    ///
    /// - Parameter content: The content of the textual interface of an interface module.
    func note(_ inputs: String, content: InterfaceContent? = nil) -> ModuleNote {
        var declaration = declaration
        declaration.interface = content
        var tag = BuildTag(
            abi: tools.versions.abi, target: tools.compiler.target, inputs: inputs)
        // A module without Swift needs neither the interface nor a compiler of the host's series.
        if method.hasSwift {
            tag.interface = tools.versions.interface
            tag.compiler = tools.compiler.version
        }
        return ModuleNote(declaration: declaration, tag: tag)
    }
}

/// Computes a digest of everything that a module is built from: equal inputs make equal modules.
private struct InputDigest {
    /// To be changed with the way modules are built, so that all of them are built anew.
    private static let recipe = "eaves-build-6"

    private var hash = SHA256()

    init() {
        add(Self.recipe.utf8)
    }

    /// Adds the length before the bytes, so that the same bytes, divided differently, have another digest.
    mutating func add(_ bytes: some Collection<UInt8>) {
        let count = UInt64(bytes.count)
        hash.update((0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
        hash.update(bytes)
    }

    mutating func add(_ contents: [SourceFiles.Content]) {
        for content in contents {
            add(content.name.utf8)
            add(content.bytes)
        }
    }

    consuming func finalize() -> String {
        hash.finalize().hex
    }
}

extension SDKContent {
    /// The digest of what modules depend on.
    var digest: String {
        var digest = InputDigest()
        digest.add(interface)
        digest.add(header)
        return digest.finalize()
    }
}

/// The way in which the sources of a module become one shared object.
enum BuildMethod {
    /// Sources in Swift, with sources in C and C++ that are compiled before them, if there are any.
    case swift(EntryPoint, CSources)
    case c(CSources)
    case package(PackageBuild, EntryPoint)
    case crate(CrateBuild)

    /// How the module gets its entry point; `nil` if only the linked file shows whether it has one.
    var entryPoint: EntryPoint? {
        switch self {
        case .swift(let entryPoint, _), .package(_, let entryPoint): entryPoint
        case .c, .crate: nil
        }
    }

    /// Whether the module may use the interface.
    var hasSwift: Bool { entryPoint != nil }

    /// Whether all output of the compilers waits until the module is done, since the error may take its
    /// place: a header that is missing is told in one line.
    var holdsOutput: Bool {
        switch self {
        case .swift(_, let sources): !sources.files.isEmpty || !sources.moduleMaps.isEmpty
        case .c: true
        case .package, .crate: false
        }
    }

    /// Whether several compilers that report the same mistake are run for the same source.
    var repeatsMessages: Bool {
        if case .package = self { true } else { false }
    }

    /// The build program that compiles the module, and all that it depends on; `nil` for a compiler.
    var program: String? {
        switch self {
        case .package: "swift build"
        case .crate: "cargo build"
        case .swift, .c: nil
        }
    }

    /// The folder with what another build program has compiled, and takes again; `nil` if there is none.
    var scratch: String? {
        get {
            switch self {
            case .package(let package, _): package.scratch
            case .crate(let crate): crate.scratch
            case .swift, .c: nil
            }
        }
        set {
            switch (self, newValue) {
            case (.package(var package, let entry), let path?):
                package.scratch = path
                self = .package(package, entry)
            case (.crate(var crate), let path?):
                crate.scratch = path
                self = .crate(crate)
            default: break
            }
        }
    }

    /// The options that make a difference to the module.
    func flags(_ configuration: BuildConfiguration) -> [String] {
        switch self {
        case .swift(_, let sources):
            CompileCommand.flags(configuration)
                + (sources.files.isEmpty ? [] : CSources.flags(configuration))
        case .c: CSources.flags(configuration)
        case .package(let package, _): package.flags(configuration)
        case .crate: CrateBuild.flags(configuration)
        }
    }
}
