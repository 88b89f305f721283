// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@Suite("The way to a watched place", .onOwnThreads)
struct WatchedWayTests {
    @Test("may lead to a folder that does not exist yet")
    func later() throws {
        let bench = try WatchBench(directories: ["a/b/c"])
        for folder in ["a", "a/b", "a/b/c"] {
            #expect(try bench.news { try bench.folder.createFolder(folder) } == ["*"], "\(folder)")
        }
        #expect(try bench.saving("a/b/c/x.so") == ["a/b/c/x.so"])
    }

    @Test("may be made at once, with a file at its end")
    func atOnce() throws {
        let bench = try WatchBench(directories: ["a/b/c"], files: ["a/manifest.json"])
        #expect(
            try bench.news {
                try bench.folder.write("x", to: "a/b/c/x.so")
                try bench.folder.write("x", to: "a/manifest.json")
            } == ["*"])
        #expect(try bench.saving("a/b/c/x.so", "y") == ["a/b/c/x.so"])
        #expect(try bench.saving("a/manifest.json", "y") == ["a/manifest.json"])
        #expect(try bench.saving("a/b/c/other.so", "y") == ["a/b/c/other.so"])
        #expect(try bench.saving("a/other.json", "y") == [])
    }

    @Test("may be moved into its place, whole")
    func movedIn() throws {
        let bench = try WatchBench(directories: ["a/b/c"])
        try bench.folder.write("x", to: "made/b/c/x.so")
        _ = try bench.newsNow()
        #expect(try bench.renaming("made", to: "a") == ["*"])
        #expect(try bench.saving("a/b/c/x.so", "y") == ["a/b/c/x.so"])
    }

    @Test("may be removed and made again, several times")
    func recreated() throws {
        let bench = try WatchBench(directories: ["a/Plugins"]) {
            try $0.write("x", to: "a/Plugins/x.so")
        }
        for round in 0..<5 {
            #expect(try bench.news { try bench.remove("a") } == ["*"], "\(round)")
            #expect(try bench.news { try bench.folder.write("x", to: "a/Plugins/x.so") } == ["*"])
            #expect(try bench.saving("a/Plugins/x.so", "y") == ["a/Plugins/x.so"])
        }
        // So fast that nobody looks in between.
        #expect(
            try bench.news {
                try bench.remove("a")
                try bench.folder.createFolder("a/Plugins")
            } == ["*"])
        #expect(try bench.saving("a/Plugins/x.so", "z") == ["a/Plugins/x.so"])
    }

    @Test("is lost also when somebody still has the removed folders open")
    func heldOpen() throws {
        let bench = try WatchBench(directories: ["a/Plugins"]) { try $0.createFolder("a/Plugins") }
        let held = try OpenFile(reading: bench.folder.file("a/Plugins"))
        let above = try OpenFile(reading: bench.folder.file("a"))
        #expect(try bench.news { try bench.remove("a") } == ["*"])
        #expect(try bench.news { try bench.folder.createFolder("a/Plugins") } == ["*"])
        #expect(try bench.saving("a/Plugins/x.so") == ["a/Plugins/x.so"])
        #expect(try held.status().kind == .directory)
        #expect(try above.status().kind == .directory)
    }

    @Test("is followed when a folder on it is renamed, and another one takes its place")
    func exchanged() throws {
        let bench = try WatchBench(directories: ["a/b/Plugins"], files: ["a/b/manifest.json"]) {
            try $0.createFolder("a/b/Plugins")
            try $0.createFolder("other/b/Plugins")
        }
        #expect(try bench.renaming("a", to: "old") == ["*"])
        #expect(try bench.saving("old/b/Plugins/x.so") == [])
        #expect(try bench.saving("old/b/manifest.json") == [])
        #expect(try bench.renaming("other", to: "a") == ["*"])
        #expect(try bench.saving("a/b/Plugins/x.so") == ["a/b/Plugins/x.so"])
        #expect(try bench.saving("a/b/manifest.json") == ["a/b/manifest.json"])
    }

    @Test("is news when a folder on it gets another mode")
    func mode() throws {
        let bench = try WatchBench(directories: ["a/Plugins"]) { try $0.createFolder("a/Plugins") }
        #expect(try bench.news { try Files.setMode(0o777, of: bench.folder.file("a")) } == ["*"])
        #expect(
            try bench.news { try Files.setMode(0o777, of: bench.folder.file("a/Plugins")) } == ["*"]
        )
    }

    @Test("leads through symbolic links to a folder, each of which may change")
    func linkedFolder() throws {
        let bench = try WatchBench(directories: ["app/Plugins"]) {
            try $0.createFolder("v1/modules")
            try $0.createFolder("v2/modules")
            try $0.createFolder("app")
            try $0.link("current", to: "v1")
            try $0.link("app/Plugins", to: $0.file("current/modules"))
        }
        #expect(try bench.saving("v1/modules/x.so") == ["app/Plugins/x.so"])
        #expect(try bench.saving("v2/modules/x.so") == [])
        for (version, former) in [("v2", "v1"), ("v1", "v2"), ("v2", "v1")] {
            try bench.folder.link("next", to: version)
            _ = try bench.newsNow()
            #expect(try bench.renaming("next", to: "current") == ["*"])
            #expect(try bench.saving("\(version)/modules/x.so") == ["app/Plugins/x.so"])
            #expect(try bench.saving("\(former)/modules/x.so") == [])
        }
    }

    @Test("leads to a manifest of a ConfigMap, which is flipped again and again")
    func configMap() throws {
        let bench = try WatchBench(files: ["etc/manifest.json"]) {
            try $0.write("0", to: "etc/..2026_11_22_0/manifest.json")
            try $0.link("etc/..data", to: "..2026_11_22_0")
            try $0.link("etc/manifest.json", to: "..data/manifest.json")
        }
        for flip in 1...5 {
            // As the kubelet does it: a new folder, a new link, one rename, and the old folder goes.
            try bench.folder.write("\(flip)", to: "etc/..2026_11_22_\(flip)/manifest.json")
            try bench.folder.link("etc/..data_tmp", to: "..2026_11_22_\(flip)")
            #expect(try bench.newsNow() == [])
            #expect(try bench.renaming("etc/..data_tmp", to: "etc/..data") == ["etc/manifest.json"])
            #expect(try bench.folder.read("etc/manifest.json") == "\(flip)")
            try bench.remove("etc/..2026_11_22_\(flip - 1)")
            #expect(try bench.newsNow() == [])
        }
    }

    @Test("leads to modules of a ConfigMap")
    func configMapOfModules() throws {
        let bench = try WatchBench(directories: ["Plugins"]) {
            try $0.write("0", to: "Plugins/..0/a.so")
            try $0.link("Plugins/..data", to: "..0")
            try $0.link("Plugins/a.so", to: "..data/a.so")
        }
        for flip in 1...3 {
            try bench.folder.write("\(flip)", to: "Plugins/..\(flip)/a.so")
            try bench.folder.link("Plugins/..data_tmp", to: "..\(flip)")
            _ = try bench.newsNow()
            let news = try bench.news {
                try bench.rename("Plugins/..data_tmp", to: "Plugins/..data")
            }
            #expect(news.contains("Plugins/a.so"))
        }
    }

    @Test(
        "goes through folders that the user may not list",
        .enabled(if: geteuid() == 0, "needs root"))
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try folder.createFolder("closed/app/Plugins")
        try folder.link("closed/current", to: "app")
        try folder.write("x", to: "closed/manifest.json")
        try Files.setMode(0o711, of: folder.file("closed"))
        let watch = try FileWatch()
        let path = folder.file("closed")
        let news = Mutex<[WatchNews?]>([])
        // The other user walks, and this one makes the changes.
        try OtherUser.run {
            do {
                try watch.watch(
                    WatchedPlaces(
                        directories: [path + "/current/Plugins"], files: [path + "/manifest.json"]))
            } catch {
                Issue.record(error)
            }
        }
        func waitAsOtherUser() throws {
            try WatchBench.waitUntilClosed(in: path)
            try OtherUser.run {
                do {
                    let found = try watch.wait(until: .now)
                    news.withLock { $0.append(found) }
                } catch {
                    Issue.record(error)
                }
            }
        }
        try folder.write("x", to: "closed/app/Plugins/x.so")
        try waitAsOtherUser()
        try folder.write("y", to: "closed/manifest.json")
        try waitAsOtherUser()
        try folder.createFolder("closed/next/Plugins")
        try folder.link("closed/new", to: "next")
        try Files.rename(folder.file("closed/new"), to: folder.file("closed/current"))
        try waitAsOtherUser()
        let found = news.withLock { $0 }
        try #require(found.count == 3)
        guard case .files(let files) = found[0] else {
            Issue.record("\(String(describing: found[0]))")
            return
        }
        #expect(files.contains(path + "/current/Plugins/x.so"))
        #expect(found[1] == .files([path + "/manifest.json"]))
        #expect(found[2] == .everything)
        // A folder that cannot be seen cannot be waited for.
        try OtherUser.run {
            let error = #expect(throws: SystemError.self) {
                try watch.watch(WatchedPlaces(files: [path + "/later/manifest.json"]))
            }
            #expect(error?.errno == .permissionDenied)
            #expect(error?.path == path)
        }
    }

    @Test("may go in a circle")
    func circle() throws {
        let bench = try WatchBench(directories: ["Plugins"], files: ["manifest.json"]) {
            try $0.link("Plugins", to: "other")
            try $0.link("other", to: "Plugins")
            try $0.link("manifest.json", to: "manifest.json")
        }
        try bench.folder.createFolder("real")
        try bench.folder.link("next", to: "real")
        #expect(try bench.newsNow() == [])
        #expect(try bench.renaming("next", to: "other") == ["*"])
        #expect(try bench.saving("real/x.so") == ["Plugins/x.so"])
    }

    @Test("may go through a file where a folder is expected")
    func fileOnTheWay() throws {
        let bench = try WatchBench(directories: ["a/b", "Plugins"]) {
            try $0.write("x", to: "a")
            try $0.write("x", to: "Plugins")
        }
        #expect(try bench.news { try bench.remove("a") } == ["*"])
        #expect(try bench.news { try bench.folder.createFolder("a/b") } == ["*"])
        #expect(try bench.saving("a/b/x.so") == ["a/b/x.so"])
        try bench.remove("Plugins")
        #expect(try bench.news { try bench.folder.createFolder("Plugins") } == ["*"])
        #expect(try bench.saving("Plugins/x.so") == ["Plugins/x.so"])
    }

    @Test("leads to the same folder as another one")
    func sameFolder() throws {
        let bench = try WatchBench(directories: ["Plugins", "also"], files: ["Plugins/x.so"]) {
            try $0.createFolder("Plugins")
            try $0.link("also", to: "Plugins")
        }
        #expect(try bench.saving("Plugins/x.so") == ["Plugins/x.so", "also/x.so"])
        #expect(try bench.news { try bench.remove("also") } == ["*"])
        #expect(try bench.saving("Plugins/x.so") == ["Plugins/x.so"])
    }
}

