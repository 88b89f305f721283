// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON
import EavesTestSupport
import Testing

@testable import EavesELF

@Suite("The note of a module among the notes of a file")
struct NoteDocumentTests {
    private let ours = ModuleNote(declaration: .sample("users"), tag: .sample)

    private func package(_ text: String) -> ELFNote {
        ELFNote(owner: ModuleNote.owner, type: ModuleNote.noteType, content: Array(text.utf8))
    }

    private var module: ELFNote { package(ours.json.text(pretty: false)) }

    @Test("is found behind another package's note, and before one")
    func anotherPackage() throws {
        let theirs = package(#"{"type":"deb","name":"libc6"}"#)
        for notes in [[theirs, module], [module, theirs], [theirs, package("{"), module]] {
            #expect(try NoteDocument(among: notes).note() == ours)
        }
    }

    @Test("is read whatever the number of its names")
    func manyNames() throws {
        var note = ours
        note.declaration.requires = (0..<30_000).map { "S\($0)" }
        #expect(try ModuleNote(json: Array(note.json.text(pretty: false).utf8)) == note)
    }

    @Test("has a hundred problems at most, and says how many more there are")
    func manyProblems() throws {
        var note = ours
        note.declaration.requires = Array(repeating: "A", count: 5_000)
        let text = note.json.text(pretty: false)
        let error = #expect(throws: NoteError.self) {
            try NoteDocument(among: [package(text)]).note()
        }
        guard case .declaration(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.count == 101)
        #expect(problems.last?.message == "and 4899 more problems")
    }

    @Test("is none of a note with another owner or type, though it says the same")
    func otherNotes() throws {
        let content = module.content
        let others = [
            ELFNote(owner: "GNU", type: ModuleNote.noteType, content: content),
            ELFNote(owner: ModuleNote.owner, type: 3, content: content),
        ]
        #expect(throws: NoteError.absent) { try NoteDocument(among: others) }
        #expect(try NoteDocument(among: others + [module]).note() == ours)
    }

    @Test("is missed with the reason of the last package's note")
    func missing() {
        #expect(throws: NoteError.absent) { try NoteDocument(among: []) }
        let theirs = ["deb", "rpm"].map { package(#"{"type":"\#($0)","name":"libc6"}"#) }
        #expect(throws: NoteError.otherType("rpm")) { try NoteDocument(among: theirs) }
    }
}
