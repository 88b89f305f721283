// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesLife
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("The state of modules", .onOwnThreads, .patiently)
struct StateHandoverTests {
    let folder: TemporaryFolder
    let diary = Diary()

    init() throws {
        folder = try TemporaryFolder()
    }

    func drop(
        _ words: String, id: String = "users",
        writing: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 },
        reading: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
    ) throws {
        try folder.dropUsers(id: id) { [diary] _ in
            StatefulUsers(words, diary, writing: writing, reading: reading)
        }
    }

    func host(
        bindings: String = "", observer: HostObservers = HostObservers(),
        gateLimit: Duration = Patience.limit
    ) throws -> Host {
        try Host(
            manifest: folder.manifest(bindings: bindings), observers: observer,
            policy: LivePolicy(gateLimit: gateLimit))
    }

    /// A host that has loaded the module `users`, whose words are `first` and whose state is 1.
    private func statefulHost() throws -> Host {
        try drop("first")
        let host = try host()
        try host.stateful().add(1)
        return host
    }

    func refusal(_ host: Host) throws -> String {
        for change in host.catchUp() {
            switch change {
            case .refused(let generation, _):
                return generation.problems.map(\.message).joined(separator: "\n")
            case .kept(let error): return "\(error)"
            default: continue
            }
        }
        throw FixtureError("nothing was refused")
    }

    @Test("goes to the new generation before it starts, and back again")
    func there() throws {
        try drop("first")
        let first = try Files.read(folder.file("Plugins/users.so"))
        let host = try host()
        try host.stateful().add(1)
        // The second generation keeps its state in another format, which begins with a mark.
        try drop(
            "second", writing: { [99] + $0 },
            reading: { $0.first == 99 ? Array($0.dropFirst()) : $0 })
        #expect(try refusal(host).contains("would lose state"))
        #expect(try host.stateful().words == "first")
        try drop("third", writing: { $0 }, reading: { $0.first == 99 ? Array($0.dropFirst()) : $0 })
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.stateful().words == "third")
        #expect(try host.stateful().bytes == [1])
        try host.stateful().add(2)
        try folder.replaceUsers(first)
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.stateful().words == "first")
        #expect(try host.stateful().bytes == [1, 2])
        #expect(
            diary.lines.filter { $0.contains("starts") } == [
                "first starts with []", "third starts with [1]", "first starts with [1, 2]",
            ])
    }

    @Test("a generation that does not take it on is refused, with the reason")
    func refusals() throws {
        let host = try statefulHost()
        try drop("second", reading: { _ in throw FixtureError("unknown format") })
        #expect(
            try refusal(host).contains(
                "would lose state: the new code cannot read the snapshot of the old code: restore "
                    + "failed: unknown format"))
        try drop("third", reading: { Array($0.dropLast()) })
        #expect(try refusal(host).contains("the old code would give another snapshot than now"))
        try drop("fourth", writing: { _ in throw FixtureError("disk full") })
        #expect(try refusal(host).contains("snapshot failed: disk full"))
        try folder.dropUsers("stateless")
        #expect(try refusal(host).contains("keeps state, and the new code takes on none"))
        #expect(try host.stateful().bytes == [1])
        #expect(diary.lines == ["first starts with []"])
    }

    @Test(
        "a snapshot of the new code that the old code cannot read would lose what is written since")
    func wayBack() throws {
        try folder.dropUsers { [diary] _ in
            StatefulUsers(
                "first", diary,
                reading: {
                    guard $0.first != 99 else { throw FixtureError("format 99") }
                    return $0
                })
        }
        let host = try host()
        try host.stateful().add(1)
        try drop(
            "second", writing: { [99] + $0 },
            reading: { $0.first == 99 ? Array($0.dropFirst()) : $0 })
        let reason = try refusal(host)
        #expect(reason.contains("the old code cannot read a snapshot of the new code"))
        #expect(reason.contains("restore failed: format 99"))
    }

    @Test("is lost only on demand: by a program, or by the manifest's entry")
    func discarding() throws {
        let host = try statefulHost()
        try drop("second", reading: { _ in throw FixtureError("unknown format") })
        #expect(host.changes() == ["users refused"])
        #expect(host.changes() == [])
        try folder.rewriteManifest(modules: #""users": { "discardState": true }"#)
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes == [])
        try folder.rewriteManifest()
        #expect(host.changes() == [])
        try folder.dropUsers("stateless")
        #expect(host.changes() == ["users refused"])
        #expect(host.changes(discarding: true) == ["users: draining → serving"])
        #expect(try host.users() == "stateless")
    }

    @Test("of a process before is no state of a generation that comes later and begins without any")
    func handedTooLate() throws {
        let host = try statefulHost()
        try host.restore(["users": [7]])
        try folder.rewriteManifest(modules: #""users": { "discardState": true }"#)
        try drop("second", reading: { _ in throw FixtureError("unknown format") })
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes == [])
    }

    @Test(
        "goes along when a service is bound to another module, and back with what was written since"
    )
    func bindings() throws {
        try drop("first")
        try drop("other", id: "other")
        let own = #""UserService": "users""#
        let host = try host(bindings: own)
        try host.stateful().add(1)
        try folder.rewriteManifest(bindings: #""UserService": "other""#)
        #expect(host.changes() == ["UserService: users → other"])
        #expect(try host.stateful().words == "other")
        #expect(try host.stateful().bytes == [1])
        try host.stateful().add(2)
        try folder.rewriteManifest(bindings: own)
        #expect(host.changes() == ["UserService: other → users"])
        #expect(try host.stateful().words == "first")
        #expect(try host.stateful().bytes == [1, 2])
    }

    @Test("what is written to the old object until it has drained is carried over")
    func lateWrite() throws {
        try drop("first")
        let host = try host()
        // An object that exists is lent without a count: the generation does not drain meanwhile.
        _ = try host.stateful()
        let call = try HeldCall(to: host, borrowing: true)
        try drop("second")
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.stateful().bytes == [])
        try call.end()
        try diary.wait(for: "first stops")
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes == [5])
    }

    @Test("what cannot be carried over, because the new object was written to as well, is told")
    func lostWrite() throws {
        try drop("first")
        let observers = HostObservers()
        let lost = Awaited<String>()
        observers.add { event in
            if case .changed(.stateLost(let error)) = event { lost.set("\(error)") }
        }
        let host = try host(observer: observers)
        _ = try host.stateful()
        let call = try HeldCall(to: host, borrowing: true)
        try drop("second")
        #expect(host.changes() == ["users: draining → serving"])
        try host.stateful().add(6)
        try call.end()
        let told = try #require(lost.wait(within: Patience.limit))
        #expect(told.contains("state that was written to the old 'users' after the switch is lost"))
        #expect(try host.stateful().bytes == [6])
    }

    @Test(
        "goes to a process that takes this one's place: snapshots by module, restored before the start"
    )
    func nextProcess() throws {
        try drop("first")
        let host = try host()
        try host.stateful().add(7)
        let snapshots = try host.stateSnapshots()
        #expect(snapshots == ["users": [7]])
        let next = try self.host()
        try next.restore(snapshots)
        #expect(try next.stateful().bytes == [7])
        #expect(diary.lines.last == "first starts with [7]")
        // A module that cannot is refused.
        try drop("second", reading: { _ in throw FixtureError("unknown format") })
        let third = try self.host()
        try third.restore(snapshots)
        #expect(throws: ResolutionError.self) { try third.stateful() }
    }

    @Test("goes on from process to process, also where the module is not loaded in between")
    func notLoaded() throws {
        try drop("first")
        let next = try host()
        try next.restore(["users": [7]])
        #expect(next.keepsState)
        #expect(try next.stateSnapshots() == ["users": [7]])
        #expect(next.stateChanges(since: ["users": [7]]) == [])
        #expect(try next.stateful().bytes == [7])
        try next.stateful().add(8)
        #expect(try next.stateSnapshots() == ["users": [7, 8]])
    }

    @Test("is not dropped where the file that a fresh process has loaded keeps none")
    func keptByNone() throws {
        try folder.dropUsers("stateless")
        let host = try host()
        #expect(try host.users() == "stateless")
        let error = try #require(throws: ModuleError.self) { try host.restore(["users": [7]]) }
        #expect("\(error)".contains("'users' keeps state, and the new code takes on none"))
    }

    @Test("stays with the module that has it in the process before, until the fresh one has looked")
    func otherBinding() throws {
        try drop("first")
        try drop("other", id: "other")
        let host = try host(bindings: #""UserService": "users""#)
        try host.stateful().add(1)
        let next = try self.host(bindings: #""UserService": "other""#)
        let missing = try next.load(
            ["users"], bound: host.providers, restoring: host.stateSnapshots())
        #expect(missing == nil)
        #expect(try next.stateful().words == "first")
        #expect(next.providers == host.providers)
        #expect(next.changes() == ["UserService: users → other"])
        #expect(try next.stateful().words == "other")
        #expect(try next.stateful().bytes == [1])
    }
}
