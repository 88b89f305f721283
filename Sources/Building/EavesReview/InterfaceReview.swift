// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
package import EavesCode
package import EavesCompiler
package import EavesDeclaration
import EavesJSON
import EavesSystem
import EavesTrust

/// The comparison of one interface module with its baseline, and the version that follows from it.
package struct InterfaceReview: Sendable {
    package let id: String
    package let version: String
    /// `nil` if there is no baseline yet.
    package let baseline: InterfaceBaseline?
    /// The changes since the baseline. Empty without one.
    package let changes: [InterfaceChange]
    /// Whether the textual interface is another one, although nothing that a binary sees has changed.
    package let hasOtherText: Bool

    private let api: InterfaceAPI
    private let request: BuildRequest

    package var broken: Set<InterfaceChange.Party> {
        changes.reduce(into: []) { $0.formUnion($1.breaks) }
    }

    /// The version that follows: a new major one if something breaks, a new minor one if something was
    /// added, else the one of the baseline. `nil` without a baseline.
    package var following: InterfaceVersion? {
        guard let old = baseline?.version else { return nil }
        if !broken.isEmpty { return InterfaceVersion(major: old.major + 1, minor: 0) }
        return changes.isEmpty ? old : InterfaceVersion(major: old.major, minor: old.minor + 1)
    }

    package var hasRightVersion: Bool {
        following.map { $0 == InterfaceVersion.ofModule(version) } ?? true
    }

    init(
        _ request: BuildRequest, version: String, api: InterfaceAPI, baseline: InterfaceBaseline?
    ) {
        self.request = request
        self.version = version
        self.api = api
        self.baseline = baseline
        id = request.id
        changes = baseline.map { InterfaceComparison($0.api, api).changes } ?? []
        hasOtherText = changes.isEmpty && baseline.map { $0.api.text != api.text } ?? false
    }

    /// Writes the version that follows into `module.json`, and the baseline.
    ///
    /// - Parameter given: The version to write; `nil` to find it out.
    /// - Returns: The version that `module.json` has now.
    /// - Throws: If the given version is not the one that follows, or a file cannot be written.
    package func bump(to given: String? = nil) throws(BuildError) -> String {
        let target = try target(given)
        if target != version {
            try BuildError.about(id, BuildCause.place, try writeVersion(target))
        }
        let stamp = InterfaceVersion.ofModule(target) ?? InterfaceVersion(major: 0, minor: 0)
        let new = InterfaceBaseline(version: stamp, api: api)
        if new != baseline {
            try BuildError.about(
                id, BuildCause.place, try new.save(in: request.folder, request.trust))
        }
        return target
    }

    private func target(_ given: String?) throws(BuildError) -> String {
        guard let given else {
            guard let following, !hasRightVersion else { return version }
            return "\(following).0"
        }
        let number = InterfaceVersion.ofModule(given)
        guard NameRule.version.allows(given), let number, following.map({ $0 == number }) ?? true
        else {
            throw BuildError(id, .wrongVersion(given: given, following: following))
        }
        return given
    }

    /// Changes the version and leaves every other byte of the file as it is.
    private func writeVersion(_ version: String) throws(PlaceError) {
        let path = Path.join(request.folder, ModuleDeclaration.fileName)
        let bytes = try PlaceError.wrapping(try Files.read(path))
        var editor: JSONEditor
        do throws(JSONSyntaxError) {
            editor = try JSONEditor(bytes)
            try editor.set(["version"], to: .string(version))
        } catch {
            // The file was read as JSON before: another program is writing it.
            throw .system(SystemError(.read, path, .tryAgain))
        }
        try Output(path, request.trust).replace(with: editor.bytes)
    }
}

extension Builder {
    /// The distributed actors for the protocols of an interface module, which has been built.
    package func distributedCode(for request: BuildRequest) throws(BuildError) -> DistributedCode {
        try InterfaceDump(request: request, interface: interface(of: request).built).distributed()
    }

    private func interface(
        of request: BuildRequest
    ) throws(BuildError) -> (declaration: ModuleDeclaration, built: BuiltInterface) {
        let declaration = try request.declaration
        guard declaration.layer == .interface else {
            throw BuildError(request.id, .notAnInterface(declaration.layer))
        }
        return (declaration, try BuiltInterface(request, declaration, self))
    }

    /// Compares an interface module, which has been built, with its baseline.
    package func review(_ request: BuildRequest) throws(BuildError) -> InterfaceReview {
        let (declaration, interface) = try interface(of: request)
        let baseline = try InterfaceBaseline.load(
            in: request.folder,
            shownAs: Path.join(request.shownFolder, InterfaceBaseline.fileName))
        let api = try InterfaceDump(request: request, interface: interface).api()
        return InterfaceReview(
            request, version: declaration.version, api: api, baseline: baseline)
    }
}

