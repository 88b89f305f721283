// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesDiagnostics
import EavesJSON
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

/// One file at a time, by `Catalog.inspect`, as `eaves inspect FILE` does it.
@Suite("Looking at one file")
struct CatalogInspectTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func inspect(_ path: String) -> CatalogEntry {
        Catalog.inspect(file: path, profile: .sample)
    }

    private func inspect(_ bytes: [UInt8], as name: String = "users.so") throws -> CatalogEntry {
        inspect(try folder.write(bytes, to: name))
    }

    private func expect(
        _ entry: CatalogEntry, _ state: ModuleState, _ code: FailureCode, _ message: String,
        fix: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(entry.state == state, sourceLocation: sourceLocation)
        #expect(
            entry.diagnostics.map(\.message) == ["\(message) (\(entry.path))"],
            sourceLocation: sourceLocation)
        #expect(entry.diagnostics.map(\.code) == [code], sourceLocation: sourceLocation)
        #expect(
            entry.diagnostics.allSatisfy { $0.fix != nil && $0.fix == fix ?? $0.fix },
            sourceLocation: sourceLocation)
    }

    @Test("a module is ready, with all that its note says")
    func ready() throws {
        let declaration = ModuleDeclaration.sample("users", provides: ["UserService"])
        let path = try folder.add(declaration, as: "any name.so")
        let entry = inspect(path)
        #expect(entry.state == .ready)
        #expect(entry.diagnostics.isEmpty)
        #expect(entry.id == "users")
        #expect(entry.file == path && entry.path == path)
        #expect(entry.declaration == declaration)
        #expect(entry.note?.tag == .sample)
        let status = try FileStatus(path: path)
        #expect(entry.status == status)
        #expect(entry.isAvailable && !entry.isBuildable)
    }

    @Test("what is no shared object is told by what it is")
    func noSharedObject() throws {
        expect(
            try inspect([]), .invalid, .badData,
            "users: expected a shared object, found an empty file",
            fix: "copy it again from where it was built, or remove it")
        let whole = try Binaries.withoutNote.get()
        expect(
            try inspect(Array(whole.prefix(3000))), .invalid, .badData,
            "users: the file is cut short: it needs \(whole.count) bytes and has 3000")
        expect(
            try inspect(Array("hello world".utf8)), .invalid, .badData,
            "users: expected a shared object, found a file that begins with 'hello wo'")
        expect(
            try inspect([0x1b, 0x5b, 0xff]), .invalid, .badData,
            "users: expected a shared object, found a file that begins with '\u{1b}[\u{fffd}'")
        expect(
            try inspect(Binaries.executable.get()), .invalid, .badData,
            "users: expected a shared object, found an executable",
            fix: "build it again with 'eaves build FOLDER', or remove "
                + Path.join(folder.path, "users.so"))
        expect(
            try inspect(Binaries.fixedExecutable.get()), .invalid, .badData,
            "users: expected a shared object, found an executable")
        expect(
            try inspect(Binaries.object.get()), .invalid, .badData,
            "users: expected a shared object, found an object file that is not linked")
    }

    @Test("what is no file is told without waiting for it")
    func noFile() throws {
        let pipe = Path.join(folder.path, "users.so")
        #expect(mkfifo(pipe, 0o600) == 0)
        expect(
            inspect(pipe), .invalid, .badData,
            "users: expected a shared object, found a named pipe",
            fix: "move it away, or give it a name without '.so'")
        expect(
            inspect(try folder.createFolder("sub/users.so")), .invalid, .badData,
            "users: expected a shared object, found a directory")
        expect(
            inspect("/dev/null"), .invalid, .badData,
            "null: expected a shared object, found a device")
        expect(
            inspect(Path.join(folder.path, "sub/none.so")), .missing, .notFound,
            "none: the file is not there", fix: "build it, or correct the path")
        let link = Path.join(folder.path, "dangling.so")
        #expect(symlink("nowhere", link) == 0)
        expect(inspect(link), .missing, .notFound, "dangling: the file is not there")
        let loop = Path.join(folder.path, "loop.so")
        #expect(symlink("loop.so", loop) == 0)
        expect(
            inspect(loop), .invalid, .inputOutput,
            "loop: cannot inspect the file: Too many levels of symbolic links")
    }

    @Test(
        "a file that may not be read is told", .enabled(if: geteuid() != 0, "root reads anything"))
    func unreadable() throws {
        let path = try folder.add(.sample("users"), as: "users.so")
        #expect(chmod(path, 0) == 0)
        expect(
            inspect(path), .invalid, .untrusted, "users: cannot open the file: Permission denied")
    }

    @Test("a module for another machine is incompatible")
    func otherMachine() throws {
        let other: ELFMachine = ELFMachine.current == .aarch64 ? .x86_64 : .aarch64
        let note = ModuleNote(declaration: .sample("users"), tag: .sample)
        let bytes = try Binaries.module(note).patched(18..<20, with: UInt64(other.rawValue))
        let entry = try inspect(bytes)
        expect(
            entry, .incompatible, .incompatible,
            "users: built for \(other), this host is \(ELFMachine.current)")
        #expect(entry.diagnostics.map(\.fix) == ["get a build of it for \(ELFMachine.current)"])
        #expect(
            ([183, 243, 40, 200] as [UInt16]).map { "\(ELFMachine(rawValue: $0))" }
                == ["aarch64", "riscv64", "arm", "machine 200"])
        #expect(entry.note == note)
        expect(
            try inspect(bytes.patched(4..<5, with: 1)), .incompatible, .incompatible,
            "users: built for a 32-bit machine, this host is 64-bit")
        expect(
            try inspect(bytes.patched(5..<6, with: 2)), .incompatible, .incompatible,
            "users: built for a big-endian machine, this host is little-endian")
    }

    @Test("a module for another ABI, interface or compiler is incompatible")
    func otherHost() throws {
        let cases: [(BuildTag, String)] = [
            (BuildTag(abi: 2), "built for ABI version 2, this host has 1"),
            (
                BuildTag(abi: 1, interface: InterfaceVersion(major: 2, minor: 0)),
                "built for interface 2.0, this host has 1.3"
            ),
            (
                BuildTag(abi: 1, interface: InterfaceVersion(major: 1, minor: 4)),
                "built for interface 1.4, this host has 1.3"
            ),
            (
                BuildTag(abi: 1, compiler: "6.4"), "built with Swift 6.4, this host with Swift 6.3"
            ),
        ]
        for (tag, message) in cases {
            let note = ModuleNote(declaration: .sample("users"), tag: tag)
            let entry = try inspect(Binaries.module(note))
            expect(entry, .incompatible, .incompatible, "users: \(message)")
        }
    }

    @Test("that it is for another ABI goes before what only another ABI understands")
    func unreadableForThisHost() throws {
        let note = #"{"type":"eaves","name":"users","eaves":{"abi":2,"provides":{"all":"new"}}}"#
        let entry = try inspect(Binaries.module(note: note))
        expect(
            entry, .incompatible, .incompatible,
            "users: built for ABI version 2, this host has 1")
    }

    @Test("a shared object that does not say it is a module is none")
    func noNote() throws {
        expect(
            try inspect(Binaries.withoutNote.get()), .invalid, .badData,
            "users: no Eaves module: it has no '.note.package' note")
        expect(
            try inspect(Binaries.module(note: #"{"type":"deb","name":"libc6"}"#)), .invalid,
            .badData,
            "users: no Eaves module: its package note is of type 'deb', expected 'eaves'")
        let compiler = try #require(CCompiler.all.first)
        for source in [
            Binaries.source(note: "{}", owner: "GNU"), Binaries.source(note: "{}", type: "1"),
        ] {
            expect(
                try inspect(compiler.compile(source)), .invalid, .badData,
                "users: no Eaves module: it has no '.note.package' note")
        }
    }

    @Test("a note that is broken is told with the place, and each mistake in it")
    func brokenNote() throws {
        expect(
            try inspect(Binaries.module(note: "{\"type\": eaves}")), .invalid, .badData,
            "users: its note is not JSON: 1:10: expected a value, found 'eaves'")
        expect(
            try inspect(Binaries.module(note: [0xff, 0xfe])), .invalid, .badData,
            "users: its note is not JSON: 1:1: the text is not UTF-8: byte 0xff is not allowed here"
        )
        let entry = try inspect(
            Binaries.module(note: #"{"type":"eaves","name":"users","eaves":{"abi":1}}"#))
        #expect(entry.state == .invalid)
        #expect(
            entry.diagnostics.map(\.message) == [
                "users: its note is wrong: eaves: the key 'id' is missing (\(entry.path))",
                "users: its note is wrong: eaves: the key 'version' is missing (\(entry.path))",
                "users: its note is wrong: eaves: the key 'layer' is missing (\(entry.path))",
            ])
    }

    @Test("a note whose two ids differ is wrong")
    func twoIDs() throws {
        let note = ModuleNote(declaration: .sample("users"), tag: .sample).json.text(pretty: false)
        let other = note.replacing(#""name":"users""#, with: #""name":"login""#, maxReplacements: 1)
        #expect(other != note)
        expect(
            try inspect(Binaries.module(note: other)), .invalid, .badData,
            "users: its note is wrong: name: the note's 'name' is 'login', its 'id' is 'users'")
    }

    @Test("a deep or endless note costs neither stack nor time")
    func hostileNote() throws {
        for text in ["[", "{\"a\":", "[[{\"b\":["] {
            let note = String(repeating: text, count: 3900 / text.utf8.count)
            let entry = try inspect(Binaries.module(note: note))
            #expect(entry.state == .invalid)
        }
    }

    @Test("the note is found next to one of a distribution", arguments: [true, false])
    func twoNotes(isFirst: Bool) throws {
        let ours = ModuleNote(declaration: .sample("users"), tag: .sample).json.text(pretty: false)
        let theirs = #"{"type":"deb","name":"libc6"}"#
        let (first, second) = isFirst ? (ours, theirs) : (theirs, ours)
        let source = Binaries.source(note: first)
            .replacing(" note =", with: " first =").replacing(Binaries.entry, with: "")
        let compiler = try #require(CCompiler.all.first)
        let entry = try inspect(
            compiler.compile(source + "\n#undef NOTE\n" + Binaries.source(note: second)))
        #expect(entry.state == .ready)
        #expect(entry.id == "users")
    }

    @Test("a file name that could play tricks on a terminal stays as it is until it is printed")
    func hostileName() throws {
        let entry = try inspect([], as: "a\u{1b}[2J\n.so")
        #expect(entry.id == "a\u{1b}[2J\n")
        #expect(entry.diagnostics.allSatisfy { $0.message.contains("a\u{1b}[2J\n.so") })
    }

    @Test("reads a note that the linker has written", arguments: CCompiler.all)
    func packageMetadata(compiler: CCompiler) throws {
        let note = ModuleNote(
            declaration: .sample("users", provides: ["UserService"], features: ["users"]),
            tag: .sample)
        let text = note.json.text(pretty: false)
        let escaped = compiler.usesLLD ? text.percentEncoded : text
        // The driver would take commas for ends of options.
        let bytes = try compiler.compile(
            Binaries.entry, ["-shared", "-Xlinker", "--package-metadata=\(escaped)"])
        let folder = try TemporaryFolder()
        let file = ModuleContent(try folder.write(bytes, to: "users.so"))
        #expect(file.note == note)
        #expect(file.problem(in: .sample) == nil)
    }
}

extension String {
    fileprivate var percentEncoded: String {
        utf8.map { byte in
            let isPlain = byte < 0x80 && Character(Unicode.Scalar(byte)).isLetter
            return isPlain
                ? String(Unicode.Scalar(byte))
                : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
