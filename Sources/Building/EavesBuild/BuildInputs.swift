// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesSystem

/// The places on the disk that decide whether modules have to be built again. All paths are absolute.
///
/// Two values are equal if a build that failed would fail in the same way, as far as sources and interfaces are
/// the reason.
package struct BuildInputs: Hashable, Sendable {
    /// The folders of the modules, of the interface modules that they name and whose sources are here, and of the
    /// packages elsewhere that they depend on. The sources may lie at any depth.
    package private(set) var folders: [String] = []
    /// Folders with sources that a symbolic link in one of ``folders`` leads to.
    package private(set) var linkedFolders: [String] = []
    /// The files of interfaces that modules were compiled against.
    package private(set) var files: [String] = []
    private var sources: [String: BuildIdentity] = [:]
    /// Those of ``files`` that are there.
    private var interfaces: [String: BuildIdentity] = [:]

    package func hasSource(_ path: String) -> Bool { sources[path] != nil }

    /// These inputs with the interfaces of a later look: they may have been built just before the module that
    /// needs them.
    package func withInterfaces(of later: BuildInputs) -> BuildInputs {
        var inputs = later
        inputs.sources = sources
        return inputs
    }

    fileprivate mutating func add(_ request: BuildRequest) {
        let record = request.records.record
        let dependencies = record?.dependencies ?? []
        folders.append(request.folder)
        folders += dependencies.map { Path.absolute($0, from: request.folder) }
        for interface in record?.interfaces ?? [] {
            let file = request.records.path(ofFolder: interface.file)
            files.append(file)
            interfaces[file] = BuildIdentity(path: file)
        }
        // A folder that is broken at the moment is watched all the same.
        guard let found = try? SourceFiles(request.folder, dependencies: dependencies) else {
            return
        }
        var parents: Set<String> = []
        for file in found.files {
            let path = found.path(of: file.name)
            sources[path] = file.identity
            parents.insert(Path.parent(of: path))
        }
        linkedFolders += parents.sorted().filter { parent in
            guard let folder = folders.last(where: { parent.isInside($0) }) else { return false }
            let resolved = Files.resolved(folder).map {
                Path.join($0, Path.relative(parent, to: folder))
            }
            return parent != folder && Files.resolved(parent) != resolved
        }
    }
}

extension Builder {
    /// The places to watch for changes after these modules were built.
    package func inputs(of requests: [BuildRequest]) -> BuildInputs {
        var inputs = BuildInputs()
        for request in BuildOrder(requests, self).requests { inputs.add(request) }
        return inputs
    }
}

extension String {
    /// Whether a path is that of a folder, or of a file in it.
    fileprivate func isInside(_ folder: String) -> Bool {
        self == folder || utf8.starts(with: (folder + "/").utf8)
    }
}
