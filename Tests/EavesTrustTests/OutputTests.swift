// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

@Suite("A file that is written")
struct OutputTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.createFolder("shared")
        try folder.write("precious", to: "mine")
    }

    private func write(_ name: String) throws {
        try Output(folder.file(name)).replace(with: "new".utf8)
    }

    /// What keeps the file from being written.
    private func error(_ name: String) -> PlaceError? {
        do {
            try write(name)
            return nil
        } catch {
            return error as? PlaceError
        }
    }

    private func isRefusedForLink(_ name: String) -> Bool {
        guard case .untrusted(.link(let place)) = error(name) else { return false }
        return place.role == .output
    }

    @Test("keeps the permissions of the one that it replaces, also behind a link of one's own")
    func replaces() throws {
        try write("new")
        #expect(try FileStatus(path: folder.file("new")).mode == 0o644)
        try Files.setMode(0o600, of: folder.file("mine"))
        try folder.link("link", to: "mine")
        try write("link")
        #expect(try FileStatus(link: folder.file("link")).kind == .link)
        #expect(try folder.read("mine") == "new")
        #expect(try FileStatus(path: folder.file("mine")).mode == 0o600)
        try folder.link("early", to: "late")
        try write("shared/../early")
        #expect(try folder.read("late") == "new")
    }

    /// An access control list: its owner, another user, its group, a mask, and all others.
    private static let list: [UInt8] =
        [2, 0, 0, 0]
        + [(1, 6, 255), (2, 4, 7), (4, 4, 255), (16, 4, 255), (32, 0, 255)].flatMap {
            tag, permissions, id -> [UInt8] in
            [tag, 0, permissions, 0] + (id == 255 ? [255, 255, 255, 255] : [id, 0, 0, 0])
        }

    @Test("keeps the access control list and the attributes, and gets none from its folder")
    func attributes() throws {
        let (path, access) = (folder.file("mine"), "system.posix_acl_access")
        func set(_ name: String, _ value: [UInt8], of path: String) -> Bool {
            setxattr(path, name, value, value.count, 0) == 0
        }
        try #require(set(access, Self.list, of: path))
        // Not every file system keeps the attributes of users.
        let note: [UInt8]? = set("user.note", [7], of: path) ? [7] : nil
        try write("mine")
        #expect(try PathHandle.attribute(access, of: path) == Self.list)
        #expect(try PathHandle.attribute("user.note", of: path) == note)
        #expect(try FileStatus(path: path).mode == 0o640)
        // A new file of this folder gets the list of its folder.
        try #require(removexattr(path, access) == 0)
        try Files.setMode(0o600, of: path)
        try #require(set("system.posix_acl_default", Self.list, of: folder.path))
        try write("mine")
        #expect(try PathHandle.attribute(access, of: path) == nil)
        #expect(try FileStatus(path: path).mode == 0o600)
    }

    @Test("is no folder and no pipe, and its folder has to be there")
    func kinds() throws {
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        for (name, action, reason) in [
            ("shared", SystemError.Action.write, Errno.isDirectory),
            ("pipe", .write, .invalidArgument), ("none/file", .create, .noSuchFile),
            ("mine/file", .create, .notDirectory),
        ] {
            #expect(error(name) == .system(SystemError(action, folder.file(name), reason)))
        }
    }

    @Test("in a folder that others can write is written, but not behind a link there")
    func shared() throws {
        try folder.link("shared/link", to: "../mine")
        try folder.link("shared/folder", to: "..")
        try Files.setMode(0o777, of: folder.file("shared"))
        try write("shared/new")
        for name in ["shared/link", "shared/folder/mine"] { #expect(isRefusedForLink(name)) }
        #expect(try folder.read("mine") == "precious")
        // In a folder like /tmp, nobody else can make a link of ours.
        try Files.setMode(0o1777, of: folder.file("shared"))
        try write("shared/link")
        #expect(try folder.read("mine") == "new")
    }

    @Test(
        "is never behind a link of another user, and not theirs",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        let shared = folder.file("shared")
        try Files.setMode(0o1777, of: shared)
        try OtherUser.run {
            symlink("../mine", shared + "/link")
            symlink("..", shared + "/folder")
            close(open(shared + "/theirs", O_CREAT | O_WRONLY, 0o666))
        }
        for name in ["shared/link", "shared/folder/mine"] { #expect(isRefusedForLink(name)) }
        try write("shared/theirs")
        let status = try FileStatus(path: folder.file("shared/theirs"))
        #expect(status.isOwnedByUser && status.mode == 0o644)
        // A link of theirs is refused wherever it is.
        try folder.link("link", to: "mine")
        try #require(lchown(folder.file("link"), OtherUser.id, OtherUser.id) == 0)
        #expect(isRefusedForLink("link"))
        let consented = TrustCheck(consented: OtherUser.id)
        try Output(folder.file("link"), consented).replace(with: [])
        #expect(try folder.read("mine") == "")
    }

    @Test(
        "is never behind a link that another user puts there again and again",
        .enabled(if: geteuid() == 0, "needs root"))
    func race() throws {
        let shared = folder.file("shared")
        try Files.setMode(0o777, of: shared)
        let (name, link) = (shared + "/file", shared + "/link")
        try OtherUser.run {
            symlink("../mine", link)
            close(open(name, O_CREAT | O_WRONLY, 0o666))
        }
        try OtherUser.attacking {
            OtherUser.exchange(name, link)
        } while: {
            for _ in 0..<Soak.rounds(1_000) { _ = error("shared/file") }
        }
        #expect(try folder.read("mine") == "precious")
    }
}