/// The state of an interface that `eaves interface check` compares with: a file in the module's folder,
/// which is committed with the sources.
package struct InterfaceBaseline: Hashable, Sendable {
    package static let fileName = "baseline.json"
    private static let schema = 1
    /// No interface has more declarations. In bytes.
    private static let sizeLimit = 64 << 20

    package var version: InterfaceVersion
    package var api: InterfaceAPI

    /// Reads the baseline of a folder.
    ///
    /// - Returns: `nil` if the folder has none.
    static func load(
        in folder: String, shownAs shown: String
    ) throws(BuildError) -> InterfaceBaseline? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(Path.join(folder, fileName), limit: sizeLimit)
        } catch {
            if error.errno.meansMissing { return nil }
            throw BuildError(shown, .unreadable(error))
        }
        let node = try BuildError.about(
            shown, { (error: JSONSyntaxError) in .badBaseline("\(error)") },
            try JSONNode.parse(bytes))
        guard let baseline = InterfaceBaseline(node) else {
            throw BuildError(shown, .badBaseline("it lacks what 'eaves interface bump' writes"))
        }
        return baseline
    }

    /// Replaces the baseline of a folder in one step.
    func save(in folder: String, _ trust: TrustCheck) throws(PlaceError) {
        let json: JSON = [
            "baseline": .integer(Self.schema), "module": .string(api.module),
            "version": .string(version.description), "text": .string(api.text),
            "declarations": .array(api.declarations.map(\.json)),
        ]
        let text = json.text(pretty: true) + "\n"
        try Output(Path.join(folder, Self.fileName), trust).replace(with: Array(text.utf8))
    }
}

extension InterfaceBaseline {
    private init?(_ node: JSONNode) {
        guard node["baseline"]?.integer == Self.schema, let module = node["module"]?.string,
            let version = node["version"]?.string.flatMap({ InterfaceVersion($0) }),
            let text = node["text"]?.string, let elements = node["declarations"]?.elements
        else { return nil }
        let declarations = elements.compactMap { InterfaceAPI.Declaration($0) }
        guard declarations.count == elements.count else { return nil }
        self.version = version
        api = InterfaceAPI(module: module, declarations: declarations, text: text)
    }
}

/// Asks tools that come with the compiler for the declarations of an interface module that was built.
struct InterfaceDump {
    let request: BuildRequest
    let interface: BuiltInterface

    func distributed() throws(BuildError) -> DistributedCode {
        DistributedCode(
            try interface.tools.symbolGraph(of: interface.module, in: workFolder()),
            of: interface.module, importing: interface.imports,
            foreignTypes: interface.foreignTypes,
            WallReport(ofFile: request.output) ?? WallReport())
    }

    private func workFolder() throws(BuildError) -> WorkFolder {
        let outputs = try BuildError.about(
            request.id, BuildCause.place,
            try request.trust.openWorkplace(Path.parent(of: request.output)))
        return try BuildError.about(
            request.id, BuildCause.unwritable, try WorkFolder(in: outputs, for: "review"))
    }

    func api() throws(BuildError) -> InterfaceAPI {
        let folder = try workFolder()
        let output = Path.join(folder.path, "api.json")
        let name = "swift-api-digester"
        let printed = try interface.tools.run(
            name,
            ["-dump-sdk", "-abi", "-avoid-tool-args", "-o", output]
                + interface.modules.flatMap { ["-module", $0] } + interface.tools.searchOptions,
            in: folder)
        guard let bytes = try? Files.read(output, limit: 256 << 20),
            let node = try? JSONNode.parse(bytes),
            let api = try InterfaceAPI(
                dump: node, modules: interface.modules, text: interface.contentDigest,
                demangle: { symbols throws(BuildError) in try demangled(symbols, in: folder) })
        else { throw interface.tools.failure(of: name, printed) }
        return api
    }

    /// More symbols would make a command line too long.
    private static let symbolsAtOnce = 400

    private func demangled(
        _ symbols: [String], in folder: WorkFolder
    ) throws(BuildError) -> [String: String] {
        let name = "swift-demangle"
        var names: [String: String] = [:]
        var rest = symbols[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(Self.symbolsAtOnce))
            rest = rest.dropFirst(group.count)
            let printed = try interface.tools.run(name, ["-compact"] + group, in: folder)
            let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count >= group.count else {
                throw interface.tools.failure(of: name, printed)
            }
            for (symbol, line) in zip(group, lines) { names[symbol] = String(line) }
        }
        return names
    }
}
