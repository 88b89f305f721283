// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
package import EavesJSON

/// What stands in a module's `.note.package`: its declaration, and how it was built.
package struct ModuleNote: Hashable, Sendable {
    /// The owner and type of the note, which other tools know as well.
    ///
    /// See https://uapi-group.org/specifications/specs/package_metadata_for_executable_files.
    package static let owner = "FDO"
    package static let noteType: UInt32 = 0xcafe_1a7e
    /// What tells our notes from those of packages of a distribution.
    package static let type = "eaves"

    /// Whether a note is one that may hold ours.
    static func isPackageNote(_ note: ELFNote) -> Bool {
        note.type == noteType && note.owner == owner
    }

    package var declaration: ModuleDeclaration
    package var tag: BuildTag

    package init(declaration: ModuleDeclaration, tag: BuildTag) {
        self.declaration = declaration
        self.tag = tag
    }

    /// Reads the JSON text of a note.
    package init(json: [UInt8]) throws(NoteProblem) {
        self = try NoteDocument(json).note()
    }

    /// The object that the note holds.
    package var json: JSON {
        var members: [JSON.Member] = []
        if case .object(let declared) = declaration.json { members = declared }
        let machine = tag.target?.split(separator: "-").first.map(String.init)
        return [
            "type": .string(Self.type),
            "name": .string(declaration.id),
            "version": .string(declaration.version),
            "architecture": .string(machine ?? ELFMachine.current.description),
            "eaves": .object(members + tag.members),
        ]
    }
}
