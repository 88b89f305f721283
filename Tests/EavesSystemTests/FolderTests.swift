// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

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
