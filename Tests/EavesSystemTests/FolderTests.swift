// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Testing

@Suite struct FolderTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("lists all entries with their kinds, sorted by bytes")
    func entries() throws {
        for name in ["b", "a", "Z", "é", ".hidden", "a b\n"] {
            try Files.replace(scratch(name), with: [])
        }
        try Files.createFolder(scratch("folder"))
        #expect(mkfifo(scratch("pipe"), 0o600) == 0)
        #expect(symlink("nowhere", scratch("link")) == 0)
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
        let descriptor = open(scratch(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(try Folder(scratch.path).entries.map(\.name) == [name])
    }

    @Test("an empty folder has no entries, and a missing one is an error")
    func noFolder() throws {
        #expect(try Folder(scratch.path).entries.isEmpty)
        try Files.replace(scratch("file"), with: [])
        #expect(errno { _ = try Folder(scratch("file")) } == .notDirectory)
        #expect(errno { _ = try Folder(scratch("none")) } == .noSuchFile)
        #expect(Errno.noSuchFile.meansMissing && Errno.notDirectory.meansMissing)
        #expect(!Errno.permissionDenied.meansMissing)
    }
}
