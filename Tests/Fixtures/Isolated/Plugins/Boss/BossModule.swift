// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc
import Synchronization
import WorkAPI

enum BossModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("boss") { resolver in
            Boss(
                resolver: resolver, held: Held(try resolver.resolve((any Labour).self)),
                notes: try resolver.resolve((any Notes).self))
        }
    }
}

/// An instance that can be let go, and the process that was last asked for.
private final class Held: Sendable {
    let labour: Mutex<(any Labour)?>
    let process = Mutex<pid_t>(0)

    init(_ labour: any Labour) { self.labour = Mutex(labour) }
}

/// Does what the arguments say, one after the other, and prints what comes of it.
struct Boss: Feature {
    let resolver: any Resolver
    private let held: Held
    let notes: any Notes

    /// The instance that it holds, or a new one.
    private var labour: any Labour {
        get throws { try held.labour.withLock { $0 } ?? resolver.resolve((any Labour).self) }
    }

    fileprivate init(resolver: any Resolver, held: Held, notes: any Notes) {
        self.resolver = resolver
        self.held = held
        self.notes = notes
    }

    func launch(_ launch: Launch) async throws -> ExitCode {
        for argument in launch.arguments {
            let words = argument.split(separator: ":", maxSplits: 1).map(String.init)
            let value = words.count > 1 ? words[1] : ""
            do {
                try launch.console.write(try await answer(words[0], value) + "\n")
            } catch let error as WorkError {
                try launch.console.write("WorkError: \(error.reason)\n")
            } catch {
                try launch.console.write("\(type(of: error)): \(error)\n")
            }
        }
        return .success
    }

    private func answer(_ word: String, _ value: String) async throws -> String {
        switch word {
        case "where":
            return try await labour.process() == Int(getpid())
                ? "in the host" : "in another process"
        case "pid":
            let process = try await labour.process()
            held.process.withLock { $0 = pid_t(process) }
            return "\(process)"
        case "gone":
            // Lets the instance go, and waits for the end of its process.
            held.labour.withLock { $0 = nil }
            let process = held.process.withLock { $0 }
            while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
            return "gone"
        case "ledger":
            let ledger = try resolver.resolve((any Ledger).self)
            return "\(try await ledger.version): \(try await ledger.add(Int(value) ?? 0))"
        case "ledger-turned":
            while try await resolver.resolve((any Ledger).self).version != value {
                try await Task.sleep(for: .milliseconds(10))
            }
            return "turned"
        case "job":
            let job = Job(
                id: -3, name: "dig", kind: .urgent(reason: "é", after: 4),
                parts: ["a": [1.5, nil], "b": []], bytes: Array(0...255))
            let done = try await labour.done(job, by: "hand", in: value.isEmpty ? nil : value)
            var same = done
            same.name = job.name
            return "\(done.name), \(same == job ? "the rest the same" : "damaged: \(done)")"
        case "lists":
            let pieces = try await labour.pieces(Int(value) ?? 0)
            var fixed = (0..<3).map { Fixed(id: $0, seen: 0) }
            fixed[1].seen = 7
            return "\(pieces) \(try await labour.turned(Self.entries)) "
                + "\(try await labour.turned(fixed)) "
                + "\(try await labour.turned([Renamed(id: 1), Renamed(id: 2)]))"
        case "add": return "\(try await labour.done(Int(value) ?? 0))"
        case "apprentice":
            let other = try resolver.resolve((any Labour).self, name: "apprentice")
            _ = try await other.done(5)
            return "\(try await other.greeting) \(try await other.done(1))"
        case "greeting": return "\(try await labour.greeting) \(try await labour.extra())"
        case "fail": return "\(try await labour.fail(value))"
        case "note": return "\(try await labour.note(value))"
        case "notes": return "\(try await notes.keep(""))"
        case "numbers":
            var sum = 0
            do {
                for try await number in try await labour.numbers(to: Int(value) ?? 0) {
                    sum += number
                }
            } catch let error as WorkError {
                return "\(sum), \(error.reason)"
            }
            return "\(sum)"
        case "some":
            // Leaves the stream before its end.
            var sum = 0
            for try await number in try await labour.numbers(to: .max) {
                sum += number
                if number == Int(value) { break }
            }
            return "\(sum)"
        case "cancel":
            let task = try await waiting()
            task.cancel()
            do {
                try await task.value
                return "not cancelled"
            } catch is CancellationError {
                return "cancelled"
            }
        case "at-last":
            try await awaitAnswer()
            return "answered"
        case "turned":
            while try await resolver.resolve((any Labour).self).greeting != value {
                try await Task.sleep(for: .milliseconds(10))
            }
            return "turned"
        case "turned-pid":
            return "\(try await resolver.resolve((any Labour).self).process())"
        case "measure":
            let labour = try labour
            return try await measured(Int(value) ?? 1) { _ = try await labour.done(1) }
        case "measure-list":
            let labour = try labour
            return try await measured(Int(value) ?? 1) { _ = try await labour.pieces(1000) }
        case "many":
            return try await many(Int(value) ?? 0)
        case "crashes":
            return try await crashes(
                Int(value) ?? 0, by: ["trap", "abort", "exit", "segv", "kill"])
        case "crashes-within-limits":
            return try await crashes(
                Int(value) ?? 0,
                by: ["trap", "abort", "exit", "segv", "kill", "memory", "hang"])
        case "measure-kills":
            let labour = try labour
            return try await measured(Int(value) ?? 0) {
                _ = try? await labour.fail("kill")
                _ = try await labour.process()
            }
        case "sleep":
            try await Task.sleep(for: .milliseconds(Int(value) ?? 0))
            return "slept"
        default: return "unknown: \(word)"
        }
    }