@Suite("A watched tree", .onOwnThreads)
struct WatchedTreeTests {
    @Test("has news of folders in it, also of those that come, move and go")
    func folders() throws {
        let bench = try WatchBench(trees: ["Weather"]) {
            try $0.write("x", to: "Weather/Weather.swift")
            try $0.write("x", to: "Weather/Models/Day.swift")
        }
        #expect(try bench.saving("Weather/Models/Day.swift", "y") == ["Weather/Models/Day.swift"])
        #expect(
            try bench.news { try bench.folder.createFolder("Weather/Views/Rows") } == [
                "Weather/Views"
            ])
        #expect(
            try bench.saving("Weather/Views/Rows/Row.swift", "y") == [
                "Weather/Views/Rows/Row.swift"
            ])
        #expect(
            try !bench.news { try bench.rename("Weather/Views", to: "Weather/Screens") }.isEmpty)
        #expect(
            try bench.saving("Weather/Screens/Rows/Row.swift", "z") == [
                "Weather/Screens/Rows/Row.swift"
            ])
        #expect(try !bench.news { try bench.remove("Weather/Screens") }.isEmpty)
        #expect(try bench.news { try bench.remove("Weather") }.contains("*"))
        #expect(try bench.news { try bench.folder.write("x", to: "Weather/A/B.swift") } == ["*"])
        #expect(try bench.saving("Weather/A/B.swift", "y") == ["Weather/A/B.swift"])
    }

    @Test("has no news of hidden files and folders")
    func hidden() throws {
        let bench = try WatchBench(trees: ["Weather"]) {
            try $0.write("x", to: "Weather/Weather.swift")
            try $0.createFolder("Weather/.build")
        }
        #expect(try bench.saving("Weather/.Weather.swift.swp") == [])
        #expect(try bench.saving("Weather/.build/x.o") == [])
        #expect(try bench.news { try bench.folder.createFolder("Weather/.git") } == [])
    }
}
