// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

/// The command in a project that an author has just begun.
extension Eaves {
    /// An empty folder, in which a project begins.
    static func emptyFolder() throws -> Eaves {
        let folder = try TemporaryFolder()
        return Eaves(folder: folder.url, owner: folder)
    }

    /// A folder in which a project has begun.
    static func project() throws -> Eaves {
        let eaves = try emptyFolder()
        try eaves("init").expectSuccess()
        return eaves
    }

    /// A file of the project.
    func path(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func text(_ name: String) throws -> String {
        try String(contentsOf: path(name), encoding: .utf8)
    }

    func write(_ text: String, to name: String) throws {
        let place = path(name)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place)
    }

    /// Builds all modules, and expects that the compiler has nothing to say.
    func buildWithoutWarning() throws {
        let outcome = try self("build")
        outcome.expectSuccess()
        #expect(!outcome.errors.contains("warning"), "\(outcome)")
    }
}

extension Eaves.Outcome {
    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(code == 0, "\(self)", sourceLocation: sourceLocation)
    }
}
