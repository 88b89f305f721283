// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesJSON

/// A parsed note of ours, read in steps: a host for another ABI or interface can say so even if it
/// does not understand the rest.
struct NoteDocument {
    private let root: JSONNode
    private let content: JSONNode

    /// Finds our note among those of a file: a distribution may have added its own.
    init(among notes: [ELFNote]) throws(NoteProblem) {
        var problem = NoteProblem.absent
        for note in notes where ModuleNote.isPackageNote(note) {
            do throws(NoteProblem) {
                self = try NoteDocument(note.content)
                return
            } catch {
                problem = error
            }
        }
        throw problem
    }

    init(_ bytes: [UInt8]) throws(NoteProblem) {
        // Linkers and authors end the text with zero bytes, to the next multiple of four.
        let text = bytes.last == 0 ? Array(bytes.prefix { $0 != 0 }) : bytes
        do throws(JSONSyntaxError) {
            root = try JSONNode.parse(text)
        } catch {
            throw .syntax(error)
        }
        let type = root["type"]?.string ?? ""
        guard type == ModuleNote.type else { throw .otherType(type) }
        guard let content = root["eaves"] else {
            throw .declaration([DeclarationProblem(.missingKey("eaves"))])
        }
        self.content = content
    }

    /// How the module was built.
    func tag() throws(NoteProblem) -> BuildTag {
        var reader = DeclarationReader(lines: nil, allowsUnknownKeys: true)
        let tag = BuildTag(content, key: "eaves", reader: &reader)
        guard let tag, reader.problems.isEmpty else { throw .declaration(reader.problems) }
        return tag
    }

    /// The whole note, with all that is wrong in it if something is.
    func note() throws(NoteProblem) -> ModuleNote {
        var reader = DeclarationReader(lines: nil, allowsUnknownKeys: true)
        let declaration = ModuleDeclaration(content, key: "eaves", reader: &reader)
        let tag = BuildTag(content, key: "eaves", reader: &reader)
        let name = reader.text("name", of: root, "", .moduleID)
        if let declaration, root["name"] != nil, name != declaration.id {
            reader.report(.nameDiffers(name: name, id: declaration.id), "name", at: 0)
        }
        guard let declaration, let tag, reader.problems.isEmpty else {
            throw .declaration(reader.problems)
        }
        return ModuleNote(declaration: declaration, tag: tag)
    }
}
