// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

// Generations that follow each other.
extension LifecycleTests {
    @Test("a new generation starts before it serves, and the old one stops when it has drained")
    func swap() async throws {
        let host = try await servingHost()
        try drop("second", starting: { [diary] _ in diary.note("first serves") })
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try await users(host) == "second")
        try diary.wait(for: "first has stopped")
        #expect(
            diary.lines == [
                "first starts", "second starts", "first serves", "first stops", "first has stopped",
            ])
        host.stop()
        #expect(diary.lines.suffix(2) == ["second stops", "second has stopped"])
    }

    /// A way to call a service.
    enum Call: CaseIterable {
        case byCall, byHandle, byFirstBorrow
    }

    @Test(
        "the old one does not stop before a call that is under way in it has ended",
        arguments: Call.allCases)
    func swapDuringCall(call: Call) async throws {
        try drop("first")
        let host = try host()
        let resolver = host.services.resolver
        let (inside, goOn) = (Awaited<Bool>(), Awaited<Bool>())
        try DetachedThread.start { [diary] in
            let body: @Sendable (any UserService) -> Void = { _ in
                inside.set(true)
                _ = goOn.wait(within: Patience.limit)
                diary.note("the call ends")
            }
            do {
                switch call {
                case .byCall: try resolver.call((any UserService).self, body)
                case .byHandle:
                    var handle = try resolver.handle((any UserService).self)
                    try handle.borrow(body)
                case .byFirstBorrow: try resolver.borrow((any UserService).self, body)
                }
            } catch {
                diary.note("\(error)")
            }
        }
        #expect(inside.wait(within: Patience.limit) == true)
        try drop("second")
        #expect(host.changes() == ["users: draining → serving"])
        let name = try await resolver.callAsync((any UserService).self) {
            try await $0.users()[0].name
        }
        #expect(name == "second")
        #expect(host.generations.contains { $0.state == .draining })
        goOn.set(true)
        try diary.wait(for: "first has stopped")
        #expect(
            diary.lines == [
                "first starts", "second starts", "the call ends", "first stops",
                "first has stopped",
            ])
        host.stop()
    }

    @Test("while a new generation starts, others load modules, and get the old one")
    func loadingMeanwhile() async throws {
        try folder.addLoadable(.sampleEvents())
        let host = try await servingHost()
        let (begun, goOn) = (Awaited<Bool>(), Awaited<Bool>())
        try drop(
            "second",
            starting: { _ in
                begun.set(true)
                _ = goOn.wait(within: Patience.limit)
            })
        let caughtUp = Awaited<[String]>()
        try DetachedThread.start { caughtUp.set(host.catchUp().map(\.words)) }
        #expect(begun.wait(within: Patience.limit) == true)
        _ = try host.resolve((any EventHandler).self)
        #expect(try await users(host) == "first")
        goOn.set(true)
        let changes = try #require(caughtUp.wait(within: Patience.limit))
        #expect(changes.contains("users: draining → serving"))
        #expect(try await users(host) == "second")
    }

    @Test("a new generation that is not healthy leaves the old one serving, and stops again")
    func refusals() async throws {
        let host = try await servingHost()
        try drop("second", starting: { _ in throw FixtureError("no disk") })
        #expect(host.changes() == ["users refused"])
        try drop("third", health: { false })
        #expect(host.changes() == ["users refused"])
        #expect(try await users(host) == "first")
        try diary.wait(for: "third has stopped")
        #expect(!diary.lines.contains("first stops") && !diary.lines.contains("second stops"))
    }

    @Test("a module that is switched off stops, and starts again as a new generation")
    func switchedOff() async throws {
        let host = try await servingHost()
        try folder.rewriteManifest(modules: #""users": { "enabled": false }"#)
        #expect(host.changes() == ["users stopped"])
        try diary.wait(for: "first has stopped")
        try folder.rewriteManifest()
        #expect(host.changes() == [])
        #expect(try await users(host) == "first")
        #expect(diary.lines.last == "first starts")
    }

    @Test(
        "a call creates of the generation with which it began, until it has lasted for the drain deadline",
        arguments: [(Duration.zero, "second"), (Patience.limit, "first")])
    func oneGeneration(_ deadline: Duration, _ words: String) throws {
        func drop(_ words: String) throws {
            try folder.drop(.sample(provides: ["UserService"])) { [diary] registrar in
                registrar.register((any UserService).self) { _ in LivingUsers(words, diary) }
            }
        }
        try drop("first")
        let host = try host(policy: LivePolicy(drainDeadline: deadline))
        _ = try host.resolve((any UserService).self)
        host.catchUp()
        let found = try host.services.resolver.call((any UserService).self) { _ in
            try drop("second")
            host.catchUp()
            return try host.resolve((any UserService).self) as? LivingUsers
        }
        #expect(found?.words == words)
    }

    @Test("a generation that does not drain in time is told once, with what may be under way")
    func drainDeadline() throws {
        try drop("first")
        let host = try host(policy: LivePolicy(drainDeadline: .zero))
        // An object that exists is lent without a count: the generation does not drain meanwhile.
        _ = try host.resolve((any UserService).self)
        let call = try HeldCall(to: host, borrowing: true)
        try drop("second")
        let changes = host.catchUp() + host.catchUp()
        try call.end()
        let told = changes.compactMap { change -> String? in
            if case .lingering(_, let error) = change { "\(error)" } else { nil }
        }
        try #require(told.count == 1)
        #expect(told[0].contains("of 'users' has not drained after"))
        #expect(told[0].contains("UserService"))
        try diary.wait(for: "first has stopped")
        // A caller that asks for the generations sees that it has drained, and takes the news from no follower.
        #expect(host.generations.map(\.state) == [.retired, .serving])
        #expect(host.catchUp().map(\.words) == ["users retired"])
    }

    @Test(
        "'stop' does not wait for a feature that has resolved the service, and the feature goes on")
    func featureDuringSwap() async throws {
        try drop("first")
        let (inside, outcome) = (Awaited<Bool>(), Awaited<String>())
        let (leave, goOn) = AsyncStream<Void>.makeStream()
        try folder.drop(.sample("watch", features: ["watch"])) { registrar in
            registrar.registerFeature("watch") { resolver in
                Watching(users: try resolver.resolve((any UserService).self)) {
                    inside.set(true)
                    for await _ in leave { break }
                }
            }
        }
        let host = try host()
        Task {
            let console = KeptConsole()
            _ = try await host.launch("watch", Launch(arguments: [], console: console))
            outcome.set(console.text)
        }
        #expect(inside.wait(within: Patience.limit) == true)
        try drop("second")
        #expect(host.changes() == ["users: draining → serving"])
        try diary.wait(for: "first has stopped")
        #expect(outcome.wait(within: .zero) == nil)
        #expect(try await users(host) == "second")
        goOn.finish()
        #expect(outcome.wait(within: Patience.limit) == "first")
    }
}

