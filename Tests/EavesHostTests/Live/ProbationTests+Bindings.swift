// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesJSON
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesLife

// Services that are bound to other modules, or shared with a canary.
extension ProbationTests {
    // MARK: Bindings

    @Test("takes a binding back in the manifest, keeps the module out, and says why in the history")
    func badBinding() throws {
        try dropFailing("new")
        let host = try host(of: "old")
        try host.swap("UserService", to: "new")
        #expect(host.changes() == ["UserService: old → new"])
        callBadly(host)
        host.catchUp()
        #expect(try host.users() == "old")
        let manifest = try Manifest.load(folder.file("manifest.json"))
        #expect(manifest.chosen[BindingKey("UserService")]?.module == "old")
        let history = try host.history
        let swap = try #require(history.first)
        #expect(swap.before == "new")
        #expect(swap.module == "old")
        #expect(swap.reason == "rolled back on probation: 30 of 30 calls failed")
        #expect(quarantine == ["new"])
        #expect(host.changes() == [])
        // The old module was good before. If the host judged it, an error of its own would lead to the bad one again.
        #expect(host.live.standing.trials == [])
        // The bad one is in memory, and is kept out all the same: as the one module, and as a canary.
        try write(bindings: #""UserService": "new""#)
        #expect(host.changes() == ["kept"])
        try write(bindings: #""UserService": { "old": 90, "new": 10, "by": "call" }"#)
        _ = host.changes()
        #expect(host.live.standing.obstacles.map(\.subject) == ["UserService"])
        #expect(try (0..<20).map { _ in try host.users() } == Array(repeating: "old", count: 20))
    }

    // MARK: Canaries

    @Test("gives a canary its share of the calls, and takes it back when it is bad")
    func badCanary() throws {
        let host = try host(of: "old", "new")
        host.catchUp()
        try host.swap("UserService", canary: "new", share: 0.25)
        #expect(host.changes() == ["UserService: old 75, new 25"])
        #expect(try (0..<8).map { _ in try host.users() }.filter { $0 == "new" }.count == 2)
        for _ in 0..<2 {
            call(host, 16, failing: { $0 == "new" })
            #expect(host.changes() == [])
        }
        call(host, 16, failing: { $0 == "new" })
        #expect(host.changes() == ["new rolled back to old"])
        #expect(try (0..<20).map { _ in try host.users() } == Array(repeating: "old", count: 20))
        let manifest = try Manifest.load(folder.file("manifest.json"))
        #expect(manifest.binding(BindingKey("UserService"))?.target == .module("old"))
        #expect(quarantine == ["new"])
        #expect(host.changes() == [])
    }

    @Test("goes on with a canary that the process before has judged, after all that it has seen")
    func canaryHandedOver() throws {
        let host = try host(of: "old", "new", probation: #"{ "seconds": 60 }"#)
        host.catchUp()
        try host.swap("UserService", canary: "new", share: 0.25)
        #expect(host.changes() == ["UserService: old 75, new 25"])
        callBadly(host, windows: 2, of: 16) { $0 == "new" }
        let next = try handOver(from: host)
        #expect(next.changes() == ["UserService: old 75, new 25"])
        call(next, 16, failing: { $0 == "new" })
        #expect(next.changes() == ["new rolled back to old"])
        #expect(quarantine == ["new"])
    }

    @Test("gives a canary more of the calls in steps, each of them a probation of its own")
    func steps() throws {
        let host = try host(
            of: "old", "new", probation: #"{ "seconds": 0, "calls": 20, "steps": ["25%", "100%"] }"#
        )
        try host.swap("UserService", canary: "new", share: 0.1)
        #expect(host.changes() == ["UserService: old 90, new 10"])
        call(host, 150)
        #expect(host.changes() == [])
        call(host, 3_000)
        #expect(host.changes() == ["new proven", "UserService: old 75, new 25"])
        // The module that was good with less is judged anew.
        call(host, 40)
        #expect(host.changes() == [])
        call(host, 2_000)
        #expect(host.changes() == ["new proven", "UserService: old → new"])
        #expect(try host.users() == "new")
        let history = try host.history
        #expect(history.count == 3)
        let swap = try #require(history.first)
        #expect(swap.module == "new" && swap.reason == "passed its probation with less")
        try host.rollback()
        #expect(host.changes() == ["UserService: new → old", "UserService: old 75, new 25"])
    }

    @Test("does not raise a share that somebody has set meanwhile")
    func raisedMeanwhile() throws {
        let host = try host(
            of: "old", "new", probation: #"{ "seconds": 0, "calls": 20, "steps": ["25%", "40%"] }"#)
        try host.swap("UserService", canary: "new", share: 0.1)
        #expect(host.changes() == ["UserService: old 90, new 10"])
        call(host, 3_000)
        // A person was faster, and went further.
        try host.swap("UserService", canary: "new", share: 0.4)
        #expect(host.changes() == ["new proven", "UserService: old 60, new 40"])
        #expect(try host.history.count == 2)
        // Nothing comes behind the last step.
        call(host, 3_000)
        #expect(host.changes() == [])
    }

    @Test("loads all who share a service when somebody first asks for it")
    func firstCall() throws {
        for id in ["old", "new"] { try folder.dropUsers(id, id: id) }
        try write(bindings: #""UserService": { "new": 10, "old": 90, "by": "call" }"#)
        let host = try host()
        host.catchUp()
        let found = try (0..<20).map { _ in try host.users() }
        #expect(found.indices(of: "new").ranges.count == 2)
        #expect(found.filter { $0 == "new" }.count == 2)
        #expect(host.changes() == ["UserService: old 90, new 10"])
    }

    @Test("lets one process draw for itself that does not stay up")
    func oneProcess() throws {
        for id in ["old", "new"] { try folder.dropUsers(id, id: id) }
        try write(bindings: #""UserService": { "new": 10, "old": 90, "by": "call" }"#)
        let host = try host()
        #expect(Set(try (0..<20).map { _ in try host.users() }).count == 1)
        #expect(host.bindings.map(\.reason) == [.chance])
    }

    @Test("goes back by itself where nobody may write the manifest")
    func readOnlyManifest() throws {
        let host = try host(of: "old", "new")
        try write(bindings: #""UserService": "new""#)
        #expect(host.changes() == ["UserService: old → new"])
        try folder.createFolder(".eaves/history.json")
        callBadly(host, failing: { _ in true })
        #expect(host.changes() == ["new rolled back to old", "UserService: new → old"])
        #expect(try host.users() == "old")
        #expect(host.changes() == [])
        // A person who binds it anew decides.
        try write(bindings: #""UserService": "old""#)
        #expect(host.changes() == [])
    }
}

// Modules that may crash while they are judged.
extension ProbationTests {
    /// Constructors may crash, and so may the entry point.
    @Test(
        "lets the store know of a new file, and of a new binding, before a byte of the module runs")
    func recordsFirst() throws {
        try write(bindings: #""UserService": "users""#)
        try folder.dropUsers("first")
        let store = QuarantineStore(Store(of: folder.path, .own))
        let trials: @Sendable () -> [Trial] = { (try? store.trials(of: Int(getpid()))) ?? [] }
        let known = Mutex<[String]>([])
        var policy = LivePolicy(gateLimit: Patience.limit)
        policy.window = .zero
        let host = try Host(manifest: Manifest.load(folder.file("manifest.json")), policy: policy) {
            event in
            guard case .loading(let entry) = event else { return }
            let services = trials().map { $0.service ?? "a file" }.sorted()
            known.withLock { $0.append("\(entry.id): \(services.joined(separator: ", "))") }
        }
        #expect(try host.users() == "first")
        try folder.dropUsers("second")
        _ = host.changes()
        try folder.dropUsers("third", id: "others")
        try write(bindings: #""UserService": "others""#)
        _ = host.changes()
        #expect(try host.users() == "third")
        #expect(
            known.withLock { $0 } == [
                "users: ", "users: a file", "others: CommonInterface.UserService, a file",
            ])
        #expect(trials().count == 2)
    }

    /// Runs in a process of its own, which ends.
    @Test(
        "keeps out a new file, and the interface that it names, if loading that has ended a process once",
        .promptly, arguments: ["abort()", "exit(3)"])
    func endingInterface(_ ending: String) async throws {
        let place = try folder.write("", to: "place")
        let aborts = ending == "abort()"
        await #expect(processExitsWith: aborts ? .signal(SIGABRT) : .exitCode(70)) {
            [place = place as String, ending = ending as String] in
            let tests = try ProbationTests()
            try Files.replace(place, with: Array(tests.folder.path.utf8), mode: 0o600)
            try tests.loadInterface(ending)
        }
        let path = String(decoding: try Files.read(place), as: UTF8.self)
        defer { try? Files.removeTree(path) }
        let next = try Host(manifest: Path.join(path, "manifest.json"))
        let words = "'extras' crashed on probation, with \(aborts ? "SIGABRT" : "exit code 3")"
        let users = try #require(next.module("users"))
        let message = users.problems.first?.message ?? ""
        #expect(message.contains("its interface \(words)"), "\(message)")
        #expect(message.contains("the last good file takes its place"), "\(message)")
        #expect(users.state == .ready && next.module("extras")?.state == .quarantined)
    }

    /// Lets a host load a new file of a module that names an interface whose constructor runs this code.
    private func loadInterface(_ ending: String) throws {
        try write()
        try folder.dropUsers("first")
        var configuration = Host.Configuration()
        configuration.recordsCrashes = true
        let host = try Host(manifest: folder.file("manifest.json"), configuration)
        try #require(host.users() == "first")
        let extras = ModuleDeclaration(
            id: "extras", version: "1.0.0", summary: "More", layer: .interface,
            interface: InterfaceContent(module: "Extras", protocols: []))
        let constructor = "__attribute__((constructor)) static void end(void) { \(ending); }"
        let source = Binaries.source(
            note: ModuleNote(declaration: extras, tag: BuildTag(abi: 1)).json.text(pretty: false),
            entry: "#include <stdlib.h>\n" + constructor)
        try folder.write(CCompiler.first().compile(source), to: "Plugins/extras.so")
        var users = ModuleDeclaration.sample(provides: ["UserService"]).namingCommon()
        let stamp = try #require(extras.interfaceStamp)
        users.interfaces.append(InterfaceNeed("extras", built: stamp))
        let note = ModuleNote(declaration: users, tag: BuildTag(abi: 1))
        try folder.replaceUsers(Binaries.module(note))
        #expect(host.changes() == [])
    }
}
