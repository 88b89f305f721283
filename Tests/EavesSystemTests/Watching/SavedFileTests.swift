// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("A file in a watched folder", .onOwnThreads)
struct SavedFileTests {
    private func bench(_ prepare: (TemporaryFolder) throws -> Void = { _ in }) throws -> WatchBench
    {
        try WatchBench(directories: ["Plugins"]) {
            try $0.write("old", to: "Plugins/a.so")
            try prepare($0)
        }
    }

    @Test("is news when an editor has written it in place, and not before")
    func inPlace() throws {
        let bench = try bench()
        #expect(try bench.newsNow() == [])
        let writer = try SavingWriter(bench.folder.file("Plugins/a.so"))
        try writer.write("ne")
        #expect(try bench.newsNow() == [])
        try writer.write("w")
        #expect(try bench.newsNow() == [])
        writer.close()
        #expect(try bench.newsNow() == ["Plugins/a.so"])
        #expect(try bench.newsNow() == [])
    }

    @Test("is news when an editor has written another one and renames it")
    func renamed() throws {
        let bench = try bench { try $0.write("new", to: "elsewhere/new") }
        #expect(try bench.renaming("elsewhere/new", to: "Plugins/a.so") == ["Plugins/a.so"])
        try bench.save("newer", to: "Plugins/.a.so.tmp")
        #expect(try bench.newsNow() == ["Plugins/.a.so.tmp"])
        #expect(
            try bench.renaming("Plugins/.a.so.tmp", to: "Plugins/a.so") == [
                "Plugins/a.so", "Plugins/.a.so.tmp",
            ])
    }

    @Test("is news once when it is written twice before anybody asks, and again after that")
    func twice() throws {
        let bench = try bench()
        try bench.save("one", to: "Plugins/a.so")
        try bench.save("two", to: "Plugins/a.so")
        #expect(try bench.newsNow() == ["Plugins/a.so"])
        #expect(try bench.newsNow() == [])
        #expect(try bench.saving("Plugins/a.so", "three") == ["Plugins/a.so"])
    }

    @Test("is news when an editor moves it away as a backup, writes it anew and removes the backup")
    func backup() throws {
        let bench = try bench()
        #expect(
            try bench.renaming("Plugins/a.so", to: "Plugins/a.so~") == [
                "Plugins/a.so", "Plugins/a.so~",
            ])
        let writer = try SavingWriter(bench.folder.file("Plugins/a.so"))
        try writer.write("new")
        // It has content, so it may have been linked here whole.
        #expect(try bench.newsNow().isSubset(of: ["Plugins/a.so"]))
        writer.close()
        #expect(try bench.newsNow() == ["Plugins/a.so"])
        #expect(try bench.news { try bench.remove("Plugins/a.so~") } == ["Plugins/a.so~"])
    }

    @Test("is news after each piece, when it is opened and closed for every one of them")
    func pieces() throws {
        let bench = try bench()
        for piece in ["one", "two", "three"] {
            let writer = try SavingWriter(
                bench.folder.file("Plugins/b.so"), flags: O_CREAT | O_APPEND)
            try writer.write(piece)
            _ = try bench.newsNow()
            writer.close()
            #expect(try bench.newsNow() == ["Plugins/b.so"])
        }
        #expect(try bench.folder.read("Plugins/b.so") == "onetwothree")
    }

    @Test("is no news while it is new and empty")
    func empty() throws {
        let bench = try bench()
        let writer = try SavingWriter(bench.folder.file("Plugins/b.so"))
        #expect(try bench.newsNow() == [])
        writer.close()
        #expect(try bench.newsNow() == ["Plugins/b.so"])
    }

    @Test("is news when it is deleted, moved out, cut short, or given another mode")
    func otherChanges() throws {
        let bench = try bench { try $0.createFolder("elsewhere") }
        let file = bench.folder.file("Plugins/a.so")
        #expect(try bench.news { try Files.setMode(0o600, of: file) } == ["Plugins/a.so"])
        #expect(try bench.news { truncate(file, 1) } == [])
        #expect(try bench.saving("Plugins/a.so", "") == ["Plugins/a.so"])
        #expect(try bench.renaming("Plugins/a.so", to: "elsewhere/a.so") == ["Plugins/a.so"])
        #expect(try bench.saving("Plugins/a.so") == ["Plugins/a.so"])
        #expect(try bench.news { try bench.remove("Plugins/a.so") } == ["Plugins/a.so"])
    }

    @Test("is news when a file that was written without a name gets one")
    func withoutName() throws {
        let bench = try bench { try $0.createFolder("elsewhere") }
        // O_TMPFILE, which Swift's Glibc module leaves out: O_DIRECTORY and a bit of its own.
        let writer = try SavingWriter(
            bench.folder.file("elsewhere"), flags: 0o20_000_000 | O_DIRECTORY)
        try writer.write("whole")
        #expect(try bench.newsNow() == [])
        try writer.publish(as: bench.folder.file("Plugins/b.so"))
        #expect(try bench.newsNow() == ["Plugins/b.so"])
    }

    @Test("is news when it is a further name of a file, and when that is written by its other name")
    func hardLink() throws {
        let bench = try bench { try $0.write("x", to: "elsewhere/x.so") }
        let other = bench.folder.file("elsewhere/x.so")
        #expect(
            try bench.news { _ = link(other, bench.folder.file("Plugins/b.so")) } == [
                "Plugins/b.so"
            ])
        #expect(try bench.saving("elsewhere/x.so", "y") == ["Plugins/b.so"])
        #expect(try bench.saving("elsewhere/x.so", "z") == ["Plugins/b.so"])
        #expect(try bench.news { try bench.remove("Plugins/b.so") } == ["Plugins/b.so"])
        #expect(try bench.saving("elsewhere/x.so", "!") == [])
    }

    @Test("is news when it was a further name before the watch began")
    func earlierHardLink() throws {
        let bench = try bench {
            try $0.write("x", to: "elsewhere/x.so")
            _ = link($0.file("elsewhere/x.so"), $0.file("Plugins/b.so"))
        }
        #expect(try bench.saving("elsewhere/x.so", "y") == ["Plugins/b.so"])
    }

    @Test("is news when it is a symbolic link, and when what that leads to changes")
    func symbolicLink() throws {
        let bench = try bench { try $0.write("x", to: "build/x.so") }
        #expect(
            try bench.news { try bench.folder.link("Plugins/b.so", to: "../build/x.so") }
                == ["Plugins/b.so"])
        #expect(try bench.saving("build/x.so", "y") == ["Plugins/b.so"])
        #expect(try bench.news { try bench.remove("build") } == ["Plugins/b.so"])
        try bench.folder.createFolder("build")
        _ = try bench.newsNow()
        #expect(try bench.saving("build/x.so", "z") == ["Plugins/b.so"])
        #expect(try bench.saving("build/other.so", "z") == [])
        // A plain file takes the link's place: where the link led does not matter any more.
        try bench.save("plain", to: "elsewhere")
        #expect(try bench.renaming("elsewhere", to: "Plugins/b.so") == ["Plugins/b.so"])
        #expect(try bench.saving("build/x.so", "!") == [])
    }

    @Test("is no news in a folder inside the watched one")
    func deeper() throws {
        let bench = try bench()
        #expect(
            try bench.news {
                try bench.folder.createFolder("Plugins/Weather")
                try bench.save("x", to: "Plugins/Weather/Weather.swift")
                try bench.remove("Plugins/Weather")
            } == [])
    }

    @Test("is found among a thousand, all of which are news at once")
    func thousand() throws {
        let names = (0..<1000).map { "Plugins/m\($0).so" }
        let bench = try bench()
        #expect(
            try bench.news { for name in names { try bench.save("x", to: name) } } == Set(names))
        #expect(try bench.news { try bench.save("y", to: names[577]) } == [names[577]])
        #expect(try bench.news { for name in names { try bench.remove(name) } } == Set(names))
    }

    @Test("is one of a thousand links, each of which is followed")
    func thousandLinks() throws {
        let bench = try bench {
            try $0.createFolder("build")
            for number in 0..<1000 {
                try SavingWriter($0.file("build/x\(number)")).write("x")
                try $0.link("Plugins/m\(number).so", to: "../build/x\(number)")
            }
        }
        #expect(try bench.saving("build/x577", "y") == ["Plugins/m577.so"])
    }
}
