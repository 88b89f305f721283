// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

@Suite("The store", .promptly)
struct StoreTests {
    private let folder: TemporaryFolder
    private let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = Store(of: try #require(Files.resolved(folder.path)), .own)
    }

    /// Whether the store, or a folder of it, can be opened; `nil` if there is none.
    private func opens(_ name: String? = nil) throws -> Bool? {
        guard let opened = try store.open(name) else { return nil }
        return try opened.status().kind == .directory
    }

    /// The store of a project whose owner, the other user, is trusted.
    private func consented(_ project: String) throws -> Store {
        Store(
            of: try #require(Files.resolved(project)),
            TrustCheck(consented: OtherUser.id))
    }

    private func untrusted(_ name: String?, _ body: () throws -> Void) -> TrustError? {
        do {
            try body()
            return nil
        } catch PlaceError.untrusted(let error) {
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("is made when it is first needed, for its owner alone, whatever the umask")
    func makes() throws {
        #expect(try opens() == nil)
        #expect(try opens("modules") == nil)
        _ = try store.make("modules")
        #expect(try opens("modules") == true)
        for name in [".eaves", ".eaves/modules"] {
            #expect(try FileStatus(path: folder.file(name)).mode == 0o700)
        }
    }

    @Test(
        "that others can write is refused, and so is a folder in it",
        arguments: [".eaves", ".eaves/modules"])
    func writable(name: String) throws {
        _ = try store.make("modules")
        // An ordinary user cannot give a folder to the group of others, and trusts the own one.
        let isRoot = geteuid() == 0
        try Files.setMode(isRoot ? 0o770 : 0o772, of: folder.file(name))
        try #require(!isRoot || chown(folder.file(name), uid_t.max, 54321) == 0)
        for body in [{ _ = try opens("modules") }, { _ = try store.make("modules") }] {
            guard case .writable(let place, _, _) = untrusted(name, body) else {
                Issue.record("\(name) was used")
                continue
            }
            #expect(place.role == .store && place.path.hasSuffix(name))
        }
    }

    @Test("is made in a folder with the sticky bit, and refused there if another user has made it")
    func sticky() throws {
        let project = folder.file("project")
        try folder.createFolder("project")
        func opens() throws -> Bool {
            try Store(of: try #require(Files.resolved(project)), .own).make().status().isOwnedByUser
        }
        try Files.setMode(0o777, of: project)
        guard case .writable = untrusted(nil, { _ = try opens() }) else {
            Issue.record("others can exchange it")
            return
        }
        try Files.setMode(0o1777, of: project)
        #expect(try opens())
        guard geteuid() == 0 else { return }
        try #require(chown(project + "/.eaves", OtherUser.id, OtherUser.id) == 0)
        guard case .owner(_, OtherUser.id) = untrusted(nil, { _ = try opens() }) else {
            Issue.record("another user's store was used")
            return
        }
    }

    @Test("that is a link is refused, wherever it leads", arguments: [".eaves", ".eaves/modules"])
    func link(name: String) throws {
        try folder.createFolder("elsewhere/modules")
        try folder.createFolder(".eaves")
        try Files.removeTree(folder.file(name))
        try folder.link(name, to: folder.file("elsewhere"))
        for body in [{ _ = try opens("modules") }, { _ = try store.make("modules") }] {
            guard case .link(let place) = untrusted(name, body) else {
                Issue.record("\(name) was followed")
                continue
            }
            #expect(place.path.hasSuffix(name))
        }
        #expect(try folder.names(in: "elsewhere") == ["modules"])
    }

    @Test("in a folder that others can write is refused before it is looked at")
    func folderOfOthers() throws {
        try Files.setMode(0o777, of: folder.path)
        guard case .writable(let place, _, _) = untrusted(nil, { _ = try opens() }) else {
            Issue.record("the store of a folder that others can write was opened")
            return
        }
        #expect(place.role == .way)
        guard case .writable = untrusted(nil, { _ = try store.make() }) else {
            Issue.record("a store was made in a folder that others can write")
            return
        }
        #expect(!folder.has(".eaves"))
    }

    @Test("that is no folder is none, and cannot be made; something else in it is an error")
    func noFolder() throws {
        try folder.write("text", to: ".eaves")
        #expect(try opens() == nil)
        #expect(throws: PlaceError.self) { _ = try store.make() }
        #expect(try folder.read(".eaves") == "text")
        try Files.remove(folder.file(".eaves"))
        try folder.write("text", to: ".eaves/quarantine")
        #expect(throws: PlaceError.self) { _ = try opens("quarantine") }
        #expect(throws: PlaceError.self) { _ = try store.make("quarantine") }
        try folder.link(".eaves/link", to: "quarantine")
        #expect(throws: SystemError.self) { _ = try store.make().bytes(of: "link") }
    }

    @Test(
        "of another user is used by root alone where that user is trusted, and stays theirs",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreign() async throws {
        _ = try store.make("modules")
        try #require(chown(folder.file(".eaves"), OtherUser.id, OtherUser.id) == 0)
        guard case .owner(_, OtherUser.id) = untrusted(nil, { _ = try opens() }) else {
            Issue.record("another user's store was opened")
            return
        }
        try #require(chown(folder.path, OtherUser.id, OtherUser.id) == 0)
        let made = try consented(folder.path).make("quarantine")
        try made.replace("modules.json", with: [1], mode: 0o600)
        for name in [".eaves/quarantine", ".eaves/quarantine/modules.json"] {
            #expect(try FileStatus(path: folder.file(name)).owner == OtherUser.id)
        }
        try Files.setMode(0o755, of: folder.file(".eaves"))
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            try #require(setuid(OtherUser.id + 1) == 0)
            let isUsed = try Store(of: path, TrustCheck(consented: OtherUser.id)).open() != nil
            #expect(!isUsed)
        }
        try Files.removeTree(folder.file(".eaves"))
        #expect(throws: PlaceError.self) { _ = try consented(folder.path).make() }
    }

    @Test("stays the same while a link goes from release to release, whichever way it is named")
    func switched() throws {
        let place = { [store] in StorePlace.all(of: Path.join(store.project, $0), .own)[0].path }
        try folder.createFolder("releases/2/conf")
        try folder.write("known", to: "releases/1/.eaves/quarantine/modules.json")
        try folder.link("current", to: "releases/1")
        let known = Array("known".utf8)
        let first = Store(of: folder.file("current"), .own)
        #expect(try first.open("quarantine")?.bytes(of: "modules.json") == known)
        _ = try first.make()
        try Files.remove(folder.file("current"))
        try folder.link("current", to: folder.file("releases/2"))
        for name in ["current", "releases/2"] {
            let quarantine = try Store(of: folder.file(name), .own).open("quarantine")
            #expect(try quarantine?.bytes(of: "modules.json") == known)
        }
        // No folder is listed that has no sign of such stores.
        try Files.removeTree(folder.file(".eaves.links"))
        #expect(place("releases/2").hasSuffix("/releases/2/.eaves"))
        try folder.createFolder(".eaves.links")
        #expect(place("releases/2").hasSuffix("/.eaves-current"))
        // A folder behind the link is another project, and a link that leads elsewhere is not switched.
        #expect(place("current/conf").hasSuffix("/.eaves-current:conf"))
        try folder.link("releases/up", to: folder.path)
        #expect(place("releases/up").hasSuffix("/releases/up/.eaves"))
        // The store, its sign and the folder of both do not count if they belong to another user.
        guard geteuid() == 0 else { return }
        for name in [".eaves-current", ".eaves.links", ""] {
            let path = folder.file(name)
            try #require(chown(path, OtherUser.id, OtherUser.id) == 0)
            #expect(place("releases/2").hasSuffix("/releases/2/.eaves"), "\(name)")
            try #require(chown(path, 0, 0) == 0)
        }
        let named = StorePlace.place(folder.file("state"), else: "/s")
        #expect(StorePlace.place("", else: "/s")?.path == "/s" && named?.name == "state")
        #expect(StorePlace.all(of: folder.path, .own, named: named) == [named])
    }

    @Test(
        "is in memory where its user cannot write, with all that was known, and root sees it",
        .enabled(if: geteuid() == 0, "needs root"))
    func memory() async throws {
        try folder.write("1.0.0", to: ".eaves/accepted.json")
        for name in ["", "/.eaves", "/.eaves/accepted.json"] {
            let path = store.project + name
            try #require(chmod(path, 0o500) == 0 && chown(path, OtherUser.id, OtherUser.id) == 0)
        }
        let others = { StorePlace(folder: store.project, name: ".eaves", trust: .own).ofOthers }
        defer { for place in others() { try? Files.removeTree(place.path) } }
        await #expect(processExitsWith: .success) { [path = store.project as String] in
            try #require(setuid(OtherUser.id) == 0)
            let store = Store(of: path, .own)
            try store.make("quarantine").replace("modules.json", with: [1], mode: 0o600)
            let again = try Store(of: path, .own).open()
            #expect(try again?.bytes(of: "accepted.json") == Array("1.0.0".utf8))
        }
        var seen: [[UInt8]?] = []
        let closed = try consented(folder.path).inEachPlace("quarantine") { folder, trust in
            seen.append(trust.trusts(OtherUser.id) ? try? folder.bytes(of: "modules.json") : nil)
        }
        #expect(closed == [] && seen == [[1]])
    }

    @Test(
        "that another user exchanges for a link a thousand times is never followed",
        .enabled(if: geteuid() == 0, "needs root"))
    func race() throws {
        // The folder belongs to the other user, whom this one trusts, and so does the store.
        let project = folder.file("project")
        try folder.createFolder("mine/modules")
        try folder.createFolder("project")
        try #require(chown(project, OtherUser.id, OtherUser.id) == 0)
        let (name, link, mine) = (project + "/.eaves", project + "/link", folder.file("mine"))
        try OtherUser.run {
            mkdir(name, 0o700)
            symlink(mine, link)
        }
        let consented = try consented(project)
        try OtherUser.attacking {
            OtherUser.exchange(name, link)
        } while: {
            for _ in 0..<Soak.rounds(1_000) {
                let opened = try? consented.make("modules")
                try? opened?.replace("evidence", with: [1], mode: 0o600, lasts: false)
            }
        }
        #expect(try folder.names(in: "mine/modules") == [])
    }
}
