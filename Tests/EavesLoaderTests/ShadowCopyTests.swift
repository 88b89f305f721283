// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import EavesTrust
import Glibc
import Testing

@Suite("Private copies of modules")
struct ShadowCopyTests {
    private let folder: TemporaryFolder
    private let store: Store
    private let copies: ShadowCopy
    private let original: String

    init() throws {
        folder = try TemporaryFolder()
        store = Store(of: folder.path, .own)
        copies = ShadowCopy(in: store)
        original = try folder.write("the module", to: "users.so")
    }

    private func names() throws -> [String] {
        try Folder(folder.file(".eaves/modules")).entries.map(\.name)
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path), as: UTF8.self)
    }

    @Test("have the bytes of the original, and only their owner can read them")
    func copy() throws {
        let made = try copies.make(of: OpenFile(reading: original), id: "users")
        #expect(try text(made.path) == "the module")
        #expect(try FileStatus(path: made.path).mode == 0o500)
        #expect(try FileStatus(path: folder.file(".eaves/modules")).mode == 0o700)
        #expect(try FileStatus(path: folder.file(".eaves")).mode == 0o700)
        #expect(try text(made.ownPath) == "the module")
        #expect(ShadowCopy.folder(in: store) == folder.file(".eaves/modules"))
        #expect(try names() == [Path.name(of: made.path)])
        #expect(Path.name(of: made.path).hasPrefix("users@"))
        #expect(Path.name(of: made.path).hasSuffix(".so"))
    }

    @Test("are used again as long as the original does not change")
    func again() throws {
        let first = try copies.make(of: OpenFile(reading: original), id: "users").path
        let before = try FileStatus(path: first)
        let second = try copies.make(of: OpenFile(reading: original), id: "users").path
        #expect(second == first)
        #expect(try FileStatus(path: second) == before)
    }

    @Test("of an earlier state are removed, those of other modules are not")
    func changed() throws {
        let other = try copies.make(of: OpenFile(reading: original), id: "users-v2").path
        let first = try copies.make(of: OpenFile(reading: original), id: "users").path
        let loaded = try OpenFile(reading: first)
        try folder.write("a new module", to: "users.so")
        let second = try copies.make(of: OpenFile(reading: original), id: "users").path
        #expect(second != first)
        #expect(try text(second) == "a new module")
        #expect(try names() == [Path.name(of: other), Path.name(of: second)].sorted())
        // A host that has loaded the earlier copy still has its content.
        #expect(try loaded.bytes(at: 0, count: 100) == Array("the module".utf8))
    }

    @Test(
        "that others could have written are made anew, and only their owner can read them then",
        arguments: [0o777, 0o522, 0o520, 0o502] as [UInt32])
    func writableByOthers(mode: UInt32) throws {
        let copy = try copies.make(of: OpenFile(reading: original), id: "users").path
        try Files.setMode(0o700, of: copy)
        try Files.replace(copy, with: Array("THE MODULE".utf8))
        try Files.setMode(mode, of: copy)
        #expect(try copies.make(of: OpenFile(reading: original), id: "users").path == copy)
        #expect(try text(copy) == "the module")
        #expect(try FileStatus(path: copy).mode == 0o500)
    }

    @Test("that another user owns are made anew", .enabled(if: Accounts.current == 0))
    func foreignOwner() throws {
        let copy = try copies.make(of: OpenFile(reading: original), id: "users").path
        try Files.setMode(0o700, of: copy)
        try Files.replace(copy, with: Array("THE MODULE".utf8))
        try Files.setMode(0o500, of: copy)
        #expect(chown(copy, 4_321, 4_321) == 0)
        #expect(try copies.make(of: OpenFile(reading: original), id: "users").path == copy)
        #expect(try text(copy) == "the module")
        let status = try FileStatus(path: copy)
        #expect(status.isOwnedByUser && status.mode == 0o500)
    }

    @Test("that are incomplete, or a link to another file, are made anew")
    func noCopy() throws {
        let copy = try copies.make(of: OpenFile(reading: original), id: "users").path
        let elsewhere = try folder.write("THE MODULE", to: "elsewhere.so")
        let damage: [(String, () throws -> Void)] = [
            ("short", { try Files.replace(copy, with: Array("the".utf8)) }),
            (
                "link",
                {
                    try Files.remove(copy)
                    #expect(symlink(elsewhere, copy) == 0)
                }
            ),
        ]
        for (name, cause) in damage {
            try Files.setMode(0o700, of: copy)
            try cause()
            #expect(try copies.make(of: OpenFile(reading: original), id: "users").path == copy)
            #expect(try text(copy) == "the module", "\(name)")
            #expect(try FileStatus(link: copy).kind == .file)
        }
        #expect(try text(elsewhere) == "THE MODULE")
    }

    @Test("are made in memory where the folder cannot be created")
    func inMemory() throws {
        try folder.write("no folder", to: ".eaves")
        let first = try copies.make(of: OpenFile(reading: original), id: "users")
        let second = try copies.make(of: OpenFile(reading: original), id: "users")
        #expect(first.path != second.path)
        for copy in [first, second] {
            #expect(copy.path.hasPrefix("/proc/self/fd/"))
            #expect(try text(copy.path) == "the module")
            // Nobody can change it, not even its owner.
            #expect(truncate(copy.path, 1) != 0 && errno == EPERM)
        }
    }

    @Test("are made in memory where a folder has the name of the copy")
    func folderOfThatName() throws {
        let copy = try copies.make(of: OpenFile(reading: original), id: "users").path
        try Files.remove(copy)
        try Files.createFolder(copy)
        let made = try copies.make(of: OpenFile(reading: original), id: "users")
        #expect(made.path.hasPrefix("/proc/self/fd/"))
        #expect(try text(made.path) == "the module")
    }

    @Test("cannot be made of a file that is not there")
    func missing() throws {
        let none = folder.file("none.so")
        #expect(throws: SystemError(.open, none, .noSuchFile)) {
            try copies.make(of: OpenFile(reading: none), id: "users")
        }
        #expect(throws: SystemError.self) { try names() }
    }
}
