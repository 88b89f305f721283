// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Testing

@testable import EavesSystem

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
        func server(_ device: String) -> PathHandle.FileSystemServer? {
            PathHandle.server(ofDevice: device, in: Self.mounts)
        }
        #expect(server("0:39") == .user(54321))
        #expect(server("0:40") == .user(0))
        #expect(server("0:41") == .machine)
        #expect(server("254:0") == .machine)
        #expect(server("0:42") == nil && server("0:3") == nil)
    }

    @Test("is nobody for the root of the disk")
    func root() throws {
        #expect(try PathHandle.root().servingUser() == nil)
    }
}
