// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

@Suite("The place of a store")
struct StorePlaceTests {
    private let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
    }

    private func place(_ name: String) -> String {
        StorePlace.all(of: Path.join(root, name), .own)[0].path
    }

    @Test(
        "stays the same while a link goes from release to release, for each way of naming the project"
    )
    func switched() throws {
        for release in ["1", "2"] { try folder.createFolder("releases/\(release)/conf") }
        let link = { (target: String) in
            try Files.remove(folder.file("current"))
            try folder.link("current", to: target)
        }
        try folder.write("kept out", to: "releases/1/.eaves/quarantine/modules.json")
        try link("releases/1")
        #expect(place("releases/1") == root + "/releases/1/.eaves")
        let store = Store(of: folder.file("current"), .own)
        let known = try store.open("quarantine")?.bytes(of: "modules.json")
        #expect(known == Array("kept out".utf8))
        _ = try store.make()
        try link(root + "/releases/2")
        for name in ["current", "releases/2"] {
            #expect(place(name) == root + "/.eaves-current")
            let quarantine = try Store(of: folder.file(name), .own).open("quarantine")
            #expect(try quarantine?.bytes(of: "modules.json") == known)
        }
        #expect(place("releases/1") == root + "/releases/1/.eaves")
        // A folder behind the link is another project.
        #expect(place("current/conf") == root + "/.eaves-current:conf")
        // A link that leads elsewhere is not switched, as far as each asker can tell.
        try folder.link("releases/other", to: root)
        #expect(place("releases/other") == root + "/releases/other/.eaves")
    }

    @Test(
        "is not what another user has put next to the project",
        .enabled(if: geteuid() == 0, "needs root"))
    func planted() throws {
        try folder.createFolder("project")
        try folder.link("evil", to: "project")
        try folder.createFolder(".eaves-evil")
        #expect(place("project") == root + "/.eaves-evil")
        try #require(chown(folder.file(".eaves-evil"), OtherUser.id, OtherUser.id) == 0)
        #expect(place("project") == root + "/project/.eaves")
    }

    @Test("is what the operator names, else what systemd does")
    func named() throws {
        #expect(StorePlace.place("", else: nil) == nil)
        #expect(StorePlace.place(nil, else: "/s")?.path == "/s")
        let named = StorePlace.place(folder.file("state"), else: "/s")
        #expect(named?.path == folder.file("state"))
        #expect(StorePlace.all(of: root, .own, named: named) == [named])
    }

    @Test(
        "is in memory where its user cannot write, with all that was known, and root sees it",
        .enabled(if: geteuid() == 0, "needs root"))
    func memory() async throws {
        try folder.write("1.0.0", to: ".eaves/accepted.json")
        for name in ["", "/.eaves", "/.eaves/accepted.json"] {
            try #require(chmod(root + name, 0o500) == 0)
            try #require(chown(root + name, OtherUser.id, OtherUser.id) == 0)
        }
        let others = { StorePlace(folder: root, name: ".eaves", trust: .own).ofOthers }
        defer { for place in others() { try? Files.removeTree(place.path) } }
        await #expect(processExitsWith: .success) { [root = root as String] in
            try #require(setgid(OtherUser.id) == 0 && setuid(OtherUser.id) == 0)
            let store = Store(of: root, .own)
            #expect(store.isInMemory && store.obstacle?.errno == .permissionDenied)
            try store.make("quarantine").replace("modules.json", with: [1], mode: 0o600)
            let again = try Store(of: root, .own).open()
            #expect(try again?.bytes(of: "accepted.json") == Array("1.0.0".utf8))
        }
        #expect(others().count == 1)
        var seen: [[UInt8]?] = []
        let check = TrustCheck(consented: OtherUser.id)
        let closed = try Store(of: root, check).inEachPlace("quarantine") { folder, trust in
            seen.append(try? folder.bytes(of: "modules.json"))
            #expect(trust.trusts(OtherUser.id))
        }
        #expect(closed == [] && seen == [[1]])
    }
}
