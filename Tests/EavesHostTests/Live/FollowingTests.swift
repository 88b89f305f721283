// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesHost
@testable import EavesLife

@Suite("A host that follows the disk", .onOwnThreads, .patiently)
struct FollowingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The first change that is told with these words.
    private func change(_ words: String, of changes: AsyncStream<HostChange>) async -> HostChange? {
        await changes.first { $0.words == words }
    }

    @Test("takes nothing while looks are held, and everything once they go on")
    func held() async throws {
        let host = try folder.servingHost()
        host.holdLooks()
        let changes = try host.followedChanges()
        try folder.dropUsers("second")
        #expect(host.catchUp().isEmpty)
        #expect(try host.users() == "first")
        host.resumeLooks()
        #expect(await change("users: draining → serving", of: changes) != nil)
        #expect(try host.users() == "second")
    }

    @Test("takes a file that is written in pieces when its last piece is there")
    func inPieces() async throws {
        try folder.dropUsers("first")
        // On a machine with other work, the time between two pieces may be any.
        var policy = LivePolicy()
        policy.unfinishedLimit = Patience.limit
        let host = try Host(manifest: folder.manifest(), policy: policy)
        #expect(try host.users() == "first")
        let changes = try host.followedChanges()
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.version = "2.0.0"
        let whole = try Files.read(
            folder.addLoadable(declaration, as: "whole.so") { registrar in
                registrar.register((any UserService).self) { _ in KeptUsers(words: "second") }
            })
        try folder.overwrite("Plugins/users.so", with: whole, pieces: 7)
        #expect(await change("users: draining → serving", of: changes) != nil)
        #expect(try host.users() == "second")
        #expect(host.generations.filter { $0.state == .refused }.isEmpty)
    }

    @Test("takes a file that changes before its new place is watched")
    func newPlace() async throws {
        let host = try folder.servingHost(bindings: #""UserService": "users""#)
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.id = "other"
        for (place, words) in [("Far", "second"), ("Next", "third")] {
            try folder.createFolder(place)
            try folder.addLoadable(declaration, as: "\(place)/other.so") { registrar in
                registrar.register((any UserService).self) { _ in KeptUsers(words: words) }
            }
        }
        // The observer runs after the look at the disk, and before the new place is watched.
        host.observers.add { [folder] event in
            guard case .changed(let change) = event, change.words == "UserService: users → other"
            else { return }
            #expect(throws: Never.self) { try folder.rename("Next/other.so", to: "Far/other.so") }
        }
        let changes = try host.followedChanges()
        // After the look with which a following begins, each has an event for its reason.
        try folder.dropUsers("again")
        #expect(await change("users: draining → serving", of: changes) != nil)
        try folder.rewriteManifest(
            bindings: #""UserService": "other""#,
            modules: #""other": { "library": "Far/other.so" }"#)
        #expect(await change("other: draining → serving", of: changes) != nil)
        #expect(try host.users() == "third")
    }

    @Test("follows a manifest behind two links, as Kubernetes flips them")
    func doubleLink() async throws {
        try folder.dropUsers("memory")
        try folder.dropUsers("sqlite", id: "users-sqlite")
        let bindings = ["users", "users-sqlite", "users", "users-sqlite"]
        func flip(to number: Int) throws {
            try folder.write(
                #"{ "manifest": 1, "bindings": { "UserService": "\#(bindings[number])" } }"#,
                to: "..\(number)/manifest.json")
            guard symlink("..\(number)", folder.file("..data_tmp")) == 0 else {
                throw FixtureError("cannot link")
            }
            try folder.rename("..data_tmp", to: "..data")
        }
        try flip(to: 0)
        #expect(symlink("..data/manifest.json", folder.file("manifest.json")) == 0)
        let host = try Host(manifest: folder.file("manifest.json"))
        #expect(try host.users() == "memory")
        let changes = try host.followedChanges()
        for (number, words) in [(1, "sqlite"), (2, "memory"), (3, "sqlite")] {
            try flip(to: number)
            let expected = "UserService: \(bindings[number - 1]) → \(bindings[number])"
            #expect(await change(expected, of: changes) != nil)
            #expect(try host.users() == words)
        }
    }

    @Test(
        "serves on whatever happens to the file",
        arguments: [
            "truncate", "overwrite in place", "delete", "no permission", "folder renamed",
            "copied over", "renamed over", "a folder in its place", "a link in its place",
            "two writes at once",
        ])
    func damage(kind: String) async throws {
        let host = try folder.servingHost()
        let changes = try host.followedChanges()
        let load = Load(host)
        let file = folder.file("Plugins/users.so")
        switch kind {
        case "truncate": #expect(truncate(file, 100) == 0)
        case "overwrite in place":
            try folder.overwrite(
                "Plugins/users.so", with: [UInt8](repeating: 0xff, count: 20_000), pieces: 1)
        case "delete": try folder.remove("Plugins/users.so")
        case "no permission": #expect(chmod(file, 0) == 0)
        case "copied over":
            // As cp does it: the file keeps its inode, and gets the bytes of another module.
            try folder.overwrite("Plugins/users.so", with: folder.bytesOfStranger(), pieces: 1)
        case "renamed over": try folder.replaceUsers(Array("no module".utf8))
        case "a folder in its place":
            try folder.remove("Plugins/users.so")
            try folder.createFolder("Plugins/users.so")
            _ = host.catchUp()
            #expect(rmdir(file) == 0)
        case "a link in its place":
            try folder.remove("Plugins/users.so")
            #expect(symlink("/nowhere", file) == 0)
        case "two writes at once":
            let bytes = try Files.read(file)
            for pieces in [7, 3] {
                try folder.overwrite("Plugins/users.so", with: bytes, pieces: pieces)
            }
        default: try folder.rename("Plugins", to: "Elsewhere")
        }
        // The next file that is whole ends the waiting, and shows that everything before was survived.
        try folder.dropUsers("second")
        #expect(await change("users: draining → serving", of: changes) != nil)
        #expect(try host.users() == "second")
        let outcome = load.end()
        #expect(outcome.failures == [])
        #expect(outcome.count > 0)
    }

    @Test("tells everybody who follows, and stops when nobody does")
    func several() async throws {
        let host = try folder.servingHost()
        do {
            let (one, other) = (try host.followedChanges(), try host.followedChanges())
            try folder.dropUsers("second")
            #expect(await change("users: draining → serving", of: one) != nil)
            #expect(await change("users: draining → serving", of: other) != nil)
        }
        let again = try host.followedChanges()
        try folder.dropUsers("third")
        #expect(await change("users: draining → serving", of: again) != nil)
    }
}
