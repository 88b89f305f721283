// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc
import Synchronization
import WorkAPI

enum LabourModule: Module {
    static func register(in registrar: any Registrar) throws {
        let greeting = try registrar.settings.string("greeting") ?? "no greeting"
        registrar.register((any Labour).self, scope: .shared) { resolver in
            Worker(greeting: greeting, notes: try resolver.resolve((any Notes).self))
        }
        registrar.register((any Labour).self, name: "apprentice") { resolver in
            Worker(greeting: "apprentice", notes: try resolver.resolve((any Notes).self))
        }
    }
}

struct Local: Error, CustomStringConvertible {
    let description = "a local error"
}

final class Worker: Labour {
    let name: String
    private let notes: any Notes
    private let count = Mutex(0)

    init(greeting: String, notes: any Notes) {
        name = greeting
        self.notes = notes
    }

    func process() async throws -> Int { Int(getpid()) }

    func done(_ job: Job, by hand: consuming String, in place: String?) async throws -> Job {
        var job = job
        job.name += " by \(hand) in \(place ?? "no place")"
        return job
    }

    func pieces(_ count: Int) async throws -> [Piece] {
        (0..<count).map { Piece(id: $0, name: "name", address: "name@example.com", color: "") }
    }

    func turned(_ entries: [Entry]) async throws -> [Entry] { entries.reversed() }
    func turned(_ fixed: consuming [Fixed]) async throws -> [Fixed] { fixed.reversed() }
    func turned(_ renamed: [Renamed]) async throws -> [Renamed] { renamed.reversed() }

    func done(_ count: Int) async throws -> Int {
        self.count.withLock { total in
            total += count
            return total
        }
    }

    func fail(_ how: String) async throws -> Int {
        switch how {
        case "typed": throw WorkError("a typed error")
        case "local": throw Local()
        case "trap": fatalError("a trap on purpose")
        case "abort": abort()
        case "exit": exit(3)
        case "segv": UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
        case "kill": kill(getpid(), SIGKILL)
        case "hang": while true { pause() }
        case "memory":
            let pages = [UInt8](repeating: 1, count: 1 << 30)
            return Int(pages[count.withLock { $0 }])
        case "print": print("printed in the worker")
        default: break
        }
        return 0
    }

    func numbers(to limit: Int) async throws -> AsyncThrowingStream<Int, any Error> {
        let made = Made()
        return AsyncThrowingStream {
            let number = made.next()
            guard number < limit else { throw WorkError("\(limit) is the end") }
            return number
        }
    }

    func wait() async throws {
        _ = try await notes.keep("waiting")
        do {
            try await Task.sleep(for: .seconds(600))
        } catch {
            _ = try? await notes.keep("cancelled")
            throw error
        }
    }

    func note(_ text: String) async throws -> Int { try await notes.keep(text) }

    var greeting: String { get async throws { name } }
}

final class Made: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock { last in
            defer { last += 1 }
            return last
        }
    }
}
