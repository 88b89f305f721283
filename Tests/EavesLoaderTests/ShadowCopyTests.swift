// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesLoader

@Suite("Private copies of modules", .onOwnThreads)
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

    private func entries() throws -> [String] {
        try Folder(folder.file(".eaves/modules")).entries.map(\.name)
    }

    private func names() throws -> [String] { try entries().filter { $0.hasSuffix(".so") } }

    /// The links, which say what the store knows of files.
    private func links() throws -> [String] { try entries().filter { !$0.hasSuffix(".so") } }

    /// Waits until a later change of the original is certain to give it other times.
    private func settle() throws {
        try Patience.wait(for: "a later tick of the file system's clock") {
            FileIdentity(try FileStatus(path: original)).isSettled(at: WallClock.now)
        }
    }

    @discardableResult
    private func make(_ id: String = "users") throws -> PrivateCopy {
        try copies.make(of: original, id: id, .own)
    }

    private func clean() throws {
        CopyIndex(project: folder.path).clean(try OpenFolder(folder.file(".eaves/modules")))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path), as: UTF8.self)
    }

    @Test("have the bytes of the original, and only their owner can read them")
    func copy() throws {
        let made = try make()
        #expect(try text(made.path) == "the module")
        #expect(try FileStatus(path: made.path).mode == 0o500)
        #expect(try FileStatus(path: folder.file(".eaves/modules")).mode == 0o700)
        #expect(try FileStatus(path: folder.file(".eaves")).mode == 0o700)
        #expect(try text(made.ownPath) == "the module")
        #expect(ShadowCopy.folder(in: store) == folder.file(".eaves/modules"))
        #expect(try names() == [Path.name(of: made.path)])
        let digest = SHA256.digest(of: Array("the module".utf8))
        #expect(made.digest == digest)
        #expect(Path.name(of: made.path) == "users@\(digest.hex).so")
    }

    @Test("are used again as long as the original does not change")
    func again() throws {
        let first = try make().path
        let before = try FileStatus(path: first)
        let second = try make().path
        #expect(second == first)
        #expect(try FileStatus(path: second) == before)
    }

    @Test(
        "are not read again once they have passed their checks, as long as they and the terms are the same"
    )
    func passed() throws {
        let terms = CheckTerms(catalog: "1", isIsolated: false)
        func finding(_ terms: CheckTerms) throws -> String? {
            try copies.make(of: original, id: "users", passedOn: terms, .own).finding
        }
        let copy = try make()
        try settle()
        // Another change of a copy that changed just now may not show.
        let later = timespec(tv_sec: WallClock.second + 60 * 60, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, copy.path, [later, later], 0) == 0)
        copies.note(copy, id: "users", passedOn: terms, finding: "too early")
        #expect(try finding(terms) == nil)
        #expect(utimensat(AT_FDCWD, copy.path, [timespec(), timespec()], 0) == 0)
        try Patience.wait(for: "a copy whose next change will show") {
            copies.note(copy, id: "users", passedOn: terms, finding: "a symbol")
            return try finding(terms) == "a symbol"
        }
        #expect(try finding(CheckTerms(catalog: "1", isIsolated: true)) == nil)
        #expect(try finding(CheckTerms(catalog: "2", isIsolated: false)) == nil)
        #expect(try make().finding == nil)
        // Other bytes with the same size and the same times, as far as a program can set them.
        let status = try FileStatus(path: copy.path)
        chmod(copy.path, 0o700)
        let file = open(copy.path, O_WRONLY)
        pwrite(file, "THE", 3, 0)
        let time = timespec(
            tv_sec: Int(status.modified / 1_000_000_000),
            tv_nsec: Int(status.modified % 1_000_000_000))
        futimens(file, [time, time])
        close(file)
        chmod(copy.path, 0o500)
        #expect(try FileStatus(path: copy.path).modified == status.modified)
        let anew = try copies.make(of: original, id: "users", passedOn: terms, .own)
        #expect(anew.finding == nil)
        #expect(try text(anew.path) == "the module")
        try clean()
        #expect(try entries().filter { $0.hasPrefix(".") } == [])
    }

    @Test("are made of the file that is known, and of no other one that has its name meanwhile")
    func otherState() throws {
        let known = FileIdentity(try FileStatus(path: original))
        let made = try copies.make(of: original, id: "users", as: known, .own)
        #expect(try text(made.path) == "the module")
        try folder.write("another", to: "other.so")
        #expect(rename(folder.file("other.so"), original) == 0)
        #expect(throws: ChangingFileError.self) {
            try copies.make(of: original, id: "users", as: known, .own)
        }
        #expect(try text(copies.make(of: original, id: "users", .own).path) == "another")
    }

    @Test("are whole, although the original's name goes to another file while it is read")
    func exchangedWhileRead() throws {
        let contents = ["1", "2"].map { String(repeating: $0, count: 300_000) }
        for (number, content) in contents.enumerated() {
            try folder.write(content, to: "\(number)")
        }
        try folder.write(contents[0], to: "users.so")
        // The name changes once while each copy is made: more often, and it would be refused in the end.
        let rounds = Soak.rounds(2_000)
        let (begins, isRenamed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue(label: "renames").async {
            for number in 0..<rounds {
                guard begins.wait(timeout: .now() + Patience.seconds) == .success else { return }
                _ = link(folder.file("\(number % 2)"), folder.file("link"))
                _ = rename(folder.file("link"), original)
                isRenamed.signal()
            }
        }
        var texts: Set<String> = []
        for _ in 0..<rounds {
            begins.signal()
            let copy = try ShadowCopy(in: nil).make(of: original, id: "users", .own)
            texts.insert(try text(copy.path))
            try #require(isRenamed.wait(timeout: .now() + Patience.seconds) == .success)
        }
        #expect(texts.subtracting(contents) == [])
    }

    @Test("serve every file of the same content, and every host")
    func sameContent() throws {
        let first = try make()
        try folder.write("the module", to: "users.so")
        #expect(try make().path == first.path)
        let other = ShadowCopy(in: store)
        #expect(try other.make(of: original, id: "users", .own).path == first.path)
        #expect(try names().count == 1)
    }

    @Test("are found without reading the file once it is known, wherever the project is")
    func known() throws {
        try settle()
        let copy = try make()
        let link = try #require(try links().first)
        #expect(
            try Files.target(ofLink: folder.file(".eaves/modules/\(link)"))
                == copy.digest.hex + ":users.so")
        // Whoever reads the file would find out that this is wrong.
        try Files.remove(folder.file(".eaves/modules/\(link)"))
        let other = SHA256.digest(of: Array("THE MODULE".utf8))
        #expect(symlink("\(other.hex):users.so", folder.file(".eaves/modules/\(link)")) == 0)
        try folder.write("THE MODULE", to: ".eaves/modules/users@\(other.hex).so")
        try Files.setMode(0o500, of: folder.file(".eaves/modules/users@\(other.hex).so"))
        #expect(try make().digest == other)
    }

    @Test("are kept for a module of another project whose path begins with that of this one")
    func neighbour() throws {
        let neighbour = folder.path + "-2"
        try Files.createFolder(neighbour)
        defer { try? Files.removeTree(neighbour) }
        let file = Path.join(neighbour, "users.so")
        try Files.replace(file, with: Array("the neighbour".utf8))
        let status = try FileStatus(path: file)
        let index = CopyIndex(project: folder.path)
        let kept = try OpenFolder(try folder.createFolder("copies"))
        let digest = SHA256.digest(of: Array("the neighbour".utf8))
        try index.note(digest, of: status, at: file, id: "users", in: kept)
        index.clean(kept)
        #expect(index.digest(of: status, id: "users", in: kept) == digest)
    }

    @Test("are not noted for a file that may change within the same tick of the clock")
    func unsettled() throws {
        // A time in the future is never settled.
        let soon = timespec(tv_sec: time(nil) + 1000, tv_nsec: 1)
        #expect(utimensat(AT_FDCWD, original, [soon, soon], 0) == 0)
        try make()
        #expect(try links() == [])
        #expect(try names().count == 1)
    }

    @Test(
        "whose bytes were changed are noticed before they are used, and made anew",
        arguments: ["THE MODULE", "", "the module and more"])
    func changedBytes(text: String) throws {
        try settle()
        let copy = try make()
        let path = copy.path
        try Files.setMode(0o700, of: path)
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
        try Files.setMode(0o500, of: path)
        let again = try make()
        #expect(again.path == path)
        #expect(try self.text(path) == "the module")
        #expect(try self.text(again.ownPath) == "the module")
    }

    @Test("that no file leads to go when nobody uses them, and those of other modules stay")
    func changed() throws {
        try settle()
        let other = try make("users-v2").path
        var first: PrivateCopy? = try make()
        let old = try #require(first?.path)
        try folder.write("a new module", to: "new")
        #expect(rename(folder.file("new"), original) == 0)
        try settle()
        let second = try make().path
        #expect(second != old)
        #expect(try text(second) == "a new module")
        try clean()
        // A host has it open.
        #expect(try names() == [old, second].map(Path.name).sorted())
        #expect(try text(old) == "the module")
        first = nil
        // A child that another test starts at this moment may have the descriptors of this process.
        try Patience.wait(for: "the end of the first copy") {
            try clean()
            return try names() == [Path.name(of: second)]
        }
        #expect(try links().count == 1)
        // Both were copies of the one file, whose content is another one by now.
        #expect((try? FileStatus(path: other)) == nil)
        try Files.remove(original)
        try Patience.wait(for: "the end of all copies") {
            try clean()
            return try entries() == []
        }
    }

    /// Makes a file that was never locked, as those are whose process is gone. `Files` locks what it writes, and a child
    /// that another test starts at this instant has that lock until it runs its program.
    private func leave(_ name: String) throws {
        let path = folder.file(".eaves/modules/\(name)")
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FixtureError("cannot make \(path)") }
        close(file)
    }

    @Test("clean what killed processes have left, and what is no copy")
    func leftovers() throws {
        try settle()
        let copy = try make().path
        let modules = folder.file(".eaves/modules")
        for name in [".users@0.so.eaves-abc", "users@1g7c-1e68.so", "nothing"] { try leave(name) }
        #expect(symlink("/nowhere", modules + "/users@x.so") == 0)
        #expect(symlink("no digest", modules + "/users@y") == 0)
        try Files.createFolder(folder.file(".eaves/modules/folder.so"))
        try clean()
        let link = try #require(try links().first)
        #expect(try entries() == [link, Path.name(of: copy), "folder.so"].sorted())
    }

    @Test("clean themselves with the first copy that a process makes, and after a day of rest")
    func occasions() throws {
        try settle()
        try Files.createFolder(folder.file(".eaves/modules"))
        try Files.setMode(0o700, of: folder.file(".eaves"))
        try Files.setMode(0o700, of: folder.file(".eaves/modules"))
        try leave("users@1.so")
        let copy = try make().path
        #expect(try names() == [Path.name(of: copy)])
        let before = timespec(tv_sec: time(nil) - 25 * 60 * 60, tv_nsec: 0)
        for isFirst in [true, false] {
            try leave("users@2.so")
            #expect(utimensat(AT_FDCWD, folder.file(".eaves/modules"), [before, before], 0) == 0)
            try make()
            // A process looks at the age of the folder once.
            #expect(try names().count == (isFirst ? 1 : 2))
            let modified = try FileStatus(path: folder.file(".eaves/modules")).modified
            #expect((modified > WallClock.now - 60 * 60 * 1_000_000_000) == isFirst)
        }
    }

    @Test("are looked through once after a day of rest, also if all of them are in use")
    func rest() throws {
        try settle()
        let path = folder.file(".eaves/modules")
        try make()
        let before = WallClock.now - 25 * 60 * 60 * 1_000_000_000
        let time = timespec(tv_sec: Int(before / 1_000_000_000), tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        CopyIndex(project: folder.path).cleanIfOld(try OpenFolder(path), now: WallClock.now)
        #expect(try FileStatus(path: path).modified > before + 1_000_000_000)
    }

    @Test("of modules that were refused go, unless another host uses them")
    func discarded() throws {
        let copy = try make()
        var other: PrivateCopy? = try make()
        copies.discard(copy)
        #expect(try names() == [Path.name(of: copy.path)])
        #expect(other != nil)
        other = nil
        // A child that another test starts at this instant has the other one until it runs its program.
        try Patience.wait(for: "the removal of the copy") {
            copies.discard(copy)
            return try names() == []
        }
    }

    @Test(
        "that others could have written are made anew, and only their owner can read them then",
        arguments: [0o777, 0o522, 0o520, 0o502] as [UInt32], ["THE MODULE", "the module"])
    func writableByOthers(mode: UInt32, content: String) throws {
        let copy = try make().path
        try Files.setMode(0o700, of: copy)
        try Files.replace(copy, with: Array(content.utf8))
        try Files.setMode(mode, of: copy)
        #expect(try make().path == copy)
        #expect(try text(copy) == "the module")
        #expect(try FileStatus(path: copy).mode == 0o500)
    }

    @Test("that another user owns are made anew", .enabled(if: Accounts.current == 0, "needs root"))
    func foreignOwner() throws {
        // Its content is right, and its owner can change that.
        let copy = try make().path
        #expect(chown(copy, 4_321, 4_321) == 0)
        #expect(try make().path == copy)
        #expect(try text(copy) == "the module")
        let status = try FileStatus(path: copy)
        #expect(status.isOwnedByUser && status.mode == 0o500)
    }

    @Test("that are incomplete, or a link to another file, are made anew")
    func noCopy() throws {
        let copy = try make().path
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
            #expect(try make().path == copy)
            #expect(try text(copy) == "the module", "\(name)")
            #expect(try FileStatus(link: copy).kind == .file)
        }
        #expect(try text(elsewhere) == "THE MODULE")
    }

    @Test("are made in memory where the folder cannot be created")
    func inMemory() throws {
        try folder.write("no folder", to: ".eaves")
        let first = try make()
        let second = try make()
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
        let copy = try make().path
        try Files.remove(copy)
        try Files.createFolder(copy)
        let made = try make()
        #expect(made.path.hasPrefix("/proc/self/fd/"))
        #expect(try text(made.path) == "the module")
    }

    @Test("cannot be made of a file that is not there")
    func missing() throws {
        #expect(throws: SystemError.self) {
            try copies.make(of: folder.file("none.so"), id: "users", .own)
        }
        #expect(throws: SystemError.self) { try names() }
    }
}
