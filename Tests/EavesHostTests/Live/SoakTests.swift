// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost
@testable import EavesModules

/// A host under load gets one new generation after the other, and one in ten of them is bad.
///
/// It gets a dozen of them, and in a soak as many as there is time for, or as one process can have.
@Suite("A soak of swaps under load", .onOwnThreads, .patiently)
struct SoakTests {
    private let folder: TemporaryFolder

    /// The ways in which a file can be bad.
    private enum Fault: CaseIterable {
        case noEntry, failingRegistration, wrongDeclaration, failingHealth, truncated, inPieces,
            wrongDigest

        /// All of them, in any order. The one that becomes good comes last: a short run may have one only.
        static var turn: [Fault] {
            allCases.filter { $0 != .inPieces }.shuffled() + [.inPieces]
        }
    }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("loses no call, takes every good file and refuses every bad one")
    func soak() async throws {
        try folder.dropUsers("0")
        let host = try folder.host()
        #expect(try host.users() == "0")
        let changes = try host.followedChanges()
        let load = Load(host, resting: Soak.seconds == nil)
        var faults: [Fault] = []
        let end = ContinuousClock.now + .seconds(Soak.seconds ?? 0)
        var number = 0
        var refused = 0
        // There is a bad one among the first dozen. The system allows a process the mappings of 13,000 files.
        while (ContinuousClock.now < end && number < 10_000) || number < 12 {
            number += 1
            if number % 10 == 5 {
                if faults.isEmpty { faults = Fault.turn }
                if try await breakUsers(faults.removeFirst(), number, changes) { refused += 1 }
            } else {
                try await swapUsers(number, host, changes)
            }
        }
        try await swapUsers(number + 1, host, changes)
        let outcome = load.end()
        #expect(outcome.failures == [])
        #expect(outcome.stale == 0)
        #expect(outcome.count > 100)
        #expect(refused > 0)
        #expect(
            host.generations.filter { $0.state == .refused }.allSatisfy { !$0.problems.isEmpty })
        // All of it has left a folder with which a fresh host can begin.
        #expect(try Host(manifest: folder.file("manifest.json")).users() == "\(number + 1)")
    }

    /// Drops a good file, and waits until it serves.
    private func swapUsers(_ number: Int, _ host: Host, _ changes: AsyncStream<HostChange>)
        async throws
    {
        try folder.dropUsers("\(number)")
        let swapped = await changes.first { $0.words == "users: draining → serving" }
        #expect(swapped != nil)
        #expect(try host.users() == "\(number)")
    }

    /// Drops a bad file, and waits until it was refused, or became good.
    ///
    /// - Returns: Whether it was refused.
    private func breakUsers(
        _ fault: Fault, _ number: Int, _ changes: AsyncStream<HostChange>
    ) async throws -> Bool {
        let declaration = ModuleDeclaration.sample(provides: ["UserService"])
        let whole = try Files.read(
            folder.addLoadable(declaration, as: "whole.so") { registrar in
                registrar.register((any UserService).self) { _ in KeptUsers(words: "\(number)") }
            })
        switch fault {
        case .noEntry:
            try folder.replaceUsers(whole.replacing("eaves_register", by: "eaves_registex"))
        case .failingRegistration:
            try folder.drop(declaration) { _ in throw FixtureError("no") }
        case .wrongDeclaration:
            try folder.drop(declaration) { _ in }
        case .failingHealth:
            try folder.drop(declaration) { registrar in
                let users = LivingUsers("\(number)", Diary(), health: { false })
                registrar.lifecycle(users)
                registrar.register((any UserService).self) { _ in users }
            }
        case .truncated:
            try folder.replaceUsers(Array(whole.prefix(whole.count - 100)))
        case .inPieces:
            try folder.overwrite("Plugins/users.so", with: whole, pieces: 5)
            return await changes.first { $0.words == "users: draining → serving" } == nil
        case .wrongDigest:
            let zeros = String(repeating: "0", count: 64)
            try folder.rewriteManifest(modules: #""users": { "sha256": "\#(zeros)" }"#)
            try folder.replaceUsers(whole)
            let change = await changes.first { $0.words == "users refused" }
            // Nothing is wrong with the file once nobody demands another digest.
            try folder.rewriteManifest()
            let swapped = await changes.first { $0.words == "users: draining → serving" }
            #expect(swapped != nil)
            return change != nil
        }
        return await changes.first { $0.words == "users refused" } != nil
    }
}

@Suite("Modules that several threads load while their files change", .onOwnThreads, .patiently)
struct LoadingAtOnceTests {
    private static let count = 12
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Drops a file of a module, whose start needs the next module.
    private func drop(_ index: Int, version: Int) throws {
        let name = "f\(index)"
        try folder.drop(.sample("m\(index)", features: [name])) { registrar in
            if index % 3 > 0, index + 1 < Self.count {
                registrar.lifecycle(
                    Starting { _ = try $0.resolve((any Feature).self, name: "f\(index + 1)") })
            }
            registrar.registerFeature(name) { _ in Numbered(number: version) }
        }
    }

    /// The versions that serve now.
    private func versions(_ host: Host) throws -> [Int] {
        try (0..<Self.count).map { index in
            let feature = try host.resolve((any Feature).self, name: "f\(index)")
            return (feature as? Numbered)?.number ?? 0
        }
    }

    /// Asks for each module, in any order.
    private static func useAll(of host: Host) throws {
        for index in (0..<count).shuffled() {
            _ = try host.resolve((any Feature).self, name: "f\(index)")
        }
    }

    @Test("are all had by each thread, and serve with their last files in the end")
    func atOnce() throws {
        for index in 0..<Self.count { try drop(index, version: 1) }
        let host = try folder.host()
        let changes = try host.followedChanges()
        let outcomes = (0..<4).map { _ in Awaited<String>() }
        for outcome in outcomes {
            try DetachedThread.start {
                outcome.set("\(Result { try Self.useAll(of: host) })")
            }
        }
        for version in 2...4 {
            for index in (0..<Self.count).shuffled() { try drop(index, version: version) }
        }
        for outcome in outcomes {
            #expect(outcome.wait(within: Patience.limit) == "success()")
        }
        try Patience.wait(for: "the last files") {
            try versions(host).allSatisfy { $0 == 4 }
        }
        let serving = host.generations.filter { $0.state == .serving }.map(\.module)
        #expect(Set(serving).count == Self.count && serving.count == Self.count, "\(serving)")
        #expect(host.live.standing.obstacles.isEmpty)
        #expect(host.stop())
        withExtendedLifetime(changes) {}
    }
}

private struct Numbered: Feature {
    let number: Int

    func launch(_ launch: Launch) async throws -> ExitCode { .success }
}

private struct Starting: Lifecycle {
    let body: @Sendable (any Resolver) throws -> Void

    func start(_ resolver: any Resolver) throws { try body(resolver) }
}