    private static let entries = [Entry.Mark?.none, .good, .bad].enumerated().map { index, mark in
        Entry(
            in: index * 100_000 - 1, text: String(repeating: "é", count: index * 60 + 1),
            mark: mark,
            pieces: [Piece](
                repeating: Piece(id: index, name: "n", address: "a", color: "c"), count: index),
            kind: index == 1 ? .plain : .urgent(reason: "", after: mark == nil ? nil : index))
    }

    /// The minimum and the median of some runs, in microseconds.
    private func measured(_ count: Int, _ body: () async throws -> Void) async throws -> String {
        var times: [Duration] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            try await body()
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        return [times[0], times[count / 2]].map { "\(Int($0 / .nanoseconds(100)))" }
            .map { "\($0.dropLast()).\($0.last ?? "0")" }.joined(separator: " ")
    }

    /// Calls until there is an answer.
    private func awaitAnswer() async throws {
        while true {
            do {
                _ = try await labour.process()
                return
            } catch let error as RemoteCallError {
                guard case .resting(let pause, _) = error.reason else { continue }
                try await Task.sleep(for: pause)
            }
        }
    }

    /// A call that is under way, and waits.
    private func waiting() async throws -> Task<Void, any Error> {
        let (labour, before) = (try labour, try await notes.keep(""))
        let task = Task { try await labour.wait() }
        while try await notes.keep("") == before { try await Task.sleep(for: .milliseconds(1)) }
        return task
    }

    /// Calls from many tasks at once.
    private func many(_ count: Int) async throws -> String {
        let labour = try labour
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<count / 8 { _ = try await labour.done(number % 2) }
                    return 0
                }
            }
            for try await _ in group {}
            return "\(try await labour.done(0))"
        }
    }

    /// Lets the process crash again and again under calls, each time in another way.
    private func crashes(_ count: Int, by ways: [String]) async throws -> String {
        var (typed, others, answered) = (0, 0, 0)
        for number in 0..<count {
            let labour = try labour
            let waiting = try await waiting()
            for task in [Task { _ = try await labour.fail(ways[number % ways.count]) }, waiting] {
                do {
                    try await task.value
                    others += 1
                } catch is RemoteCallError {
                    typed += 1
                } catch {
                    others += 1
                }
            }
            try await awaitAnswer()
            answered += 1
        }
        return "\(typed) typed, \(others) others, \(answered) answered"
    }
}
