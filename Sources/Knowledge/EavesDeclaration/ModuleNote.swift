// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesELF
package import EavesJSON

/// The content of a module's `.note.package`: its declaration, and how it was built.
package struct ModuleNote: Hashable, Sendable {
    /// The owner of the ELF note. Other tools know it too; see https://uapi-group.org/specifications/specs/package_metadata_for_executable_files.
    package static let owner = "FDO"
    package static let noteType: UInt32 = 0xcafe_1a7e
    /// The value of `type` in the note's JSON, which distributions set to the names of their package formats.
    package static let type = "eaves"

    package var declaration: ModuleDeclaration
    package var tag: BuildTag

    package init(declaration: ModuleDeclaration, tag: BuildTag) {
        self.declaration = declaration
        self.tag = tag
    }

    package var json: JSON {
        let machine = tag.target?.split(separator: "-").first.map(String.init)
        return [
            "type": .string(Self.type),
            "name": .string(declaration.id),
            "version": .string(declaration.version),
            "architecture": .string(machine ?? ELFMachine.current.description),
            "eaves": .object(declaration.members + tag.members),
        ]
    }
}

/// How a module was built: for which ABI, interface and target, with which compiler, from which inputs.
package struct BuildTag: Hashable, Sendable {
    package var abi: Int
    /// `nil` for a module that uses the C ABI alone.
    package var interface: InterfaceVersion?
    /// The Swift compiler, such as `6.3.1`; `nil` for a module in another language.
    package var compiler: String?
    package var target: String?
    /// A digest of everything that the module was built from, in hexadecimal digits.
    package var inputs: String?

    package init(
        abi: Int, interface: InterfaceVersion? = nil, compiler: String? = nil,
        target: String? = nil, inputs: String? = nil
    ) {
        self.abi = abi
        self.interface = interface
        self.compiler = compiler
        self.target = target
        self.inputs = inputs
    }

    /// The tag's members in the note, next to those of the declaration.
    var members: [JSON.Member] {
        JSON.members(present: [
            "abi": .integer(abi), "interface": interface.map { .string($0.description) },
            "compiler": compiler.map(JSON.string), "target": target.map(JSON.string),
            "inputs": inputs.map(JSON.string),
        ])
    }

    /// Parses the tag, and reports problems to `parser`.
    ///
    /// - Returns: `nil` if the ABI version cannot be read.
    init?(_ node: JSONNode, key: String, parser: inout DeclarationParser) {
        interface = parser.interface(of: node, key)
        compiler = parser.optionalText("compiler", of: node, key, .name)
        target = parser.optionalText("target", of: node, key, .name)
        inputs = parser.optionalText("inputs", of: node, key, .name)
        guard let abi = parser.abi(of: node, key) else { return nil }
        self.abi = abi
    }
}

extension DeclarationParser {
    fileprivate mutating func abi(of node: JSONNode, _ key: String) -> Int? {
        guard let value = node["abi"] else {
            report(.missingKey("abi"), key, at: node)
            return nil
        }
        if let abi = value.integer { return abi }
        report(expected: "a whole number", Self.join(key, "abi"), at: value)
        return nil
    }

    fileprivate mutating func interface(of node: JSONNode, _ key: String) -> InterfaceVersion? {
        guard let text = optionalText("interface", of: node, key, .name) else { return nil }
        if let version = InterfaceVersion(text) { return version }
        report(.badInterface(text), Self.join(key, "interface"), at: node)
        return nil
    }
}

extension BinaryReport {
    /// The function that every module exports: the host calls it to let the module register.
    package static let entryName = "eaves_register"

    /// Whether the binary defines the entry point of a module.
    package var hasEntry: Bool { defines(function: Self.entryName) }
}

/// The parsed JSON of a module's note. It is read in steps, so that a host can tell that a module was
/// built for another ABI or interface even if it does not understand the rest.
package struct NoteDocument {
    private let root: JSONNode
    private let content: JSONNode

    /// Finds the module's note among the notes of a file, to which a distribution may have added its own.
    package init(among notes: [ELFNote]) throws(NoteError) {
        var problem = NoteError.absent
        for note in notes where note.type == ModuleNote.noteType && note.owner == ModuleNote.owner {
            do throws(NoteError) {
                self = try NoteDocument(note.content)
                return
            } catch {
                problem = error
            }
        }
        throw problem
    }

    package init(_ bytes: [UInt8]) throws(NoteError) {
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
    case absent
    /// The package note has another type, which is the text.
    case otherType(String)
    case syntax(JSONSyntaxError)
    /// Never empty.
    case declaration([DeclarationProblem])

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
