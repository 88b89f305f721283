// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesELF
package import EavesJSON

/// The parsed JSON of a module's note. It is read in steps, so that a host can tell that a module was
/// built for another ABI or interface even if it does not understand the rest.
package struct NoteDocument {
    private let root: JSONNode
    private let content: JSONNode

    /// Finds the module's note among the notes of a file, to which a distribution may have added its own.
    ///
    /// - Throws: ``NoteError`` if there is none.
    package init(among notes: [ELFNote]) throws(NoteError) {
        var problem = NoteError.absent
        for note in notes where ModuleNote.isPackageNote(note) {
            do throws(NoteError) {
                self = try NoteDocument(note.content)
                return
            } catch {
                problem = error
            }
        }
        throw problem
    }

    init(_ bytes: [UInt8]) throws(NoteError) {
        // Linkers and authors fill up the text with zero bytes to a multiple of four.
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

    /// Reads how the module was built.
    ///
    /// - Throws: ``NoteError`` with every problem.
    package func tag() throws(NoteError) -> BuildTag {
        var parser = DeclarationParser(lines: nil, readsNote: true)
        let tag = BuildTag(content, key: "eaves", parser: &parser)
        guard let tag, parser.problems.isEmpty else { throw .declaration(parser.problemsInOrder) }
        return tag
    }

    /// Reads the whole note.
    ///
    /// - Throws: ``NoteError`` with every problem.
    package func note() throws(NoteError) -> ModuleNote {
        var parser = DeclarationParser(lines: nil, readsNote: true)
        let declaration = ModuleDeclaration(content, key: "eaves", parser: &parser)
        let tag = BuildTag(content, key: "eaves", parser: &parser)
        let name = parser.text("name", of: root, "", .moduleID)
        if let declaration, root["name"] != nil, name != declaration.id {
            parser.report(.nameDiffers(name: name, id: declaration.id), "name", at: 0)
        }
        guard let declaration, let tag, parser.problems.isEmpty else {
            throw .declaration(parser.problemsInOrder)
        }
        return ModuleNote(declaration: declaration, tag: tag)
    }
}

/// The reason why a shared object's notes do not make it a module.
package enum NoteError: Error, Hashable, Sendable {
    /// The file has no package note.
    case absent
    /// The package note has another type, which is the text.
    case otherType(String)
    case syntax(JSONSyntaxError)
    /// Never empty.
    case declaration([DeclarationProblem])
}

extension NoteError {
    /// The words, without the name of the file.
    package var message: String {
        switch self {
        case .absent: "no Eaves module: it has no '.note.package' note"
        case .otherType(let type):
            "no Eaves module: its package note is of type \(type.quoted), expected 'eaves'"
        case .syntax(let error): "its note is not JSON: \(error)"
        case .declaration(let problems):
            "its note is wrong: " + problems.map(\.message).joined(separator: "; ")
        }
    }
}
