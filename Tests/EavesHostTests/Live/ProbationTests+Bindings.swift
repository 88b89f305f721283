// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Synchronization
import Testing

@testable import EavesHost

// Services that are bound to other modules, or shared with a canary.
extension ProbationTests {
    // MARK: Bindings

    @Test("takes a binding back in the manifest, keeps the module out, and says why in the history")
    func badBinding() throws {
        try folder.dropUsers("old", id: "old")
        try dropFailing("new")
        try write(bindings: #""UserService": "old""#)
        let host = try host()
        #expect(try host.users() == "old")
        try host.swap("UserService", to: "new")
        #expect(changes(host) == ["UserService: old → new"])
        callBadly(host)
        host.catchUp()
        #expect(try host.users() == "old")
        let manifest = try Manifest.load(folder.file("manifest.json"))
        #expect(manifest.binding(of: "UserService") == "old")
        let history = try host.history
        let swap = try #require(history.first)
        #expect(swap.before == "new")
        #expect(swap.module == "old")
        #expect(swap.reason == "rolled back on probation: 30 of 30 calls failed")
        #expect(quarantine == ["new"])
        #expect(changes(host) == [])
        // The old module was good before. If the host judged it, an error of its own would lead to the bad one again.
        #expect(host.live.standing.trials == [])
    }

    @Test("refuses to bind a service on probation to a third module, and lets it go back")
    func secondSwap() throws {
        for id in ["one", "two", "three"] { try folder.dropUsers(id, id: id) }
        try write(bindings: #""UserService": "one""#)
        let host = try host()
        #expect(try host.users() == "one")
        try host.swap("UserService", to: "two")
        #expect(changes(host) == ["UserService: one → two"])
        try host.swap("UserService", to: "three")
        #expect(changes(host) == ["kept"])
        #expect(changes(host) == [])
        #expect(try host.users() == "two")
        try host.rollback(2)
        #expect(changes(host) == ["UserService: two → one"])
        try host.swap("UserService", to: "three")
        #expect(changes(host) == ["UserService: one → three"])
    }

    @Test("takes a swap on that had to wait when the probation ends")
    func waitingSwap() throws {
        for id in ["one", "two", "three"] { try folder.dropUsers(id, id: id) }
        try write(bindings: #""UserService": "one""#)
        let host = try host()
        #expect(try host.users() == "one")
        try host.swap("UserService", to: "two")
        #expect(changes(host) == ["UserService: one → two"])
        try host.swap("UserService", to: "three")
        #expect(changes(host) == ["kept"])
        call(host, 99)
        #expect(changes(host) == [])
        call(host, 1)
        #expect(changes(host) == ["two proven", "UserService: two → three"])
    }

    // MARK: Canaries

    @Test("gives a canary its share of the calls, and takes it back when it is bad")
    func badCanary() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(bindings: #""UserService": "old""#)
        let host = try host()
        host.catchUp()
        #expect(try host.users() == "old")
        try host.swap("UserService", canary: "new", share: 0.25)
        #expect(changes(host) == ["UserService: old 75, new 25"])
        #expect(try (0..<8).map { _ in try host.users() }.filter { $0 == "new" }.count == 2)
        for _ in 0..<2 {
            call(host, 16, failing: { $0 == "new" })
            #expect(changes(host) == [])
        }
        call(host, 16, failing: { $0 == "new" })
        #expect(changes(host) == ["new rolled back to old"])
        #expect(try (0..<20).map { _ in try host.users() } == Array(repeating: "old", count: 20))
        let manifest = try Manifest.load(folder.file("manifest.json"))
        #expect(manifest.binding(BindingKey("UserService"))?.target == .module("old"))
        #expect(quarantine == ["new"])
        #expect(changes(host) == [])
    }

    @Test("gives a canary more of the calls in steps, each of them a probation of its own")
    func steps() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(
            bindings: #""UserService": "old""#,
            probation: #"{ "seconds": 0, "calls": 20, "steps": ["25%", "100%"] }"#)
        let host = try host()
        #expect(try host.users() == "old")
        try host.swap("UserService", canary: "new", share: 0.1)
        #expect(changes(host) == ["UserService: old 90, new 10"])
        call(host, 150)
        #expect(changes(host) == [])
        call(host, 3_000)
        #expect(changes(host) == ["new proven", "UserService: old 75, new 25"])
        // The module that was good with less is judged anew.
        call(host, 40)
        #expect(changes(host) == [])
        call(host, 2_000)
        #expect(changes(host) == ["new proven", "UserService: old → new"])
        #expect(try host.users() == "new")
        let history = try host.history
        #expect(history.count == 3)
        let swap = try #require(history.first)
        #expect(swap.module == "new" && swap.reason == "passed its probation with less")
        try host.rollback()
        #expect(changes(host) == ["UserService: new → old", "UserService: old 75, new 25"])
    }

    @Test("does not raise a share that somebody has set meanwhile")
    func raisedMeanwhile() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(
            bindings: #""UserService": "old""#,
            probation: #"{ "seconds": 0, "calls": 20, "steps": ["25%", "40%"] }"#)
        let host = try host()
        #expect(try host.users() == "old")
        try host.swap("UserService", canary: "new", share: 0.1)
        #expect(changes(host) == ["UserService: old 90, new 10"])
        call(host, 3_000)
        // A person was faster, and went further.
        try host.swap("UserService", canary: "new", share: 0.4)
        #expect(changes(host) == ["new proven", "UserService: old 60, new 40"])
        #expect(try host.history.count == 2)
        // Nothing comes behind the last step.
        call(host, 3_000)
        #expect(changes(host) == [])
    }

    @Test("loads all who share a service when somebody first asks for it")
    func firstCall() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(bindings: #""UserService": { "new": 10, "old": 90, "by": "call" }"#)
        let host = try host()
        host.catchUp()
        let found = try (0..<20).map { _ in try host.users() }
        #expect(found.indices(of: "new").ranges.count == 2)
        #expect(found.filter { $0 == "new" }.count == 2)
        #expect(changes(host) == ["UserService: old 90, new 10"])
    }

    @Test("completes a canary, or rolls it back, as any other binding")
    func completing() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(bindings: #""UserService": "old""#)
        let host = try host()
        #expect(try host.users() == "old")
        try host.swap("UserService", canary: "new", share: 0.2)
        #expect(changes(host) == ["UserService: old 80, new 20"])
        try host.swap("UserService", canary: "new", share: 0.4)
        #expect(changes(host) == ["UserService: old 60, new 40"])
        try host.swap("UserService", to: "new")
        #expect(changes(host) == ["UserService: old → new"])
        #expect(try (0..<9).map { _ in try host.users() } == Array(repeating: "new", count: 9))
        try host.rollback(2)
        #expect(changes(host) == ["UserService: new → old", "UserService: old 80, new 20"])
        try host.rollback()
        #expect(changes(host) == ["UserService: old 1"])
        #expect(try (0..<9).map { _ in try host.users() } == Array(repeating: "old", count: 9))
    }

    @Test("lets one process draw for itself that does not stay up")
    func oneProcess() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(bindings: #""UserService": { "new": 10, "old": 90, "by": "call" }"#)
        let host = try host()
        #expect(Set(try (0..<20).map { _ in try host.users() }).count == 1)
        #expect(host.bindings.map(\.reason) == [.chance])
    }

    @Test("goes back by itself where nobody may write the manifest")
    func readOnlyManifest() throws {
        try folder.dropUsers("old", id: "old")
        try folder.dropUsers("new", id: "new")
        try write(bindings: #""UserService": "old""#)
        let host = try host()
        #expect(try host.users() == "old")
        try write(bindings: #""UserService": "new""#)
        #expect(changes(host) == ["UserService: old → new"])
        try folder.createFolder(".eaves/history.json")
        callBadly(host, failing: { _ in true })
        #expect(changes(host) == ["new rolled back to old", "UserService: new → old"])
        #expect(try host.users() == "old")
        #expect(changes(host) == [])
        // A person who binds it anew decides.
        try write(bindings: #""UserService": "old""#)
        #expect(changes(host) == [])
    }
}
