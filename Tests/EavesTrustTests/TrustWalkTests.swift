// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

/// The folder for temporary files has the sticky bit and is above all of these.
@Suite("Following a path")
struct TrustWalkTests {
    private let folder: TemporaryFolder
    /// The temporary folder without links.
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
    }

    private func path(_ name: String) -> String { name == "." ? root : Path.join(root, name) }

    private func setMode(_ mode: UInt32, of name: String) throws {
        try Files.setMode(mode, of: path(name))
    }

    private func giveAway(_ name: String) throws {
        try #require(lchown(path(name), 54321, gid_t.max) == 0)
    }

    /// - Returns: The end of the path, relative to the temporary folder.
    private func follow(_ name: String) -> Result<String, TrustError> {
        let place = TrustPlace(path(name), .module)
        return Result { () throws(TrustError) in
            Path.relative(try TrustWalk.follow(place, .own).path, to: root)
        }
    }

    private func directory(_ name: String, _ mode: UInt32) throws -> TrustError {
        .writable(
            TrustPlace(path(name), .way), mode: mode, group: try FileStatus(path: path(name)).group)
    }

    @Test("follows no link on the way to a permission that a module can have put there")
    func permissions() throws {
        try folder.write("x", to: "data/inner/file")
        try folder.write("x", to: "others/secret")
        for (link, target) in [("alias", "data"), ("way", "others"), ("data/out", "../others")] {
            try #require(symlink(target, path(link)) == 0)
        }
        func open(_ name: String, besides changeable: String...) -> Result<String, SystemError> {
            Result { () throws(SystemError) in
                let files = PermittedFiles(besides: changeable.map(path))
                return Path.relative(try files.open(path(name)).path, to: root)
            }
        }
        #expect(open("data/inner/file", besides: "data") == .success("data/inner/file"))
        #expect(open("alias/inner", besides: "data") == .success("data/inner"))
        #expect(open("way/secret", besides: "data") == .success("others/secret"))
        #expect(open("data/out/secret") == .success("others/secret"))
        for name in ["data/out", "data/out/secret", "alias/out/secret"] {
            let refused = SystemError(.open, path(name), .tooManyLinks)
            #expect(open(name, besides: "data") == .failure(refused))
        }
        // A link in the place of a permission makes what it leads to no module's.
        #expect(open("way/secret", besides: "data/out", "data") == .success("others/secret"))
        try giveAway("way")
        #expect(
            open("way/secret") == .failure(SystemError(.open, path("way/secret"), .tooManyLinks)))
    }

    @Test("looks at every directory, and at the file")
    func directories() throws {
        let modes: [(name: String, mode: UInt32)] = [
            ("a", 0o755), ("a/b", 0o755), ("a/b/file.so", 0o644),
        ]
        try folder.write("module", to: "a/b/file.so")
        #expect(follow("a/b/file.so") == .success("a/b/file.so"))
        #expect(follow("a/./b//file.so") == .success("a/b/file.so"))
        #expect(follow("a/b") == .success("a/b"))
        for (name, mode) in modes {
            try setMode(mode | 0o002, of: name)
            var expected = try directory(name, mode | 0o002)
            if name == "a/b/file.so", case .writable(_, let mode, let group) = expected {
                expected = .writable(TrustPlace(path(name), .module), mode: mode, group: group)
            }
            #expect(follow("a/b/file.so") == .failure(expected))
            try setMode(mode, of: name)
        }
        // The directory at the end of a path counts, too.
        try setMode(0o777, of: "a/b")
        #expect(follow("a/b") == .failure(try directory("a/b", 0o777)))
    }

    @Test("looks at the directories above, from the root of the disk on")
    func above() throws {
        try folder.write("module", to: "base/a/file.so")
        #expect(follow("base/a/../a/file.so") == .success("base/a/file.so"))
        try setMode(0o777, of: ".")
        #expect(follow("base/a/file.so") == .failure(try directory(".", 0o777)))
    }

    @Test("'..' behind a link leads to the folder above the real one")
    func parentOfLink() throws {
        try folder.write("module", to: "real/base/file.so")
        try folder.write("module", to: "real/other.so")
        try folder.link("link", to: "real/base")
        #expect(follow("link/file.so") == .success("real/base/file.so"))
        #expect(follow("link/../other.so") == .success("real/other.so"))
    }

    @Test("a path that leads nowhere, or through a file, is refused")
    func missing() throws {
        try folder.write("module", to: "file.so")
        try folder.link("dangling.so", to: "nowhere")
        let names: [(name: String, reason: Errno)] = [
            ("none.so", .noSuchFile), ("dangling.so", .noSuchFile),
            ("none/file.so", .noSuchFile), ("file.so/more", .notDirectory),
        ]
        for (name, reason) in names {
            guard case .failure(.unresolved(_, let error)) = follow(name) else {
                Issue.record("\(name) was followed")
                continue
            }
            #expect(error.errno == reason, "\(name)")
        }
    }

    @Test("opens the file that it has checked, whatever its name leads to by then")
    func opens() throws {
        try folder.write("checked", to: "file.so")
        try folder.write("other", to: "other.so")
        let file = try TrustWalk.follow(TrustPlace(path("file.so"), .module), .own)
        try Files.rename(path("other.so"), to: path("file.so"))
        let opened = try file.open()
        #expect(try opened.bytes(at: 0, count: 100) == Array("checked".utf8))
        try folder.write("inside", to: "a/inside.so")
        let directory = try TrustWalk.follow(TrustPlace(path("a"), .way), .own)
        try Files.rename(path("a"), to: path("b"))
        try folder.write("outside", to: "a/outside.so")
        #expect(try directory.openFolder().entries().map(\.name) == ["inside.so"])
    }

    @Test("in a directory with the sticky bit, directories and links are safe, and files are not")
    func sticky() throws {
        try folder.write("module", to: "sticky/a/file.so")
        try folder.write("module", to: "sticky/file.so")
        try folder.write("module", to: "safe.so")
        try folder.link("sticky/link.so", to: "../safe.so")
        try setMode(0o1777, of: "sticky")
        let error = try directory("sticky", 0o1777)
        #expect(follow("sticky/a/file.so") == .success("sticky/a/file.so"))
        #expect(follow("sticky/link.so") == .success("safe.so"))
        #expect(follow("sticky/file.so") == .failure(error))
        #expect(follow("sticky") == .failure(error))
        try setMode(0o777, of: "sticky")
        #expect(follow("sticky/a/file.so") == .failure(try directory("sticky", 0o777)))
    }

    @Test(
        "follows links from where they stand, and looks at the directories that they lead through")
    func links() throws {
        try folder.write("module", to: "real/a/file.so")
        try folder.createFolder("links")
        try folder.link("links/relative.so", to: "../real/a/file.so")
        try folder.link("links/absolute.so", to: path("real/a/file.so"))
        try folder.link("links/folder", to: "../real")
        try folder.link("links/second.so", to: "folder/a/file.so")
        let names = ["relative.so", "absolute.so", "folder/a/file.so", "second.so"]
        for name in names {
            #expect(follow("links/\(name)") == .success("real/a/file.so"), "\(name)")
        }
        try setMode(0o777, of: "real")
        for name in names {
            let expected = try directory("real", 0o777)
            #expect(follow("links/\(name)") == .failure(expected), "\(name)")
        }
    }

    @Test("follows as many links as Linux does")
    func linkLimit() throws {
        try folder.write("module", to: "link0")
        for number in 1...41 { try folder.link("link\(number)", to: "link\(number - 1)") }
        #expect(follow("link40") == .success("link0"))
        #expect((try? FileStatus(path: path("link40"))) != nil)
        let error = follow("link41")
        guard case .failure(.unresolved(_, let reason)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.errno == .tooManyLinks)
        #expect((try? FileStatus(path: path("link41"))) == nil)
    }

    @Test("sees who owns directories, links and files", .enabled(if: geteuid() == 0, "needs root"))
    func owners() throws {
        try folder.write("module", to: "a/file.so")
        try folder.link("a/link.so", to: "file.so")
        #expect(follow("a/link.so") == .success("a/file.so"))
        try giveAway("a/link.so")
        #expect(follow("a/file.so") == .success("a/file.so"))
        #expect(
            follow("a/link.so") == .failure(.owner(TrustPlace(path("a/link.so"), .way), 54321)))
        try giveAway("a/file.so")
        #expect(
            follow("a/file.so") == .failure(.owner(TrustPlace(path("a/file.so"), .module), 54321)))
        try giveAway("a")
        #expect(follow("a/file.so") == .failure(.owner(TrustPlace(path("a"), .way), 54321)))
    }

    @Test(
        "a directory with the sticky bit has to belong to a trusted user",
        .enabled(if: geteuid() == 0, "needs root"))
    func stickyOwner() throws {
        try folder.write("module", to: "sticky/a/file.so")
        try setMode(0o1777, of: "sticky")
        try giveAway("sticky")
        #expect(
            follow("sticky/a/file.so")
                == .failure(.owner(TrustPlace(path("sticky"), .way), 54321)))
    }
}
