// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTestSupport
import EavesTesting
import Foundation
import Synchronization
import Testing

@testable import UsersSQLite

@Suite("A database that several processes use", .onOwnThreads, .patiently)
struct SharedDatabaseTests {
    /// The users of a server, by `users-rest`.
    private static func users(
        of server: ServerProcess
    ) throws -> (site: Site, users: any UserService) {
        let site = try Site(
            "users-rest", settings: #"{ "url": "\#(server.address)", "timeout": 1200 }"#)
        return (site, try site.container().resolve((any UserService).self))
    }

    /// The users that a service has acknowledged.
    private final class Acknowledged: Sendable {
        private let users = Mutex<[User]>([])
        var all: [User] { users.withLock { $0 } }
        func add(_ user: User) { users.withLock { $0.append(user) } }
    }

    @Test(
        "has every user that one of two processes has acknowledged, though one is killed while it writes"
    )
    func killed() async throws {
        let site = try Site("users-sqlite", settings: #"{ "timeout": 1200 }"#)
        let survivor = try await ServerProcess(in: site)
        defer { survivor.kill() }
        let acknowledged = Acknowledged()
        for round in 0..<3 {
            let victim = try await ServerProcess(in: site)
            let (steady, ending) = (try Self.users(of: survivor), try Self.users(of: victim))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        await Self.register(
                            "\(round) steady \(number)", in: steady.users, acknowledged)
                    }
                }
                for number in 0..<40 {
                    group.addTask {
                        await Self.register(
                            "\(round) ending \(number)", in: ending.users, acknowledged)
                        // In the middle of the others' registrations.
                        if number == 3 + round { victim.kill() }
                    }
                }
            }
            let names = Set(acknowledged.all.map(\.name))
            #expect((0..<8).allSatisfy { names.contains("\(round) steady \($0)") })
        }
        let (kept, users) = try Self.users(of: survivor)
        let list = try await users.users()
        for user in acknowledged.all { #expect(list.contains(user)) }
        #expect(Set(list.map(\.id)).count == list.count)
        for user in acknowledged.all.prefix(3) {
            #expect(try await users.logIn(name: user.name, password: user.name) == user)
        }
        withExtendedLifetime(kept) {}
        try Self.expectIntact(site)
    }

    @Test("gives a name to one of those who ask two processes for it at once")
    func race() async throws {
        let site = try Site("users-sqlite", settings: #"{ "timeout": 1200 }"#)
        // Both create the file and its tables.
        async let starting = ServerProcess(in: site)
        let servers = [try await ServerProcess(in: site), try await starting]
        defer { for server in servers { server.kill() } }
        let clients = try servers.map { try Self.users(of: $0) }
        let winners = try await withThrowingTaskGroup(of: User?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        return try await clients[number % 2].users
                            .register(name: "Grace", password: "\(number)")
                    } catch UserServiceError.nameTaken {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(winners.count == 1)
        for client in clients { #expect(try await client.users.users() == winners) }
        try Self.expectIntact(site)
    }

    private static func register(
        _ name: String, in users: any UserService, _ acknowledged: Acknowledged
    ) async {
        // A server that is killed answers nothing: then nothing was promised.
        if let user = try? await users.register(name: name, password: name) {
            acknowledged.add(user)
        }
    }

    /// Looks into the file.
    private static func expectIntact(_ site: Site) throws {
        let path = site.folder.file("users.sqlite")
        let database = try Database(path: path, timeout: Patience.seconds)
        let rows = try database.prepare("PRAGMA integrity_check")
        #expect(try rows.next())
        #expect(rows.text(0) == "ok")
    }
}
