// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Foundation
import Testing

@Suite("A watch", .onOwnThreads)
struct FileWatchTests {
    @Test("waits until another thread changes something")
    func waits() throws {
        let numbers = 0..<20
        // Written before the watch begins, and renamed: a file that is written while the other thread looks may be news
        // twice, and so may one that a child of another test still has open for writing.
        let bench = try WatchBench(directories: ["Plugins"]) { folder in
            try folder.createFolder("Plugins")
            for number in numbers { try folder.write("x", to: "x\(number)") }
        }
        for number in numbers {
            Thread.detachNewThread { try? bench.rename("x\(number)", to: "Plugins/x\(number).so") }
            let news = try bench.watch.wait(until: Patience.end)
            #expect(news == .files([bench.folder.file("Plugins/x\(number).so")]))
        }
    }

    @Test("is woken, before or while it waits")
    func wakes() throws {
        let watch = try FileWatch()
        watch.wake()
        watch.wake()
        let end = Patience.end
        #expect(try watch.wait(until: end) == nil)
        Thread.detachNewThread { watch.wake() }
        #expect(try watch.wait(until: end) == nil)
        #expect(ContinuousClock.now < end)
    }

    @Test("ends at its deadline")
    func ends() throws {
        let watch = try FileWatch()
        let end = ContinuousClock.now + .milliseconds(20)
        #expect(try watch.wait(until: end) == nil)
        #expect(ContinuousClock.now >= end)
        #expect(try watch.wait(until: .now - .seconds(1)) == nil)
    }

    @Test("keeps the news for the call after the one that was woken")
    func keepsNews() throws {
        let bench = try WatchBench(directories: ["Plugins"]) { try $0.createFolder("Plugins") }
        try bench.save("x", to: "Plugins/x.so")
        bench.watch.wake()
        #expect(try bench.watch.wait(until: Patience.end) == nil)
        #expect(try bench.newsNow() == ["Plugins/x.so"])
    }

    @Test("takes other places, also while another thread waits")
    func otherPlaces() throws {
        let bench = try WatchBench(directories: ["one"]) {
            try $0.createFolder("one")
            try $0.createFolder("two")
            try $0.write("x", to: "part")
        }
        Thread.detachNewThread {
            try? bench.watch.watch(WatchedPlaces(directories: [bench.folder.file("two")]))
            try? bench.rename("part", to: "two/x.so")
        }
        #expect(
            try bench.watch.wait(until: Patience.end) == .files([bench.folder.file("two/x.so")]))
        #expect(try bench.saving("one/x.so") == [])
        try bench.watch.watch(WatchedPlaces())
        #expect(try bench.saving("two/x.so", "y") == [])
    }

    /// Makes more events than the system keeps.
    private func overflow(_ bench: WatchBench) throws {
        let limit = try OpenFile(reading: "/proc/sys/fs/inotify/max_queued_events")
            .bytes(at: 0, count: 20)
        let count = try #require(Int(String(decoding: limit, as: UTF8.self).filter(\.isNumber)))
        // Two events each.
        for _ in 0..<(count / 4 + 1) {
            try bench.rename("Plugins/a.so", to: "Plugins/b.so")
            try bench.rename("Plugins/b.so", to: "Plugins/a.so")
        }
    }

    @Test("reports everything after more events than the system keeps, and goes on")
    func overflow() throws {
        let bench = try WatchBench(directories: ["Plugins"]) {
            try $0.write("x", to: "Plugins/a.so")
        }
        try overflow(bench)
        // A folder that comes after that is not lost.
        try bench.folder.createFolder("Plugins/Sub")
        #expect(try bench.newsNow() == ["*"])
        #expect(try bench.newsNow() == [])
        #expect(try bench.saving("Plugins/a.so", "y") == ["Plugins/a.so"])
    }

    @Test("loses no change of links while an overflow hides it")
    func overflowHidesLink() throws {
        let bench = try WatchBench(directories: ["Plugins"], files: ["manifest.json"]) {
            try $0.write("x", to: "Plugins/a.so")
            try $0.write("1", to: "v1/manifest.json")
            try $0.write("2", to: "v2/manifest.json")
            try $0.link("manifest.json", to: "v1/manifest.json")
        }
        try overflow(bench)
        try bench.folder.link("next", to: "v2/manifest.json")
        try bench.rename("next", to: "manifest.json")
        #expect(try bench.newsNow() == ["*"])
        #expect(try bench.saving("v2/manifest.json", "3") == ["manifest.json"])
    }

    @Test("loses no file that many threads write while it is asked")
    func storm() throws {
        let bench = try WatchBench(directories: ["Plugins"]) { try $0.createFolder("Plugins") }
        let names = (0..<4).map { "Plugins/t\($0).so" }
        for (number, name) in names.enumerated() {
            Thread.detachNewThread {
                for round in 0..<200 {
                    let part = "Plugins/part\(number)"
                    try? bench.save("\(round)", to: part)
                    try? bench.rename(part, to: name)
                }
            }
        }
        // What a level-triggered reader sees: after the last news, each file has its last content.
        var seen: [String: String] = [:]
        let end = Patience.end
        while Set(seen.values) != ["199"] || seen.count < names.count {
            guard try bench.watch.wait(until: end) != nil else {
                Issue.record("no news of the last change: \(seen)")
                return
            }
            for name in names { seen[name] = try? bench.folder.read(name) }
        }
    }

    @Test("tells of a folder that takes the place of a file")
    func folderInPlace() throws {
        let bench = try WatchBench(directories: ["Plugins"]) { folder in
            try folder.createFolder("Plugins")
            try folder.write("x", to: "Plugins/x.so")
        }
        let path = bench.folder.file("Plugins/x.so")
        #expect(unlink(path) == 0)
        #expect(try bench.watch.wait(until: Patience.end) == .files([path]))
        try bench.folder.createFolder("Plugins/x.so")
        #expect(try bench.watch.wait(until: Patience.end) == .files([path]))
    }

    @Test("follows a folder that is exchanged all the time")
    func race() throws {
        let bench = try WatchBench(directories: ["link/Plugins"]) {
            for version in ["v1", "v2"] { try $0.createFolder("\(version)/Plugins") }
            try $0.link("link", to: "v1")
        }
        let last = 300
        Thread.detachNewThread {
            for round in 1...last {
                let version = round % 2 == 0 ? "v1" : "v2"
                _ = try? bench.folder.link("next", to: version)
                try? bench.rename("next", to: "link")
                try? bench.save("\(round)", to: "\(version)/Plugins/x.so")
            }
        }
        let end = Patience.end
        while (try? bench.folder.read("link/Plugins/x.so")) != "\(last)" {
            guard try bench.watch.wait(until: end) != nil else {
                Issue.record("no news of the last change")
                return
            }
        }
    }

    @Test("says how to raise the limits of the system")
    func limits() throws {
        let watches = SystemError(.watch, "/srv/Plugins", .noSpace).diagnostics
        #expect(
            watches.map(\.description) == [
                """
                cannot watch /srv/Plugins: this user already has as many watches as the system allows
                fix: raise the number of files and folders that a user can watch: \
                'sudo sysctl fs.inotify.max_user_watches=1048576'
                """
            ])
        let instances = SystemError(.watch, "files", .tooManyOpenFiles).diagnostics
        #expect(
            instances.map(\.description) == [
                """
                cannot watch files: Too many open files
                fix: raise the number of watching processes: \
                'sudo sysctl fs.inotify.max_user_instances=1024'; \
                or the number of files that a process can open: 'ulimit -n'
                """
            ])
    }
}
