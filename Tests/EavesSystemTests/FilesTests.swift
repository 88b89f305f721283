// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesSystem

@Suite(.patiently) struct FilesTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    @Test("reads what was written, empty or not")
    func readBack() throws {
        for text in ["", "hello", String(repeating: "long ", count: 100_000)] {
            try Files.replace(scratch.file("file"), with: Array(text.utf8))
            #expect(try Files.read(scratch.file("file")) == Array(text.utf8))
        }
    }

    @Test("reads no file that is larger than the limit")
    func limit() throws {
        try Files.replace(scratch.file("file"), with: [1, 2, 3])
        #expect(try Files.read(scratch.file("file"), limit: 3) == [1, 2, 3])
        #expect(
            errno { _ = try Files.read(scratch.file("file"), limit: 2) } == Errno(rawValue: EFBIG))
    }

    @Test("refuses to read a pipe, a folder and a device, without waiting")
    func specialFiles() throws {
        #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
        #expect(errno { _ = try Files.read(scratch.file("pipe")) } == Errno(rawValue: EINVAL))
        #expect(errno { _ = try Files.read(scratch.path) } == .isDirectory)
        #expect(errno { _ = try Files.read("/dev/zero") } == Errno(rawValue: EINVAL))
        #expect(errno { _ = try Files.read(scratch.file("none")) } == .noSuchFile)
    }

    @Test("replacing keeps the permissions, and leaves no other file behind")
    func keepsMode() throws {
        try Files.replace(scratch.file("file"), with: [1], mode: 0o600)
        #expect(try FileStatus(path: scratch.file("file")).mode == 0o600)
        for mode: UInt32 in [0o640, 0o755, 0o444, 0o666] {
            #expect(chmod(scratch.file("file"), mode) == 0)
            try Files.replace(scratch.file("file"), with: [2], mode: 0o600)
            #expect(try FileStatus(path: scratch.file("file")).mode == mode)
        }
        #expect(try Folder(scratch.path).entries.map(\.name) == ["file"])
    }

    @Test(
        "replacing keeps owner and group where the process may set them",
        .enabled(if: geteuid() == 0, "needs root"))
    func keepsOwner() throws {
        try Files.replace(scratch.file("file"), with: [1])
        #expect(chown(scratch.file("file"), 1234, 4321) == 0)
        #expect(chmod(scratch.file("file"), 0o2755) == 0)
        try Files.replace(scratch.file("file"), with: [2])
        let status = try FileStatus(path: scratch.file("file"))
        #expect((status.owner, status.group, status.mode) == (1234, 4321, 0o2755))
    }

    @Test("replacing writes through a symbolic link")
    func throughLink() throws {
        try Files.createFolder(scratch.file("sub"))
        try Files.replace(scratch.file("sub/file"), with: [1])
        #expect(symlink("sub/file", scratch.file("link")) == 0)
        try Files.replace(scratch.file("link"), with: [2])
        #expect(try Files.read(scratch.file("sub/file")) == [2])
        #expect(try Folder(scratch.path).entries.first { $0.name == "link" }?.kind == .link)
        #expect(try Folder(scratch.file("sub")).entries.map(\.name) == ["file"])
    }

    @Test("does not replace a folder, a pipe or a device")
    func notReplaced() throws {
        try Files.createFolder(scratch.file("folder"))
        #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
        #expect(errno { try Files.replace(scratch.file("folder"), with: [1]) } == .isDirectory)
        #expect(
            errno { try Files.replace(scratch.file("pipe"), with: [1]) } == Errno(rawValue: EINVAL))
        #expect(errno { try Files.replace("/dev/null", with: [1]) } == Errno(rawValue: EINVAL))
        #expect(try FileStatus(path: "/dev/null").kind == .device)
        #expect(try Folder(scratch.path).entries.map(\.name) == ["folder", "pipe"])
    }

    @Test("an error names the file, not the temporary one")
    func errorNamesFile() {
        let path = scratch.file("none/file")
        let error = #expect(throws: SystemError.self) { try Files.replace(path, with: [1]) }
        #expect(error == SystemError(.create, path, .noSuchFile))
    }

    @Test("readers see the old content or the new one, never a part", arguments: [true, false])
    func atomic(lasts: Bool) async throws {
        let path = scratch.file("file")
        let folder = scratch.path
        let size = 300_000
        try Files.replace(path, with: [UInt8](repeating: 0, count: size))
        let writer = Writer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { writer.isDone.store(true, ordering: .releasing) }
                try await Patience.wait(for: "a reader") { () async in
                    writer.isRead.load(ordering: .relaxed)
                }
                for round in 1...UInt8(60) {
                    try OpenFolder(folder).replace(
                        "file", with: [UInt8](repeating: round, count: size), mode: 0o600,
                        lasts: lasts)
                }
            }
            group.addTask {
                while !writer.isDone.load(ordering: .acquiring) {
                    let bytes = try Files.read(path)
                    #expect(bytes.count == size && Self.areEqual(bytes))
                    writer.isRead.store(true, ordering: .relaxed)
                    // The writer may need this thread.
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Whether all of these bytes are the same. The C library compares: in a debug build, a loop takes long.
    private static func areEqual(_ bytes: [UInt8]) -> Bool {
        // SAFETY: neither part reaches beyond the end of the bytes.
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
            return memcmp(base, base + 1, bytes.count - 1) == 0
        }
    }

    @Test("creates a folder with the ones above it, or keeps an existing one")
    func createFolder() throws {
        try Files.createFolder(scratch.file("a/b/c"))
        try Files.createFolder(scratch.file("a/b/c"))
        try Files.createFolder(scratch.file("a/b/c/"))
        #expect(try FileStatus(path: scratch.file("a/b/c")).kind == .directory)
    }

    @Test("gives all folders that it creates the same permissions")
    func createFolderMode() throws {
        try Files.createFolder(scratch.file("a/b/c"), mode: 0o700)
        for name in ["a", "a/b", "a/b/c"] {
            #expect(try FileStatus(path: scratch.file(name)).mode == 0o700)
        }
    }

    @Test("a file in the place of a folder is an error")
    func fileInTheWay() throws {
        try Files.replace(scratch.file("file"), with: [])
        #expect(errno { try Files.createFolder(scratch.file("file")) } == .fileExists)
        #expect(errno { try Files.createFolder(scratch.file("file/sub")) } == .notDirectory)
    }

    @Test("removing a missing file is no error")
    func remove() throws {
        try Files.replace(scratch.file("file"), with: [])
        try Files.remove(scratch.file("file"))
        try Files.remove(scratch.file("file"))
        #expect(errno { _ = try FileStatus(path: scratch.file("file")) } == .noSuchFile)
        #expect(Files.resolved(scratch.file("file")) == nil)
    }

    @Test("removes a tree, but not the targets of its links")
    func removeTree() throws {
        try Files.createFolder(scratch.file("tree/a/b"))
        try Files.replace(scratch.file("tree/a/file"), with: [1])
        try Files.replace(scratch.file("kept"), with: [1])
        #expect(symlink("../kept", scratch.file("tree/link")) == 0)
        try Files.removeTree(scratch.file("tree"))
        try Files.removeTree(scratch.file("tree"))
        #expect(try Folder(scratch.path).entries.map(\.name) == ["kept"])
    }

    @Test(
        "removes a tree that is deeper than there are descriptors, with folders that keep their owner out"
    )
    func deepTree() throws {
        try Files.createFolder(scratch.file("tree"))
        var folder = try OpenFolder(scratch.file("tree"))
        for _ in 0..<10_000 {
            try folder.createFolder("in", mode: 0o700)
            folder = try OpenFolder("in", in: folder)
        }
        try folder.createFolder("closed", mode: 0)
        try Files.removeTree(scratch.file("tree"))
        #expect(try Folder(scratch.path).entries.isEmpty)
    }

    @Test(
        "follows no link that it may not remove, in a tree of another user",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreignTree() throws {
        try Files.createFolder(scratch.file("docs"))
        try Files.replace(scratch.file("docs/thesis"), with: [1])
        for name in ["docs", "docs/thesis"] {
            #expect(chown(scratch.file(name), OtherUser.id, OtherUser.id) == 0)
        }
        // In a folder with the sticky bit, only the owner of the link may remove it.
        let tree = scratch.file("shared/tree")
        try Files.createFolder(tree)
        #expect(chmod(scratch.file("shared"), 0o777) == 0 && chmod(tree, 0o1777) == 0)
        #expect(symlink("../../docs", tree + "/docs") == 0)
        try OtherUser.run { try? Files.removeTree(tree) }
        #expect(try Folder(tree).entries.map(\.name) == ["docs"])
        #expect(try Files.read(scratch.file("docs/thesis")) == [1])
    }

    @Test("resolves paths as the system does")
    func resolved() throws {
        try Files.createFolder(scratch.file("a"))
        #expect(symlink("a", scratch.file("link")) == 0)
        #expect(Files.resolved(scratch.file("link/../a/.")) == Files.resolved(scratch.file("a")))
    }
}

/// Tells readers that the writer has finished, and the writer that one has read.
private final class Writer: Sendable {
    let isRead = Atomic(false)
    let isDone = Atomic(false)
}

/// Returns the error number of a system call that must fail.
func errno(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SystemError)?.errno
    }
}

