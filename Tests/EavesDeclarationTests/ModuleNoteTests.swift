// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON
import EavesTestSupport
import Testing

@testable import EavesELF

@Suite("The note in a module")
struct ModuleNoteTests {
    private let note = ModuleNote(
        declaration: .sample("users", provides: ["UserService"], features: ["users"]), tag: .sample)

    private func read(_ text: String) throws(NoteError) -> ModuleNote {
        try NoteDocument(Array(text.utf8)).note()
    }

    private func problem(of text: String) -> NoteError? {
        Result { () throws(NoteError) in try read(text) }.failure
    }

    @Test("has the shape that the contract and other tools know")
    func shape() {
        #expect(
            note.json.text(pretty: false) == """
                {"type":"eaves","name":"users","version":"1.0.0","architecture":"x86_64",\
                "eaves":{"id":"users","version":"1.0.0","summary":"A sample","layer":"feature",\
                "provides":[{"service":"UserService"}],"requires":[],\
                "features":[{"name":"users","summary":"Does users"}],\
                "abi":1,"interface":"1.0","compiler":"6.3.1",\
                "target":"x86_64-unknown-linux-gnu","inputs":"00ff"}}
                """)
    }

    @Test("is the same when it is written and read again, with zero bytes behind it")
    func roundTrip() throws {
        var inC = note
        inC.tag = BuildTag(abi: 1)
        for note in [note, inC] {
            let bytes = Array(note.json.text(pretty: false).utf8)
            #expect(try NoteDocument(bytes).note() == note)
            #expect(try NoteDocument(bytes + [0, 0, 0]).note() == note)
        }
    }

    @Test("may have keys that a newer build writes")
    func unknownKeys() throws {
        let text = note.json.text(pretty: false)
            .replacing("\"abi\":1", with: "\"abi\":1,\"novelty\":{\"a\":[1]}")
            .replacing("\"type\"", with: "\"os\":\"debian\",\"type\"")
        #expect(try read(text) == note)
    }

    @Test(
        "of somebody else is none of ours",
        arguments: [
            (#"{"type":"deb","name":"users"}"#, "deb"), (#"{"name":"users"}"#, ""), ("[]", ""),
        ])
    func otherType(text: String, type: String) {
        #expect(problem(of: text) == .otherType(type))
    }

    @Test(
        "that is no JSON is told with the place",
        arguments: ["", "{", "hello", "{\"type\":\"eaves\",}"])
    func noJSON(text: String) {
        guard case .syntax = problem(of: text) else {
            Issue.record("\(text) was read")
            return
        }
    }

    @Test(
        "each mistake in it is told with its key",
        arguments: [
            (#""eaves":"#, #""other":"#, ["the key 'eaves' is missing"]),
            (#""abi":1"#, #""abi":"1""#, ["eaves.abi: expected a whole number, found a string"]),
            (#""abi":1"#, #""abi":1.5"#, ["eaves.abi: expected a whole number, found a number"]),
            (#""abi":1,"#, "", ["eaves: the key 'abi' is missing"]),
            (
                #""interface":"1.0""#, #""interface":"one""#,
                ["eaves.interface: expected an interface version such as 1.0, found 'one'"]
            ),
            (
                #""compiler":"6.3.1""#, #""compiler":6"#,
                ["eaves.compiler: expected a string, found a number"]
            ),
            (
                #""name":"users""#, #""name":"login""#,
                ["name: the note's 'name' is 'login', its 'id' is 'users'"]
            ),
            (
                #""layer":"feature""#, #""layer":"top""#,
                [
                    "eaves.layer: expected 'interface', 'core', 'feature' or 'composition', found 'top'"
                ]
            ),
        ])
    func mistakes(text: String, replacement: String, messages: [String]) throws {
        let broken = note.json.text(pretty: false).replacing(
            text, with: replacement, maxReplacements: 1)
        guard case .declaration(let problems) = problem(of: broken) else {
            Issue.record("read in spite of \(replacement)")
            return
        }
        #expect(problems.map(\.message) == messages)
    }
}

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
        #expect(try NoteDocument(Array(note.json.text(pretty: false).utf8)).note() == note)
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
