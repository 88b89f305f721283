// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesJSON
import EavesSystem

/// Errors of the compiler and the linker that have a remedy which only Eaves knows.
struct CompilerAdvice {
    private let request: BuildRequest
    private let lookup: InterfaceLookup
    private let messages: [Substring]

    init(about output: String, of request: BuildRequest, _ lookup: InterfaceLookup) {
        self.request = request
        self.lookup = lookup
        messages = CompilerOutput(output).errors.map(\.message)
    }

    /// The error to report in the place of "does not compile"; `nil` if there is nothing to add.
    var error: BuildError? {
        for message in messages {
            if let problem = problem(message) {
                return BuildError(request.id, .dependency(problem))
            }
        }
        return nil
    }

    private func problem(_ message: Substring) -> DependencyProblem? {
        if let name = Self.quoted(message, between: "no such module '", and: "'") {
            return .noSuchModule(name: name, place(ofModule: name))
        }
        // Clang about an #include, and about a module map.
        if let header = Self.quoted(message, between: "'", and: "' file not found")
            ?? Self.quoted(message, between: "header '", and: "' not found")
        {
            let search = HeaderSearch()
            if let folder = search.folder(in: request.folder, ofHeader: header) {
                return .ownHeader(header, folder: folder)
            }
            return search.package(ofHeader: header).map { .hiddenHeader(header, package: $0) }
                ?? .missingHeader(header)
        }
        if let library = Self.quoted(message, between: "unable to find library -l", and: nil) {
            return .missingLibraries([library])
        }
        return nil
    }

    /// The text between two others; `nil` if the message does not begin so, or does not end so.
    private static func quoted(
        _ message: Substring, between start: String, and end: String?
    ) -> String? {
        guard message.hasPrefix(start) else { return nil }
        let rest = message.dropFirst(start.count)
        guard let end else { return String(rest) }
        let found = rest.indices.first { rest[$0...].hasPrefix(end) }
        return found.map { String(rest[..<$0]) }
    }

    /// Where the project has something of the name, next to the module.
    private func place(ofModule name: String) -> DependencyProblem.MissingModule {
        if name.hasPrefix("Eaves") { return .ofEaves }
        let interfaces = lookup.all(for: request).filter { $0.value.modules.contains(name) }
        if let id = interfaces.keys.min() { return place(ofInterface: id) }
        let folder = Path.parent(of: request.folder)
        for entry in (try? Folder(folder).entries) ?? [] where !entry.name.hasPrefix(".") {
            let path = Path.join(Path.join(folder, entry.name), ModuleDeclaration.fileName)
            guard let bytes = try? Files.read(path, limit: 1 << 20),
                let node = try? JSONNode.parse(bytes), let id = node["id"]?.string,
                id != request.id
            else { continue }
            let module = node["module"]?.string ?? ModuleName.identifier(entry.name)
            guard module == name else { continue }
            return node["layer"]?.string == "interface"
                ? place(ofInterface: id) : .module(id: id)
        }
        return .unknown
    }

    private func place(ofInterface id: String) -> DependencyProblem.MissingModule {
        let owner = (try? request.declaration).flatMap {
            lookup.foreignOwner(ofInterface: id, for: $0, request)
        }
        return owner.map { .ownedInterface(id: id, $0) } ?? .interface(id: id)
    }
}
