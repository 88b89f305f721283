// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import EavesInterface
import EavesLife
import EavesSystem
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesHost

/// Threads and tasks write numbers to the users of a host while one generation takes the place of the other.
///
/// A host promises this for each write:
/// - If it was made with `call` or `callAsync`, the object that serves has it.
/// - If it was made in another way, and came before the last snapshot of the old object, the new object has it. If it came
///   to the old object later, the new object gets it, or an event says that state is lost. If it came to the new object,
///   it stays, unless that was in the instant between the host's last look at the new object and the restoring of what
///   came to the old one later.
@Suite("The state of modules under load", .onOwnThreads, .patiently)
struct StateUnderLoadTests {
    private let folder: TemporaryFolder
    private let journal = Journal()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func drop(_ generation: Int) throws {
        try folder.dropUsers { [journal] _ in CountingUsers(generation, journal) }
    }

    /// The users that somebody gets who asks now.
    private func users(of host: Host) throws -> CountingUsers {
        guard let users = try host.resolve((any UserService).self) as? CountingUsers else {
            throw FixtureError("these users count nothing")
        }
        return users
    }

    @Test("each write of a call is kept, however many generations take each other's places")
    func calls() async throws {
        let drop = { [folder] (generation: Int) in
            try folder.dropUsers { _ in LedgerUsers(generation) }
        }
        try drop(0)
        let observers = HostObservers()
        let told = Mutex<[String]>([])
        observers.add { event in
            switch event {
            case .changed(.stateLost(let error)), .changed(.kept(let error)):
                told.withLock { $0.append("\(error)") }
            case .changed(.refused(let generation, _)):
                told.withLock { $0 += generation.problems.map(\.message) }
            default: break
            }
        }
        // On a machine with other work, a call may take long, which would put a switch off.
        let host = try Host(
            manifest: folder.manifest(), observers: observers,
            policy: LivePolicy(gateLimit: Patience.limit))
        let ledger = {
            guard let ledger = try host.resolve((any UserService).self) as? LedgerUsers else {
                throw FixtureError("these users keep no ledger")
            }
            return ledger
        }
        let callers = Callers(host)
        for generation in 1...Soak.rounds(1_000) {
            try drop(generation)
            // While others write, the state may be another one at each step of the checks.
            try Patience.wait(for: "generation \(generation)") {
                host.catchUp()
                return try ledger().generation == generation
            }
        }
        let (last, failures) = await callers.end()
        #expect(failures == [])
        #expect(try ledger().last == last)
        #expect(try ledger().gaps == 0)
        #expect(told.withLock { $0 } == [])
    }

    @Test("each other write is kept, or told to be lost")
    func writes() throws {
        try drop(0)
        let observers = HostObservers()
        let host = try Host(manifest: folder.manifest(), observers: observers)
        let serving = Atomic(0)
        let told = Mutex<Set<Int>>([])
        observers.add { event in
            guard case .changed(.stateLost) = event else { return }
            told.withLock { _ = $0.insert(serving.load(ordering: .relaxed)) }
        }
        _ = try users(of: host)
        let writer = Writer(host)
        for generation in 1...15 {
            try drop(generation)
            // While the thread writes, the state may be another one at each step of the checks.
            try Patience.wait(for: "generation \(generation)") {
                host.catchUp()
                return try users(of: host).generation == generation
            }
            // What the host says of the state of the old object, it says before it stops that.
            try journal.diary.wait(for: "\(generation - 1) stops")
            serving.store(generation, ordering: .relaxed)
        }
        let (written, failures) = writer.end()
        #expect(failures == [])
        let kept = try users(of: host).numbers
        #expect(Set(kept).count == kept.count)
        #expect(Set(kept).isSubset(of: written.keys))
        let lost = written.filter { !kept.contains($0.key) }
        let replaced = journal.replaced
        for (number, generation) in lost {
            #expect(
                told.withLock { $0.contains(generation) } || replaced.contains(number),
                "the write \(number) to generation \(generation) is lost, and nothing said so")
        }
        for generation in told.withLock({ $0 }) {
            #expect(lost.values.contains(generation), "nothing of \(generation) is lost")
        }
    }
}

/// Keeps what happens to objects that count.
private final class Journal: Sendable {
    let diary = Diary()
    private let numbers = Mutex<Set<Int>>([])

    /// The numbers that a restored state has taken from an object.
    var replaced: Set<Int> { numbers.withLock { $0 } }

    func note(replaced: Set<Int>) { numbers.withLock { $0.formUnion(replaced) } }
}

/// Users that keep numbers.
private final class CountingUsers: UserService, StateHandover {
    let generation: Int
    private let journal: Journal
    private let kept = Mutex<[Int]>([])

    init(_ generation: Int, _ journal: Journal) {
        self.generation = generation
        self.journal = journal
    }

    var numbers: [Int] { kept.withLock { $0 } }

    func add(_ number: Int) { kept.withLock { $0.append(number) } }