/// A feature that keeps users, and asks them after a while.
private struct Watching: Feature {
    let users: any UserService
    let pause: @Sendable () async -> Void

    func launch(_ launch: Launch) async throws -> ExitCode {
        await pause()
        try launch.console.write(try await users.users()[0].name)
        return .success
    }
}

// Modules that use each other, and their ends.
extension LifecycleTests {
    @Test(
        "a host that stops stops users before what they use, also if one of them was exchanged",
        arguments: ["walk", "first", "second", "third"])
    func stopOrder(exchanged: String) throws {
        let ids = ["walk", "first", "second", "third"]
        for id in ids { try dropLink(id, id) }
        let host = try host()
        _ = try host.resolve((any PopUpFactory).self)
        #expect(Set(diary.lines) == Set(ids.map { "\($0) starts" }))
        try dropLink(exchanged, "\(exchanged) anew")
        #expect(host.changes() == ["\(exchanged): draining → serving"])
        try diary.wait(for: "\(exchanged) has stopped")
        host.stop()
        let stopped = diary.lines.filter { $0.hasSuffix(" has stopped") }
        #expect(
            stopped.dropFirst().elementsEqual(
                ids.map { $0 == exchanged ? "\($0) anew has stopped" : "\($0) has stopped" }))
    }

    /// Drops a module of a chain, in which each one uses the next one.
    private func dropLink(_ id: String, _ words: String) throws {
        func drop<Own: Sendable>(
            _ own: Own.Type, _ link: Own, providing service: String, requiring next: String?
        ) throws {
            let declaration = ModuleDeclaration.sample(
                id, provides: [service], requires: next.map { [$0] } ?? [])
            try folder.drop(declaration) { [diary] registrar in
                registrar.lifecycle(LivingUsers(words, diary))
                registrar.register(own, scope: .shared) { _ in link }
            }
        }
        switch id {
        case "walk":
            try drop(
                (any PopUpFactory).self, PopUps(), providing: "PopUpFactory",
                requiring: "LoginFactory")
        case "first":
            try drop(
                (any LoginFactory).self, Logins(module: id), providing: "LoginFactory",
                requiring: "UserService")
        case "second":
            try drop(
                (any UserService).self, Users(module: id), providing: "UserService",
                requiring: "EventHandler")
        default:
            try drop(
                (any EventHandler).self, Events(module: id), providing: "EventHandler",
                requiring: nil)
        }
    }
}

private struct PopUps: PopUpFactory {
    func makePopUp(
        message: String, router: ScreenRouter
    ) throws -> any PopUpViewModelInterface {
        throw NoScreen()
    }
}
