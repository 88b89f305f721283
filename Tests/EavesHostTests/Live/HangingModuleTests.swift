// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesLife

@Suite("A host that stays up, and a module that does not return", .promptly, .patiently)
struct HangingModuleTests {
    /// Runs in a process of its own: a module that hangs is waited for by all hosts of a process.
    @Test("refuses a file that does not register in time, and goes on, whatever becomes of it")
    func registering() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try folder.dropUsers("first")
            var policy = LivePolicy(loadLimit: .seconds(3))
            policy.window = .seconds(60)
            let host = try Host(manifest: folder.manifest(bindings: ""), policy: policy)
            try #require(host.users() == "first")
            let (goesOn, hasReturned) = (Awaited<Bool>(), Awaited<Bool>())
            try folder.drop(.sample(provides: ["UserService"])) { registrar in
                _ = goesOn.wait(within: Patience.limit)
                registrar.register((any UserService).self) { _ in KeptUsers(words: "late") }
                hasReturned.set(true)
            }
            let refusals = host.catchUp().compactMap { change -> String? in
                if case .refused(let generation, _) = change {
                    generation.problems.first?.message
                } else {
                    nil
                }
            }
            try #require(refusals.count == 1)
            try #require(refusals[0].contains("did not register within 3.0 seconds"), "\(refusals)")
            try #require(host.users() == "first" && host.catchUp().isEmpty)
            // Whoever starts now does not wait for it.
            try #require(Host(manifest: folder.manifest(bindings: "")).users() == "first")
            let standing = host.live.standing.obstacles
            try #require(standing.map(\.subject) == ["users"], "\(standing)")
            try folder.dropUsers("third")
            try #require(host.catchUp().map(\.words).contains("users: draining → serving"))
            try #require(host.users() == "third")
            goesOn.set(true)
            try #require(hasReturned.wait(within: Patience.limit) == true)
            host.catchUp()
            try #require(host.users() == "third")
            try #require(host.stop())
        }
    }

    /// Runs in a process of its own: another suite's host would wait for the linker, too.
    @Test(
        "loads others, answers and stops while a module registers, for the first time or with a new file",
        arguments: [false, true])
    func meanwhile(isSwap: Bool) async {
        await #expect(processExitsWith: .success) { [isSwap] in
            let folder = try TemporaryFolder()
            if isSwap { try folder.dropUsers("first") }
            try folder.drop(.sampleEvents()) { registrar in
                registrar.register((any EventHandler).self) { _ in Events(module: "events") }
            }
            let host = try Host(
                manifest: folder.manifest(bindings: ""),
                policy: LivePolicy(loadLimit: Patience.limit))
            if isSwap { try #require(host.users() == "first") }
            let (begun, goesOn) = (Awaited<Bool>(), Awaited<Bool>())
            try folder.drop(.sample(provides: ["UserService"])) { registrar in
                begun.set(true)
                _ = goesOn.wait(within: Patience.limit)
                registrar.register((any UserService).self) { _ in KeptUsers(words: "late") }
            }
            let outcome = Awaited<String>()
            try DetachedThread.start {
                if isSwap { host.catchUp() }
                outcome.set("\(Result { try host.users() })")
            }
            try #require(begun.wait(within: Patience.limit) == true)
            _ = try host.resolve((any EventHandler).self)
            if isSwap { try #require(host.users() == "first") }
            let serving = host.generations.filter { $0.state == .serving }.map(\.module)
            try #require(serving.sorted() == (isSwap ? ["events", "users"] : ["events"]))
            try #require(host.live.standing.obstacles.isEmpty)
            try #require(host.stop())
            goesOn.set(true)
            let end = try #require(outcome.wait(within: Patience.limit))
            // A module that registers too late is no part of a host that has stopped.
            try #require(end.contains(isSwap ? "first" : "the host has stopped"), "\(end)")
        }
    }
}
