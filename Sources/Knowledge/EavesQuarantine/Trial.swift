// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// A module that a running host has swapped in and still judges. The store knows of it, so that one crash is enough:
/// the next process keeps the module out.
package struct Trial: Hashable, Sendable {
    package let module: SuspectModule
    /// The digest of the file.
    package let sha256: String
    /// The number of the generation.
    package let generation: Int
    /// The binding that led to the module, such as `UserService`; `nil` if it is a new file of the module.
    package let service: String?
    /// The module that provided the service before, and still does if they share it.
    package let from: String?
    /// The process that judges it.
    package let process: Int
    /// The reason why the module is kept out, once its process has crashed: the binding is not taken back yet.
    package internal(set) var failure: String?

    package init(
        _ module: SuspectModule, sha256: String, generation: Int,
        service: String? = nil, from: String? = nil, process: Int
    ) {
        self.module = module
        self.sha256 = sha256
        self.generation = generation
        self.service = service
        self.from = from
        self.process = process
    }
}

extension Trial {
    /// The same as another process judges it.
    package func passed(to process: Int) -> Trial {
        Trial(
            module, sha256: sha256, generation: generation, service: service, from: from,
            process: process)
    }

    /// Reads what ``json`` wrote; `nil` for anything else.
    init?(_ node: JSONNode) {
        guard let id = node["module"]?.string, let path = node["path"]?.string,
            let file = node["file"]?.string, let sha256 = node["sha256"]?.string,
            let generation = node["generation"]?.integer,
            let process = node["process"]?.integer
        else { return nil }
        module = SuspectModule(id: id, path: path, file: file)
        self.sha256 = sha256
        self.generation = generation
        self.process = process
        service = node["service"]?.string
        from = node["from"]?.string
        failure = node["failure"]?.string
    }

    var json: JSON {
        func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        return [
            "module": .string(module.id), "path": .string(module.path),
            "file": .string(module.file), "sha256": .string(sha256),
            "generation": .integer(generation),
            "service": text(service), "from": text(from), "process": .integer(process),
            "failure": text(failure),
        ]
    }

    /// Whether a crash is one of the file that is judged, in whatever process.
    func isCause(of entry: CrashLogEntry) -> Bool {
        module.id == entry.module && sha256 == entry.sha256
    }
}