@Suite struct FolderTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    @Test("lists all entries with their kinds, sorted by bytes")
    func entries() throws {
        for name in ["b", "a", "Z", "é", ".hidden", "a b\n"] {
            try Files.replace(scratch.file(name), with: [])
        }
        try Files.createFolder(scratch.file("folder"))
        #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
        #expect(symlink("nowhere", scratch.file("link")) == 0)
        let entries = try Folder(scratch.path).entries
        #expect(
            entries.map(\.name)
                == [".hidden", "Z", "a", "a b\n", "b", "folder", "link", "pipe", "é"])
        #expect(
            entries.map(\.kind)
                == [.file, .file, .file, .file, .file, .directory, .link, .pipe, .file])
    }

    @Test("reads names of any length that the system allows")
    func longNames() throws {
        let name = String(repeating: "n", count: 255)
        let descriptor = open(scratch.file(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(try Folder(scratch.path).entries.map(\.name) == [name])
    }

    @Test("a further descriptor of an open folder is closed in programs that this process starts")
    func furtherDescriptor() throws {
        let copy = try OpenFolder(scratch.path).duplicate()
        defer { close(copy) }
        #expect(fcntl(copy, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("an empty folder has no entries, and a missing one is an error")
    func noFolder() throws {
        #expect(try Folder(scratch.path).entries.isEmpty)
        try Files.replace(scratch.file("file"), with: [])
        #expect(errno { _ = try Folder(scratch.file("file")) } == .notDirectory)
        #expect(errno { _ = try Folder(scratch.file("none")) } == .noSuchFile)
        #expect(Errno.noSuchFile.meansMissing && Errno.notDirectory.meansMissing)
        #expect(!Errno.permissionDenied.meansMissing)
    }
}

@Suite("Who serves a file system", .onOwnThreads)
struct PathHandleTests {
    private static let mounts = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,user_id=7
        42 27 0:39 / /tmp/- rw,nosuid,nodev - fuse /home/x rw,user_id=54321,group_id=0,allow_other
        43 27 0:40 / /a rw shared:5 master:2 - fuse.sshfs host: rw,user_id=0,group_id=0
        44 27 0:41 / /b rw - virtiofs share rw
        45 27 0:42 / /c rw - fuse broken rw,group_id=0

        """

    @Test("stands in the table of mounts")
    func server() {
        func server(_ device: String) -> UInt32? {
            PathHandle.server(ofDevice: device, in: Self.mounts)
        }
        #expect(server("0:39") == 54321)
        for device in ["0:40", "0:41", "254:0"] { #expect(server(device) == 0, "\(device)") }
        #expect(server("0:42") == nil && server("0:3") == nil)
    }

    @Test("is nobody for the root of the disk")
    func root() throws {
        #expect(try PathHandle.root().servingUser() == nil)
    }
}
