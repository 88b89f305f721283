// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesTestSupport
import Testing

@Suite("Every service of users", .onOwnThreads, .patiently)
struct ContractTests {
    @Test("registers users, and finds them by id and by name", arguments: Implementation.allCases)
    func register(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let before = try await users.users()
            let grace = try await users.register(name: " Grace Hopper ", password: "cobol")
            #expect(grace == User(id: grace.id, name: "Grace Hopper"))
            let edsger = try await users.register(name: "Edsger", password: "goto")
            #expect(edsger.id > grace.id)
            #expect(before.allSatisfy { $0.id < grace.id })
            #expect(try await users.users() == before + [grace, edsger])
            #expect(try await users.user(grace.id) == grace)
            #expect(try await users.user(named: "Grace Hopper") == grace)
            #expect(try await users.user(named: "GRACE hopper") == grace)
            #expect(try await users.user(named: "Grace") == nil)
            #expect(try await users.user(edsger.id + 1) == nil)
        }
    }

    @Test(
        "takes a name once, whatever its case and composition", arguments: Implementation.allCases)
    func nameTaken(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            for (name, same) in [
                ("Grace", "grace"), ("Zoë", "ZOE\u{308}"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"),
            ] {
                let user = try await users.register(name: name, password: "secret")
                #expect(user.name == name)
                await #expect(throws: UserServiceError.nameTaken(same)) {
                    try await users.register(name: same, password: "secret")
                }
                #expect(try await users.user(named: same) == user)
            }
            // Looking alike is not the same: this one has a letter of the Cyrillic alphabet.
            _ = try await users.register(name: "Gr\u{430}ce", password: "secret")
        }
    }

    @Test("refuses what cannot be a name", arguments: Implementation.allCases)
    func invalidName(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let before = try await users.users()
            let long = String(repeating: "ä", count: 65)
            for name in ["", " \u{a0}", "a\nb", "a\u{2028}b", "a\u{0}b", "\u{1b}[2J", long] {
                await #expect(throws: UserServiceError.invalidName(name)) {
                    try await users.register(name: name, password: "secret")
                }
            }
            #expect(try await users.users() == before)
        }
    }

    @Test("keeps names and passwords of all scripts", arguments: Implementation.allCases)
    func unicode(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let family = "👩‍👩‍👧‍👦"
            for name in [
                "李小龍", "عمر", family, "O'Brien; DROP TABLE users --", "a%00&?/=+\"\\",
                String(repeating: "ä", count: 64),
            ] {
                let user = try await users.register(name: name, password: "пароль \(family) \\\"")
                #expect(try await users.user(named: name) == user)
                #expect(
                    try await users.logIn(name: name, password: "пароль \(family) \\\"") == user)
                #expect(user.name == name)
            }
        }
    }

    @Test("refuses what cannot be a password", arguments: Implementation.allCases)
    func invalidPassword(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            await #expect(throws: UserServiceError.emptyPassword) {
                try await users.register(name: "Grace", password: "")
            }
            let longest = String(repeating: "x", count: 500)
            for password in [longest + "y", "a\u{0}b"] {
                await #expect(throws: UserServiceError.invalidPassword) {
                    try await users.register(name: "Grace", password: password)
                }
            }
            let grace = try await users.register(name: "Grace", password: longest)
            #expect(try await users.logIn(name: "Grace", password: longest) == grace)
            for password in [longest + "y", String(longest.dropLast()), longest + "\u{0}"] {
                await #expect(throws: UserServiceError.wrongPassword) {
                    try await users.logIn(name: "Grace", password: password)
                }
            }
        }
    }

    @Test(
        "lets in those who know the password, and says to others no more than that",
        arguments: Implementation.allCases)
    func logIn(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let grace = try await users.register(name: "Grace", password: "cobol")
            #expect(try await users.logIn(name: "Grace", password: "cobol") == grace)
            #expect(try await users.logIn(name: "gRACE", password: "cobol") == grace)
            for (name, password) in [
                ("Grace", "Cobol"), ("Grace", "cobol "), ("Grace", ""), ("Nobody", "cobol"),
                ("Nobody", ""), ("", "cobol"), ("Alice", ""), ("Alice", "Alice"),
            ] {
                await #expect(throws: UserServiceError.wrongPassword) {
                    try await users.logIn(name: name, password: password)
                }
            }
        }
    }

    @Test("edits users, and leaves their passwords", arguments: Implementation.allCases)
    func update(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            var grace = try await users.register(name: "Grace", password: "cobol")
            grace.name = "Amazing Grace"
            grace.email = "grace@example.org"
            grace.color = "#3366cc"
            #expect(try await users.update(grace) == grace)
            #expect(try await users.user(grace.id) == grace)
            #expect(try await users.users().last == grace)
            #expect(try await users.user(named: "Grace") == nil)
            #expect(try await users.logIn(name: "Amazing Grace", password: "cobol") == grace)
            // The old name is free for others, and a new case of the own name is no other name.
            _ = try await users.register(name: "Grace", password: "secret")
            grace.name = " AMAZING grace"
            let renamed = try await users.update(grace)
            #expect(renamed.name == "AMAZING grace")
            #expect(try await users.user(grace.id) == renamed)
        }
    }

    @Test(
        "refuses to edit to a taken or wrong name, and users that do not exist",
        arguments: Implementation.allCases)
    func wrongUpdate(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let grace = try await users.register(name: "Grace", password: "cobol")
            let edsger = try await users.register(name: "Edsger", password: "goto")
            let before = try await users.users()
            let refusals: [(User, UserServiceError)] = [
                (User(id: edsger.id, name: "GRACE"), .nameTaken("GRACE")),
                (User(id: edsger.id, name: " "), .invalidName(" ")),
                (User(id: 4711, name: "Ada"), .unknownUser(4711)),
                (User(id: -1, name: "Ada"), .unknownUser(-1)),
            ]
            for (user, error) in refusals {
                await #expect(throws: error) { try await users.update(user) }
            }
            #expect(try await users.users() == before)
            #expect(try await users.user(grace.id) == grace)
        }
    }

    @Test("gives a name to one of those who ask for it at once", arguments: Implementation.allCases)
    func race(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let before = try await users.users()
            let winners = try await withThrowingTaskGroup(of: User?.self) { group in
                // Each of them may make a hash, which takes its time.
                for number in 0..<16 {
                    group.addTask {
                        do {
                            let name = number.isMultiple(of: 2) ? "Grace" : "GRACE"
                            return try await users.register(name: name, password: "\(number + 1)")
                        } catch UserServiceError.nameTaken {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            #expect(winners.count == 1)
            #expect(try await users.users() == before + winners)
        }
    }

    @Test(
        "gives ids that were never used, also to those who register at once",
        arguments: Implementation.allCases)
    func ids(_ implementation: Implementation) async throws {
        try await implementation.withUsers { users in
            let before = try await users.users()
            let new = try await withThrowingTaskGroup(of: User.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await users.register(name: "User \(number)", password: "secret")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let list = try await users.users()
            #expect(Set(list.map(\.id)).count == list.count)
            #expect(list == list.sorted { $0.id < $1.id })
            #expect(Set(list) == Set(before + new))
        }
    }
}
