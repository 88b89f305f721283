// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

/// Bytes that kill the process when they are about to be written.
private struct DeadlyBytes: Collection {
    var startIndex: Int { 0 }
    var endIndex: Int { 1 }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 {
        kill(getpid(), SIGKILL)
        return 0
    }
}

/// Files and folders that processes leave when they are killed, with real processes.
@Suite(.promptly, .patiently) struct TemporaryFileTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    /// A private folder for the builds of the scratch folder.
    private func workFolder() throws -> WorkFolder {
        try WorkFolder(in: OpenFolder(scratch.path), for: "build")
    }

    private func names() throws -> [String] {
        try Folder(scratch.path).entries.map(\.name)
    }

    @Test("the next edit of a file removes what a killed edit left")
    func killedEdit() async throws {
        let path = scratch.file("manifest.json")
        try Files.replace(path, with: [1])
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try Files.replace(path, with: DeadlyBytes())
        }
        #expect(try names().count == 2)
        #expect(try Files.read(path) == [1])
        try Files.replace(path, with: [2])
        #expect(try names() == ["manifest.json"])
        #expect(try Files.read(path) == [2])
    }

    @Test("a file that a power cut may empty takes the place of any other, and leaves none")
    func exchanged() throws {
        try Files.replace(scratch.file("other"), with: [1])
        #expect(symlink("other", scratch.file("link")) == 0)
        try Files.replace(scratch.file("old"), with: [2])
        let folder = try OpenFolder(scratch.path)
        for name in ["old", "link", "new"] {
            try folder.replace(name, with: [3], mode: 0o640, lasts: false)
            #expect(try Files.read(scratch.file(name)) == [3])
            #expect(try folder.status(link: name).kind == .file)
            #expect(try folder.status(link: name).mode == 0o640)
        }
        // The link was replaced, and not followed.
        #expect(try Files.read(scratch.file("other")) == [1])
        try Files.createFolder(scratch.file("folder"))
        #expect(
            errno { try folder.replace("folder", with: [3], mode: 0o600, lasts: false) }
                == .isDirectory)
        #expect(try names() == ["folder", "link", "new", "old", "other"])
    }

    @Test("a file is free for the locks of others as soon as it is published")
    func published() throws {
        let folder = try OpenFolder(scratch.path)
        let temporary = try TemporaryFile(for: "module.so", in: folder, mode: 0o600)
        // As a child has the descriptor that another thread starts at this moment.
        let copy = dup(temporary.file.descriptor)
        defer { close(copy) }
        let name = try #require(names().first)
        #expect(try !OpenFile(reading: scratch.file(name)).lockShared())
        try temporary.publish(as: "module.so")
        #expect(try OpenFile(reading: scratch.file("module.so")).lockShared())
    }

    @Test("the next folder of a purpose replaces that of a killed process")
    func killedFolder() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [parent = scratch.path as String] in
            let folder = try WorkFolder(in: OpenFolder(parent), for: "build")
            try Files.replace(Path.join(folder.path, "module.so"), with: [1])
            kill(getpid(), SIGKILL)
        }
        #expect(try names().count == 1)
        let folder = try workFolder()
        #expect(try names() == [Path.name(of: folder.path)])
    }

    @Test("what a living process uses stays, as do the files of other targets and of people")
    func others() throws {
        let target = scratch.file("manifest.json")
        let name = Path.name(of: target)
        let used = try TemporaryFile(for: name, in: OpenFolder(scratch.path), mode: 0o600)
        let folder = try workFolder()
        for name in [".manifest.json.swp", ".manifest.json.42.7", ".other.json.eaves-1"] {
            try OpenFile(creating: scratch.file(name), mode: 0o600).write([1])
        }
        let before = try names()
        #expect(before.count == 5)
        try Files.replace(target, with: [1])
        _ = try workFolder()
        #expect(try names() == before + ["manifest.json"])
        try used.file.write([2])
        try used.publish(as: name)
        #expect(try Files.read(target) == [2])
        withExtendedLifetime(folder) {}
    }

    @Test("a folder stays in use while a child that inherited its lock runs")
    func inherited() throws {
        var command = ChildCommand("sh", ["-c", "read line"])
        let ends = try #require(Pipe())
        command.input = ends.readEnd
        var path = ""
        var child: ChildProcess?
        do {
            let folder = try workFolder()
            path = scratch.file("kept")
            // The folder's owner goes as if it had been killed: it removes nothing.
            try Files.rename(folder.path, to: path)
            child = try ChildProcess(
                command,
                [.descriptor(ends.readEnd), .empty, .empty, .descriptor(folder.descriptor)])
        }
        let name = scratch.file(".eaves-build.orphan")
        try Files.rename(path, to: name)
        _ = try workFolder()
        #expect(try names() == [".eaves-build.orphan"])
        ends.close()
        #expect(child?.wait() != nil)
        _ = try workFolder()
        #expect(try names() == [])
    }

    @Test("writers at the same time take nothing from each other")
    func together() async throws {
        let path = scratch.file("file")
        await withTaskGroup(of: Bool.self) { group in
            for number in UInt8(0)..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        guard (try? Files.replace(path, with: [number])) != nil else {
                            return false
                        }
                    }
                    return true
                }
            }
            for await isDone in group { #expect(isDone) }
        }
        #expect(try names() == ["file"])
    }

    @Test("a file that is not published is removed with its owner")
    func dropped() throws {
        do { _ = try TemporaryFile(for: "file", in: OpenFolder(scratch.path), mode: 0o600) }
        #expect(try names() == [])
    }

    @Test(
        "what another user has put there under such a name stays",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        try Files.createFolder(scratch.file("docs"))
        try Files.replace(scratch.file("docs/thesis"), with: [1])
        let left = [".eaves-build.a", ".file.eaves-a", ".file.eaves-b", ".file.eaves-c"]
        for name in left[..<2] {
            try Files.createFolder(scratch.file(name))
            #expect(symlink("../docs", scratch.file(name + "/docs")) == 0)
            #expect(chown(scratch.file(name), OtherUser.id, OtherUser.id) == 0)
        }
        #expect(symlink("docs/thesis", scratch.file(left[2])) == 0)
        try Files.replace(scratch.file(left[3]), with: [])
        #expect(chown(scratch.file(left[3]), OtherUser.id, OtherUser.id) == 0)
        let folder = try workFolder()
        try Files.replace(scratch.file("file"), with: [2])
        let own = [Path.name(of: folder.path), "docs", "file"]
        #expect(try Set(names()) == Set(left + own))
        #expect(try Files.read(scratch.file("docs/thesis")) == [1])
    }
}
