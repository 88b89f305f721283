// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesDeclaration
package import EavesDiagnostics
import EavesSystem

package struct InterfacePlace: Hashable, Sendable {
    /// Its `.so`, which need not exist yet. Absolute.
    package var file: String
    /// The request to build the file; `nil` if there are no sources of it here.
    package var request: BuildRequest?

    package init(file: String, request: BuildRequest? = nil) {
        self.file = file
        self.request = request
    }
}

/// The interface modules of a project.
package protocol ProjectInterfaces: Sendable {
    func place(of id: String) -> InterfacePlace?
    /// Those that are built, with the protocols of each, for advice.
    var interfaces: [String: InterfaceContent] { get }
    /// The ids of those that are not built, so that their protocols are unknown.
    var unbuiltInterfaces: [String] { get }
    /// The reason why the manifest refuses the file of an interface module: a pin, a signature or a version. `nil` if it
    /// does not.
    func refusal(of id: String) -> Diagnostic?
    /// The modules that were built against an interface module.
    func users(of id: String) -> [InterfaceUserFile]
}

package struct InterfaceLookup: Sendable {
    /// The interface modules that the host's program has linked in. Their textual interfaces lie in
    /// the SDK, next to the host's own.
    package var linked: [ProgramInterface]
    /// Where it has none of an id, a build looks next to the output, and next to the folder.
    let project: (any ProjectInterfaces)?
    /// The folders that are built in the same run, for advice.
    var folders: [String] = []

    package init(linked: [ProgramInterface] = [], in project: (any ProjectInterfaces)? = nil) {
        self.linked = linked
        self.project = project
    }

    /// The modules that were built against an interface module and that this run does not build again.
    func usersElsewhere(of id: String) -> [InterfaceUserFile] {
        (project?.users(of: id) ?? []).filter { user in
            user.folder.map { !folders.contains($0) } ?? true
        }
    }

    /// The place of an interface module that the module of a request names.
    func place(of id: String, for request: BuildRequest) -> InterfacePlace? {
        project?.place(of: id) ?? Self.neighbour(id, of: request)
    }

    /// The owner of an interface that keeps a module from naming the interface; `nil` if it may name it.
    ///
    /// - Parameter user: The declaration of the module that a request builds.
    func foreignOwner(
        _ owner: String?, for user: ModuleDeclaration, _ request: BuildRequest
    ) -> ForeignOwner? {
        guard let owner else { return nil }
        return LayerRule.foreignOwner(owner, for: user) { id in
            declaration(of: id, for: request)?.layer
        }
    }

    /// The same for an interface of which only the id is known.
    func foreignOwner(
        ofInterface id: String, for user: ModuleDeclaration, _ request: BuildRequest
    ) -> ForeignOwner? {
        let interface = linked.first { $0.id == id }
        let owner = interface.map(\.owner) ?? declaration(of: id, for: request)?.owner
        return foreignOwner(owner, for: user, request)
    }

    /// The declaration of a module: the one of its sources, if they are here, else the one of its file.
    private func declaration(of id: String, for request: BuildRequest) -> ModuleDeclaration? {
        guard let place = place(of: id, for: request) else { return nil }
        return (try? place.request?.source().declaration)
            ?? ModuleContent(place.file).note?.declaration
    }

    /// The interface modules that can be named, with the protocols of each.
    func all(for request: BuildRequest) -> [String: InterfaceContent] {
        var all = project?.interfaces ?? [:]
        for folder in Self.folders(of: request) {
            for entry in Self.entries(of: folder) where entry.hasSuffix(".so") {
                let declaration = ModuleContent(Path.join(folder, entry)).note?.declaration
                if let declaration, let content = declaration.interface,
                    all[declaration.id] == nil
                {
                    all[declaration.id] = content
                }
            }
        }
        return all
    }

    /// The interface modules whose sources are known, with the protocols that these declare: those that are
    /// built in the same run, and those next to the output or next to the folder.
    func sources(for request: BuildRequest) -> [InterfaceSources] {
        let neighbours = Self.folders(of: request).flatMap { folder in
            Self.entries(of: folder).map { Path.join(folder, $0) }
        }
        var seen: Set<String> = []
        return (folders + neighbours).filter { seen.insert($0).inserted }
            .compactMap { InterfaceSources($0) }
    }

    /// Looks next to the output, and next to the folder.
    private static func neighbour(_ id: String, of request: BuildRequest) -> InterfacePlace? {
        let folders = folders(of: request)
        let sources = folders.firstNonNil { source(of: id, in: $0, for: request) }
        if let file = folders.firstNonNil({ file(of: id, in: $0) }) {
            var place = InterfacePlace(file: file, request: sources)
            place.request?.output = file
            return place
        }
        return sources.map { InterfacePlace(file: $0.output, request: $0) }
    }

    private static func folders(of request: BuildRequest) -> [String] {
        let folders = [Path.parent(of: request.output), Path.parent(of: request.folder)]
        return folders[0] == folders[1] ? [folders[0]] : folders
    }

    /// The file with this id: `<id>.so`, or another one whose note has the id.
    private static func file(of id: String, in folder: String) -> String? {
        let expected = id + ".so"
        let names = entries(of: folder).filter { $0.hasSuffix(".so") }
        let ordered = names.filter { $0 == expected } + names.filter { $0 != expected }
        let found = ordered.lazy.map { Path.join(folder, $0) }
            .first { ModuleContent($0).note?.declaration.id == id }
        // A damaged file of that name is the one that is meant, and the message says what is wrong.
        let isDamaged =
            names.contains(expected) && ModuleContent(Path.join(folder, expected)).note == nil
        return found ?? (isDamaged ? Path.join(folder, expected) : nil)
    }

    private static func source(
        of id: String, in folder: String, for request: BuildRequest
    ) -> BuildRequest? {
        for name in entries(of: folder) {
            let source = Path.join(folder, name)
            let file = Path.join(source, ModuleDeclaration.fileName)
            guard (try? FileStatus(path: file)) != nil,
                (try? ModuleDeclaration.load(file))?.id == id
            else { continue }
            var found = BuildRequest(
                id: id, folder: source,
                output: Path.join(Path.parent(of: request.output), "\(id).so"), base: request.base)
            found.trust = request.trust
            return found
        }
        return nil
    }

    /// The names in a folder that are not hidden, sorted.
    private static func entries(of folder: String) -> [String] {
        Folder.names(in: folder).filter { !$0.hasPrefix(".") }.sorted()
    }
}

/// The folder of an interface module, read for advice: its `.so` may not exist yet.
struct InterfaceSources {
    let id: String
    /// The folder's public protocols, as far as the text of its sources shows them.
    let content: InterfaceContent

    /// - Returns: `nil` if the folder is not that of an interface module, or cannot be read.
    init?(_ folder: String) {
        let file = Path.join(folder, ModuleDeclaration.fileName)
        guard (try? FileStatus(path: file)) != nil, let source = try? SourceDeclaration.load(file),
            source.declaration.layer == .interface,
            let module = source.swiftModule ?? ModuleName.identifier(Path.name(of: folder))
                ?? ModuleName.identifier(source.declaration.id)
        else { return nil }
        id = source.declaration.id
        let contents = (try? SourceFiles(folder).contents()) ?? []
        let protocols = contents.filter(\.isSwift).flatMap {
            InterfaceText($0.bytes).protocols(of: module)
        }
        content = InterfaceContent(module: module, protocols: Set(protocols).sorted())
    }
}
