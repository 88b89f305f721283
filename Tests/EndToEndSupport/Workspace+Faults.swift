// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

extension Workspace {
    /// Puts a copy of a file into `Plugins`.
    ///
    /// - Parameter name: Its name there; as it is if `nil`.
    func drop(_ file: URL, as name: String? = nil) throws {
        let target = plugins.appendingPathComponent(name ?? file.lastPathComponent)
        // Fixtures and shipped modules replace each other where a test wants that.
        if FileManager.default.fileExists(atPath: target.path) {
            try FileManager.default.removeItem(at: target)
        }
        try FileManager.default.copyItem(at: file, to: target)
    }

    /// Puts a copy of a file into `Plugins` in one step, as a running host needs it.
    func replace(_ name: String, with file: URL) throws {
        try drop(file, as: ".new")
        #expect(rename(path("Plugins/.new"), path("Plugins/\(name)")) == 0)
    }

    /// Puts bytes into a file of `Plugins`.
    func drop(_ bytes: Data, as name: String) throws {
        try bytes.write(to: plugins.appendingPathComponent(name))
    }

    /// The folder as the system names it, without symbolic links.
    var realPath: String { url.resolvingSymlinksInPath().path }

    /// The bytes of a shipped module.
    static func bytes(of id: String) throws -> Data {
        try Data(
            contentsOf: Repository.modules.appendingPathComponent("\(id).so"))
    }

    /// Checks that every shipped module is listed as ready and that `users` runs.
    func expectOthersWork(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let shipped = ["analytics", "home", "login", "users", "users-memory", "users-v2"]
        let ready = Set(try list().modules.filter { $0.state == "ready" }.map(\.id))
        #expect(ready.isSuperset(of: shipped), sourceLocation: sourceLocation)
        let outcome = try eaves("launch", "users")
        #expect(outcome.output == "1 Alice\n2 Bob\n", sourceLocation: sourceLocation)
        #expect(outcome.errors == "", sourceLocation: sourceLocation)
        #expect(outcome.code == 0, sourceLocation: sourceLocation)
    }

    /// Checks that a module is listed in a state, with a problem.
    func expectListed(
        _ path: String, as state: String, _ problem: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let module = try list().modules.first { $0.path == path }
        #expect(module?.state == state, sourceLocation: sourceLocation)
        #expect(module?.problem == problem, sourceLocation: sourceLocation)
    }
}
