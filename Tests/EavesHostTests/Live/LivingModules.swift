// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesSystem
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesHost

/// Keeps what happened to modules, in order, and lets tests wait for it.
final class Diary: Sendable {
    private let kept = Mutex<[(line: String, Awaited<Bool>?)]>([])
    private let awaited = Mutex<[(line: String, Awaited<Bool>)]>([])

    var lines: [String] { kept.withLock { $0.map(\.line) } }

    func note(_ line: String) {
        kept.withLock { $0.append((line, nil)) }
        awaited.withLock { $0 }.filter { $0.line == line }.forEach { $0.1.set(true) }
    }

    /// Waits until a line was noted.
    func wait(for line: String) throws {
        let event = Awaited<Bool>()
        awaited.withLock { $0.append((line, event)) }
        if lines.contains(line) { return }
        guard event.wait(within: Patience.limit) == true else {
            throw FixtureError("waited for '\(line)', and there is \(lines)")
        }
    }
}

/// Users with a life cycle, which notes what happens to it.
final class LivingUsers: UserService, Lifecycle {
    let words: String
    private let diary: Diary
    private let starting: @Sendable (any Resolver) throws -> Void
    private let stopping: @Sendable () throws -> Void
    private let health: @Sendable () throws -> Bool

    init(
        _ words: String, _ diary: Diary,
        starting: @escaping @Sendable (any Resolver) throws -> Void = { _ in },
        stopping: @escaping @Sendable () throws -> Void = {},
        health: @escaping @Sendable () throws -> Bool = { true }
    ) {
        self.words = words
        self.diary = diary
        self.starting = starting
        self.stopping = stopping
        self.health = health
    }

    func start(_ resolver: any Resolver) throws {
        diary.note("\(words) starts")
        try starting(resolver)
    }

    func stop() throws {
        diary.note("\(words) stops")
        try stopping()
        diary.note("\(words) has stopped")
    }

    var isHealthy: Bool {
        get throws { try health() }
    }

    func users() async throws -> [User] { [User(id: 1, name: words)] }
}

/// Users that keep a list, which goes from one generation to the next.
final class StatefulUsers: UserService, StateHandover {
    let words: String
    private let diary: Diary
    private let kept = Mutex<[UInt8]>([])
    /// How a snapshot is written, and what of one is read.
    private let writing: @Sendable ([UInt8]) throws -> [UInt8]
    private let reading: @Sendable ([UInt8]) throws -> [UInt8]

    init(
        _ words: String, _ diary: Diary,
        writing: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 },
        reading: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
    ) {
        self.words = words
        self.diary = diary
        self.writing = writing
        self.reading = reading
    }

    var bytes: [UInt8] { kept.withLock { $0 } }

    func add(_ byte: UInt8) { kept.withLock { $0.append(byte) } }

    func start(_ resolver: any Resolver) throws { diary.note("\(words) starts with \(bytes)") }

    func stop() throws { diary.note("\(words) stops") }

    func snapshot() throws -> [UInt8] { try writing(bytes) }

    func restore(_ snapshot: [UInt8]) throws {
        let read = try reading(snapshot)
        kept.withLock { $0 = read }
    }

    func users() async throws -> [User] { bytes.map { User(id: Int($0), name: words) } }
}

/// A call of users that keep state, under way on a thread of its own until the test ends it. It writes a 5 at its end.
final class HeldCall: Sendable {
    private let goOn = Awaited<Bool>()
    private let result = Awaited<String>()

    /// Returns once the call is under way.
    ///
    /// - Parameter borrows: Whether it borrows the users, for which no exchange waits.
    init(to host: Host, borrowing borrows: Bool = false) throws {
        let inside = Awaited<Bool>()
        let resolver = host.services.resolver
        try DetachedThread.start { [goOn, result] in
            let body: @Sendable (any UserService) -> Void = { users in
                inside.set(true)
                _ = goOn.wait(within: Patience.limit)
                (users as? StatefulUsers)?.add(5)
            }
            do {
                if borrows {
                    try resolver.borrow((any UserService).self, body)
                } else {
                    try resolver.call((any UserService).self, body)
                }
                result.set("")
            } catch {
                result.set("\(error)")
            }
        }
        guard inside.wait(within: Patience.limit) == true else {
            throw FixtureError("the call did not begin")
        }
    }

    func end() throws {
        goOn.set(true)
        #expect(result.wait(within: Patience.limit) == "")
    }
}

extension TemporaryFolder {
    /// Drops a file of a module that provides users, in one step.
    func dropUsers<Object: UserService & Lifecycle>(
        id: String = "users", requires: [String] = [],
        _ make: @escaping @Sendable (Settings) throws -> Object
    ) throws {
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.id = id
        declaration.requires = requires
        try drop(declaration) { registrar in
            let users = try make(registrar.settings)
            registrar.lifecycle(users)
            registrar.register((any UserService).self, scope: .shared) { _ in users }
        }
    }
}

extension Host {
    /// The state of the users that somebody gets who asks now.
    func stateful() throws -> StatefulUsers {
        guard let users = try resolve((any UserService).self) as? StatefulUsers else {
            throw FixtureError("these users have no state")
        }
        return users
    }
}
