// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesQuarantine
import EavesRegistry
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesLife

// New files of modules that are loaded.
extension ProbationTests {
    @Test("goes back to the old code of a module whose new file fails, and keeps the file out")
    func badFile() throws {
        let host = try servingHost()
        try dropFailing()
        #expect(host.changes() == ["users: draining → serving"])
        callBadly(host)
        #expect(host.changes() == ["users rolled back to before", "users: draining → serving"])
        #expect(try host.users() == "first")
        #expect(host.changes() == [])
        #expect(quarantine == ["users"])
        // The next host does not load it either, and loads the good one.
        let next = try self.host()
        #expect(try next.users() == "first")
        let module = try #require(next.module("users"))
        #expect(module.state == .ready && module.problems.count == 1)
        let obstacle = try #require(next.live.standing.obstacles.first)
        #expect(obstacle.subject == "users")
        let words = try #require(obstacle.problems.first).message
        #expect(words.contains("rolled back on probation: 30 of 30 calls failed"))
        #expect(words.contains("the last good file takes its place: version 1.0.0"))
        // Where nothing was kept, it cannot be loaded.
        try Files.removeTree(folder.file(".eaves/good"))
        let last = try self.host()
        let error = #expect(throws: ResolutionError.self) { try last.users() }
        #expect(
            "\(try #require(error))".contains("rolled back on probation: 30 of 30 calls failed"))
        // The mended one is taken.
        try folder.dropUsers("third", version: "3.0.0")
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.users() == "third")
        #expect(host.generations.filter { $0.state == .serving }.count == 1)
    }

    @Test("takes a file back that the process before has judged, whose good code it does not have")
    func handedOver() throws {
        let host = try hostWithTwoBadWindows()
        let next = try handOver(from: host)
        try expectTakenBack(by: next)
        #expect(next.changes() == [])
    }

    @Test(
        "takes a bad file back that was judged when the process before was killed, or ended",
        arguments: [false, true])
    func gone(isOrderly: Bool) throws {
        let host = try hostWithTwoBadWindows()
        if isOrderly { host.stop() }
        // No process has this number.
        let (store, killed) = (QuarantineStore(Store(of: folder.path, .own)), 1 << 30)
        let trials = try store.trials(of: Int(getpid()))
        try store.setTrials([], of: Int(getpid()))
        try store.setTrials(trials.map { $0.passed(to: killed) }, of: killed)
        let next = try self.host()
        next.live.inheritTrials(of: nil)
        // The load of the module wakes the judge, and nothing else before a day is over.
        #expect(try #require(next.live.running.nextLook()) > .now + .seconds(3600))
        try expectTakenBack(by: next)
    }

    /// A host that serves a second file, of which two windows of calls have failed.
    private func hostWithTwoBadWindows() throws -> Host {
        let host = try servingHost()
        try folder.dropUsers("second")
        #expect(host.changes() == ["users: draining → serving"])
        callBadly(host, windows: 2, of: 10) { $0 == "second" }
        return host
    }

    /// Expects that a host goes on with a trial after two bad windows, and that the third one ends it.
    private func expectTakenBack(by next: Host) throws {
        #expect(try next.users() == "second")
        let trial = try #require(next.live.standing.trials.first)
        #expect(trial.module == "users" && trial.calls == 20 && trial.failedCalls == 20)
        call(next, 10, failing: { $0 == "second" })
        #expect(next.changes() == ["users rolled back to before", "users: draining → serving"])
        #expect(try next.users() == "first")
        #expect(quarantine == ["users"])
    }

    @Test("judges at its end what has failed since the last look, and keeps the file out")
    func lastWindow() throws {
        let host = try hostWithTwoBadWindows()
        call(host, 10) { $0 == "second" }
        host.stop()
        #expect(quarantine == ["users"])
        #expect(try self.host().users() == "first")
    }

    @Test("compares a new file with the calls of the old one: a slow one goes, one as bad stays")
    func comparedFile() throws {
        let host = try servingHost()
        #expect(!host.container.accounts.isOn)
        #expect(host.changes() == [])
        var number = 0
        let every = { (_: String) in
            number += 1
            return number.isMultiple(of: 4)
        }
        call(host, 40, failing: every)
        try folder.dropUsers("slow")
        #expect(host.changes() == ["users: draining → serving"])
        callBadly(host) { words in
            if words == "slow" { Patience.letPass(.milliseconds(2)) }
            return every(words)
        }
        #expect(host.changes() == ["users rolled back to before", "users: draining → serving"])
        #expect(try host.users() == "first")
        try folder.dropUsers("third")
        #expect(host.changes() == ["users: draining → serving"])
        call(host, 100, failing: every)
        #expect(host.changes() == ["users proven"])
        // From now on, those are the usual calls.
        try folder.dropUsers("fourth")
        #expect(host.changes() == ["users: draining → serving"])
        callBadly(host, failing: { $0 == "fourth" })
        #expect(host.changes().first == "users rolled back to before")
        #expect(try host.users() == "third")
    }

    @Test("ends the probation of a file whose calls are good, and judges it no more")
    func goodFile() throws {
        let host = try servingHost()
        #expect(host.changes() == [])
        call(host, 10)
        let usual = { host.live.container.accounts.usualCalls(of: "users")?.calls ?? 0 }
        #expect(usual() == 10)
        try folder.dropUsers("second")
        #expect(host.changes() == ["users: draining → serving"])
        let record = ".eaves/quarantine/probation.json"
        #expect(try folder.read(record).contains(#""module": "users""#))
        call(host, 99)
        #expect(host.changes() == [])
        call(host, 1)
        #expect(host.changes() == ["users proven"])
        #expect(!folder.has(record))
        #expect(usual() == 0, "the calls of the generation before")
        call(host, 20, failing: { _ in true })
        #expect(host.changes() == [])
        #expect(try host.users() == "second")
    }

    @Test("starts later with the file that has passed its probation, if a newer one is bad")
    func lastGood() throws {
        let host = try hostOfSecondVersion()
        // Until it has passed, the first one is the place to go back to.
        #expect(try lastGoodVersion == "1.0.0")
        call(host, 100)
        #expect(host.changes() == ["users proven"])
        #expect(try lastGoodVersion == "2.0.0")
        try dropFailing(version: "3.0.0")
        #expect(host.changes() == ["users: draining → serving"])
        callBadly(host)
        #expect(host.changes().first == "users rolled back to before")
        #expect(try self.host().users() == "second")
        // A mended file is taken by that host, too.
        let next = try self.host()
        #expect(try next.users() == "second")
        try folder.dropUsers("fourth", version: "4.0.0")
        #expect(next.changes() == ["users: draining → serving"])
        #expect(try next.users() == "fourth")
    }

    @Test(
        "goes back to the last good file if its file is kept out, and judges the next one against that"
    )
    func keptOut() throws {
        let host = try hostOfSecondVersion()
        let file = folder.file("Plugins/users.so")
        let users = SuspectModule(id: "users", path: "Plugins/users.so", file: file)
        let store = QuarantineStore(Store(of: folder.path, .own))
        #expect(try store.keepOut(users, because: "of a test", since: 1))
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.users() == "first")
        #expect(host.live.standing.trials == [])
        #expect(host.live.standing.obstacles.map(\.subject) == ["users"])
        // The host does not go back to what is kept out.
        try dropFailing(version: "3.0.0")
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try lastGoodVersion == "1.0.0")
        callBadly(host)
        #expect(host.changes() == ["users rolled back to before", "users: draining → serving"])
        #expect(try host.users() == "first")
        // The reason is that of the present file, and not that of the one before.
        #expect(host.changes() == [])
        let words = host.live.standing.obstacles.flatMap(\.problems).map(\.message)
        #expect(words.count == 1)
        #expect(words.first?.contains("rolled back on probation: 30 of 30 calls failed") == true)
    }

    /// A host whose second file serves on probation.
    private func hostOfSecondVersion() throws -> Host {
        let host = try servingHost()
        try folder.dropUsers("second", version: "2.0.0")
        #expect(host.changes() == ["users: draining → serving"])
        return host
    }

    /// The version of the copy that is kept of the module `users`.
    private var lastGoodVersion: String? {
        get throws {
            let file = LastGoodStore(Store(of: folder.path, .own)).file(of: "users")
            return try #require(file.map { ModuleContent($0.path) }).note?.declaration.version
        }
    }

    /// A host with users that keep a state, whose second file serves on probation. The state is 1.
    private func hostOfSecondFile() throws -> Host {
        try write()
        let diary = Diary()
        try folder.dropUsers { _ in StatefulUsers("first", diary) }
        let host = try host()
        try host.stateful().add(1)
        try folder.dropUsers { _ in StatefulUsers("second", diary) }
        #expect(host.changes() == ["users: draining → serving"])
        return host
    }

    @Test("takes a bad file back, and keeps what was written while it served")
    func stateOfBadFile() throws {
        let host = try hostOfSecondFile()
        try host.stateful().add(2)
        for _ in 0..<12 {
            #expect(throws: FixtureError.self) {
                try host.services.resolver.call((any UserService).self) { _ in
                    throw FixtureError("call")
                }
            }
            host.catchUp()
        }
        let users = try host.stateful()
        #expect(users.words == "first")
        #expect(users.bytes == [1, 2])
        #expect(quarantine == ["users"])
    }

    @Test("takes back a file whose module is not healthy")
    func illness() throws {
        let host = try servingHost()
        let health = Health()
        try folder.drop(.sample(provides: ["UserService"])) { registrar in
            registrar.lifecycle(health)
            registrar.register((any UserService).self, scope: .shared) { _ in
                KeptUsers(words: "second")
            }
        }
        #expect(host.changes() == ["users: draining → serving"])
        call(host, 4)
        #expect(host.changes() == [])
        health.fails()
        let retreats = host.catchUp().compactMap { change -> HostChange.Retreat? in
            if case .rolledBack(let retreat) = change { retreat } else { nil }
        }
        #expect(retreats.map(\.reasons) == [["health check failed: the disk is full"]])
        #expect(try host.users() == "first")
    }
}

private final class Health: Lifecycle {
    private let isFailing = Atomic(false)

    func fails() { isFailing.store(true, ordering: .relaxed) }

    var isHealthy: Bool {
        get throws {
            if isFailing.load(ordering: .relaxed) { throw FixtureError("the disk is full") }
            return true
        }
    }
}