    func stop() throws { journal.diary.note("\(generation) stops") }

    func snapshot() throws -> [UInt8] {
        Array(numbers.map { String($0) }.joined(separator: " ").utf8)
    }

    func restore(_ snapshot: [UInt8]) throws {
        let read = String(decoding: snapshot, as: UTF8.self).split(separator: " ").compactMap {
            Int($0)
        }
        let replaced = kept.withLock { kept in
            defer { kept = read }
            return Set(kept).subtracting(read)
        }
        journal.note(replaced: replaced)
    }

    func users() async throws -> [User] { [] }
}

/// A thread that writes one number after the other, and rests in between.
private final class Writer: Sendable {
    private let isOver = Awaited<Bool>()
    private let group = DispatchGroup()
    /// The generation that each number was written to.
    private let written = Mutex<[Int: Int]>([:])
    private let failures = Mutex<[String]>([])

    init(_ host: Host) {
        DispatchQueue(label: "writer").async(group: group) { [self] in
            var number = 0
            while isOver.wait(within: .microseconds(500)) == nil {
                number += 1
                do {
                    // A call that is under way keeps its generation from draining.
                    try host.services.resolver.borrow((any UserService).self) { [number] users in
                        guard let users = users as? CountingUsers else {
                            throw FixtureError("these users count nothing")
                        }
                        users.add(number)
                        written.withLock { $0[number] = users.generation }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
    }

    /// Stops the thread.
    func end() -> (written: [Int: Int], failures: [String]) {
        isOver.set(true)
        group.wait()
        return (written.withLock { $0 }, failures.withLock { $0 })
    }
}

/// Users that keep the last number of each writer, and how often a number did not follow on the one before.
private final class LedgerUsers: UserService, StateHandover {
    let generation: Int
    private let kept = Mutex(Array(repeating: 0, count: Callers.count + 1))

    init(_ generation: Int) {
        self.generation = generation
    }

    var last: [Int] { kept.withLock { Array($0.dropLast()) } }
    var gaps: Int { kept.withLock { $0[Callers.count] } }

    func add(_ number: Int, of writer: Int) {
        kept.withLock { kept in
            if number != kept[writer] + 1 { kept[Callers.count] += 1 }
            kept[writer] = number
        }
    }

    func snapshot() throws -> [UInt8] {
        Array(kept.withLock { $0.map { String($0) } }.joined(separator: " ").utf8)
    }

    func restore(_ snapshot: [UInt8]) throws {
        let read = String(decoding: snapshot, as: UTF8.self).split(separator: " ").compactMap {
            Int($0)
        }
        kept.withLock { $0 = read }
    }

    func users() async throws -> [User] { [] }
}

/// Two threads and two tasks that write one number after the other with `call` and `callAsync`.
private final class Callers: Sendable {
    static let count = 4

    private let isOver = Awaited<Bool>()
    private let threads = DispatchGroup()
    private let tasks = Mutex<[Task<Void, Never>]>([])
    /// The last number of each writer whose call has returned.
    private let last = Mutex(Array(repeating: 0, count: Callers.count))
    private let failures = Mutex<[String]>([])

    init(_ host: Host) {
        let resolver = host.services.resolver
        for writer in 0..<2 {
            DispatchQueue(label: "writer \(writer)").async(group: threads) { [self] in
                for number in 1... {
                    if isOver.wait(within: .microseconds(200)) == true { return }
                    noting(writer, number) {
                        try resolver.call((any UserService).self) { users in
                            (users as? LedgerUsers)?.add(number, of: writer)
                        }
                    }
                }
            }
        }
        tasks.withLock { tasks in
            tasks = (2..<4).map { writer in
                Task { [self] in
                    for number in 1... {
                        if isOver.wait(within: .zero) == true { return }
                        let result = await Self.write(number, of: writer, with: resolver)
                        noting(writer, number) { try result.get() }
                    }
                }
            }
        }
    }

    private static func write(
        _ number: Int, of writer: Int, with resolver: any Resolver
    ) async -> Result<Void, any Error> {
        do {
            try await resolver.callAsync((any UserService).self) { users in
                await Task.yield()
                (users as? LedgerUsers)?.add(number, of: writer)
            }
            try await Task.sleep(for: .microseconds(200))
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func noting(_ writer: Int, _ number: Int, _ write: () throws -> Void) {
        do {
            try write()
            last.withLock { $0[writer] = number }
        } catch {
            failures.withLock { $0.append("\(error)") }
        }
    }

    /// Ends the writing.
    ///
    /// - Returns: The last number of each writer, and the errors.
    func end() async -> (last: [Int], failures: [String]) {
        isOver.set(true)
        for task in tasks.withLock({ $0 }) { await task.value }
        await withCheckedContinuation { continuation in
            threads.notify(queue: .global()) { continuation.resume() }
        }
        return (last.withLock { $0 }, failures.withLock { $0 })
    }
}
