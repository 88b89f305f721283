// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesQuarantine
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesHost
@testable import EavesLife

@Suite("A host that judges what it has swapped", .onOwnThreads, .patiently)
struct ProbationTests {
    /// A probation has to last for calls alone, and each look ends a window, so that no test waits for time.
    static let policy = #""seconds": 0, "calls": 100"#

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func write(
        bindings: String = "", modules: String = "", probation: String = "{ \(Self.policy) }"
    ) throws {
        try folder.write(
            #"""
            { "manifest": 1, "bindings": { \#(bindings) }, "modules": { \#(modules) },
              "probation": \#(probation) }
            """#, to: "manifest.new")
        try folder.rename("manifest.new", to: "manifest.json")
    }

    func host() throws -> Host {
        var configuration = Host.Configuration()
        configuration.policy = LivePolicy(gateLimit: Patience.limit)
        configuration.policy.window = .zero
        return try Host(manifest: folder.file("manifest.json"), configuration)
    }

    /// A host that has loaded the module `users`, whose words are `first`.
    func servingHost() throws -> Host {
        try write()
        try folder.dropUsers("first")
        let host = try host()
        try #require(host.users() == "first")
        return host
    }

    /// A host of modules with users, whose words are their ids. The first one is bound, and loaded.
    func host(of ids: String..., probation: String = "{ \(Self.policy) }") throws -> Host {
        for id in ids { try folder.dropUsers(id, id: id) }
        try write(bindings: #""UserService": "\#(ids[0])""#, probation: probation)
        let host = try host()
        try #require(host.users() == ids[0])
        return host
    }

    /// Drops a file of users whose factory fails.
    func dropFailing(_ id: String = "users", version: String = "2.0.0") throws {
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.id = id
        declaration.version = version
        try folder.drop(declaration) { registrar in
            registrar.register((any UserService).self, scope: .shared) { _ in
                throw FixtureError("no users in \(version)")
            }
        }
    }

    /// Lets the host see two windows of bad calls, and makes the calls of a third one, which decides.
    func callBadly(_ host: Host, failing isBad: (String) -> Bool = { _ in false }) {
        callBadly(host, windows: 2, of: 10, failing: isBad)
        call(host, 10, failing: isBad)
    }

    /// Lets the host see windows of bad calls, which do not decide.
    func callBadly(
        _ host: Host, windows: Int, of count: Int, failing isBad: (String) -> Bool
    ) {
        for _ in 0..<windows {
            call(host, count, failing: isBad)
            #expect(host.changes() == [])
        }
    }

    /// Another host of the same store that goes on with what the first one has judged, as a fresh process does.
    func handOver(from host: Host) throws -> Host {
        host.leaveTrials()
        let next = try self.host()
        // As a process that takes over: calls draw from the beginning, and the host looks once it has the trials.
        next.live.beginSharing()
        next.holdLooks()
        _ = try next.users()
        next.inheritTrials(of: getpid())
        next.resumeLooks()
        return next
    }

    /// Calls the users, some calls in an orderly way and some that fail.
    func call(_ host: Host, _ count: Int, failing isBad: (String) -> Bool = { _ in false }) {
        for _ in 0..<count {
            try? host.services.resolver.call((any UserService).self) { users in
                if let users = users as? KeptUsers, isBad(users.words) {
                    throw FixtureError("call")
                }
            }
        }
    }

    var quarantine: [String] {
        var errors: [QuarantineError] = []
        return QuarantineStore(Store(of: folder.path, .own))
            .read(&errors)?.records.filter { $0.since != nil }.map(\.module) ?? []
    }
}
