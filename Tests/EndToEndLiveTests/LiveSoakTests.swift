// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EndToEndSupport

/// A server under `eaves launch --live`, which four writers call without a pause, gets good and bad files, edits of its
/// manifest, fresh processes and `SIGKILL`.
///
/// A usual run does a few of these once; a soak goes on for as long as it is told, and prints what it has measured.
@Suite("A soak of eaves launch --live", .onOwnThreads, .patiently)
struct LiveSoakTests {
    /// Something that comes in the way of the calls.
    private enum Event: Hashable, CaseIterable {
        case swap, restart, restartInCall, restartBeforeCall, kill, edit, longCall
        case truncated, empty, noModule, noise, folder, inPieces, otherId, noEntry, damagedHeader
        case fails, restoresNothing, keepsNothing, deleted, touched

        /// Those after which the host has taken on a file, and says so.
        static let exchanging: Set<Event> = [
            .swap, .restart, .restartInCall, .restartBeforeCall, .kill, .edit,
        ]

        /// Those of a usual run.
        static let few: [Event] = [
            .swap, .truncated, .fails, .restart, .longCall, .kill, .restartInCall,
            .restartBeforeCall, .edit,
        ]
    }

    private let relay: RelayHost
    private var workspace: Workspace { relay.workspace }
    private var socket: String { relay.socket }
    private var module: URL { workspace.plugins.appendingPathComponent("counts-later.so") }

    init() throws {
        relay = try RelayHost()
    }

    @Test("answers every call, loses no number, and comes back from whatever is put in its way")
    func soak() throws {
        let host = try relay.launch()
        let writers = Writers()
        let threads = RepeatingThreads(Writers.number) { [socket] in writers.call(socket, by: $0) }
        defer { threads.end() }
        let run = try Run(host, writers: writers)
        // With the first call, the host loads what the events exchange.
        try run.awaitCalls()
        let end = ContinuousClock.now + .seconds(Soak.seconds ?? 0)
        var events = Event.few
        repeat {
            for event in events { try take(event, run) }
            events = Event.allCases.shuffled()
        } while ContinuousClock.now < end
        // A number that a writer has, and has not noted yet, would be missing.
        threads.end()
        run.closeEpoch(wasKilled: false)
        #expect(writers.refused == [])
        #expect(writers.failures == [])
        #expect(try CountingHost.openFiles(of: host.process).count <= run.firstDescriptors + 1)
        #expect(try run.growth <= 256, "kilobytes")
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
        if Soak.seconds != nil { print(run.report) }
    }

    private func take(_ event: Event, _ run: Run) throws {
        switch event {
        case .swap: try swap(run)
        case .restart: try run.restart()
        case .restartInCall:
            let call = try HeldCall(socket)
            try run.awaitCalls()
            run.host.signal(SIGUSR2)
            try run.host.wait(for: "starting a fresh process: ")
            run.writers.add(try call.finish())
            try run.host.wait(for: "this process took over from ")
        case .restartBeforeCall:
            // The old process serves on while a call has yet to ask for its number.
            let call = try HeldCall(socket)
            try run.awaitCalls()
            let process = run.writers.process
            run.host.signal(SIGUSR2)
            try run.host.wait(for: "not restarted: it is put off: ")
            try run.awaitCalls()
            let answer = try call.finish()
            #expect(answer.process == process)
            run.writers.add(answer)
            try run.host.wait(for: "this process took over from ")
        case .kill: guard try run.kill() else { return }
        case .edit:
            run.number += 1
            try relay.edit(run.number)
            try run.host.wait(for: "swapped counts-later: ")
        case .longCall:
            let call = try HeldCall(socket)
            try run.awaitCalls()
            run.writers.add(try call.finish())
        default:
            // A busy host may not see what was there between two bad files. If they are the same, it says nothing of
            // the second one.
            if event == run.lastRefused { return }
            try putBad(event, run)
        }
        if Event.exchanging.contains(event) { run.lastRefused = nil }
        run.counts[event, default: 0] += 1
        try run.awaitCalls()
    }

    private func swap(_ run: Run) throws {
        run.isFirst.toggle()
        let file = try RelayHost.build(run.isFirst ? "first" : "second")
        try run.measure("a new file serves") {
            try workspace.replace("counts-later.so", with: file)
            try run.host.wait(for: "swapped counts-later: ")
        }
    }

    /// Puts something bad in the place of the module, waits until it is refused, and takes it away.
    private func putBad(_ event: Event, _ run: Run) throws {
        let whole = try Data(contentsOf: RelayHost.build(run.isFirst ? "first" : "second"))
        var bytes = whole
        switch event {
        case .truncated: bytes = whole.prefix(whole.count / 2)
        case .empty: bytes = Data()
        case .noModule: bytes = Data("no module".utf8)
        case .noise:
            var noise = SeededNumbers()
            bytes = Data((0..<10_000).map { _ in UInt8.random(in: 0...255, using: &noise) })
        case .otherId: bytes = try Data(contentsOf: SwiftFixtures.module("relays-calls"))
        case .noEntry:
            let range = try #require(whole.range(of: Data("eaves_register".utf8)))
            bytes.replaceSubrange(range, with: Data("eaves_registex".utf8))
        case .damagedHeader: bytes[18] = 0xff
        case .fails, .restoresNothing, .keepsNothing:
            bytes = try Data(contentsOf: RelayHost.build("\(event)"))
        default: break
        }
        switch event {
        case .deleted: try FileManager.default.removeItem(at: module)
        case .folder:
            try FileManager.default.removeItem(at: module)
            try FileManager.default.createDirectory(at: module, withIntermediateDirectories: false)
        case .touched: utimes(module.path, nil)
        case .inPieces:
            let file = try FileHandle(forWritingTo: module)
            for start in stride(from: 0, to: bytes.count, by: bytes.count / 4) {
                try file.write(contentsOf: bytes[start..<min(bytes.count, start + bytes.count / 4)])
                try run.awaitCalls()
            }
            try file.close()
        default: try bytes.write(to: module, options: .atomic)
        }
        // A host says nothing of a module that is gone.
        if ![.deleted, .touched, .inPieces, .otherId].contains(event) {
            try run.measure("a bad file is refused") {
                try run.host.wait(for: "warning: ", "counts-later", "serves on")
            }
            run.lastRefused = event
        }
        try run.awaitCalls()
        if event == .folder { try FileManager.default.removeItem(at: module) }
        try whole.write(to: module, options: .atomic)
    }

    /// One run of the program, and what was seen of it.
    private final class Run {
        let host: LiveEaves
        let writers: Writers
        let firstDescriptors: Int
        private let firstMemory: Int
        var isFirst = false
        /// The last bad file that the host has refused, if it has taken on no other one since.
        var lastRefused: Event?
        /// The number of the last edit.
        var number = 0
        var counts: [Event: Int] = [:]
        private var times: [String: [Duration]] = [:]
        private var lastKill: ContinuousClock.Instant?
        private var calls = 0
        private var lost = 0
        private var epochs = 0

        init(_ host: LiveEaves, writers: Writers) throws {
            self.host = host
            self.writers = writers
            firstDescriptors = try CountingHost.openFiles(of: host.process).count
            firstMemory = try Self.memory(of: host.process)
        }

        /// How much more memory of its own the process that waits has than at the beginning, in kilobytes.
        var growth: Int { get throws { try Self.memory(of: host.process) - firstMemory } }

        private static func memory(of process: Int32) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
            return try #require(line?.split(separator: " ").dropLast().last.flatMap { Int($0) })
        }

        func measure(_ name: String, _ body: () throws -> Void) throws {
            let begun = ContinuousClock.now
            try body()
            times[name, default: []].append(.now - begun)
        }

        func restart() throws {
            try measure("a fresh process has taken over") {
                try host.restart()
            }
        }

        func awaitCalls() throws {
            let before = writers.finished
            try Patience.wait(for: "further calls") {
                zip(before, writers.finished).allSatisfy { $1 >= $0 + 2 }
            }
        }

        /// Kills the process that serves, and waits for answers of the next one.
        ///
        /// - Returns: Whether it did: a sixth one within a minute would end the program.
        func kill() throws -> Bool {
            if let lastKill, ContinuousClock.now - lastKill < .seconds(13) { return false }
            lastKill = .now
            let (before, process) = (writers.host, try #require(writers.process))
            try measure("the next process answers after SIGKILL") {
                Glibc.kill(process, SIGKILL)
                try Patience.wait(for: "the next process") { writers.host != before }
            }
            try host.wait(for: "this process goes on after \(process) was ended by SIGKILL\n")
            // By then, each writer has noted what the killed process has answered.
            try awaitCalls()
            closeEpoch(wasKilled: true)
            return true
        }

        /// Checks the numbers of all calls since the state began anew.
        ///
        /// - Parameter wasKilled: Whether the process that served then was killed; another one has answered since.
        func closeEpoch(wasKilled: Bool) {
            let (numbers, failures) = writers.take(upTo: writers.host - (wasKilled ? 1 : 0))
            epochs += 1
            calls += numbers.count
            lost += failures.count
            #expect(Set(numbers).count == numbers.count, "a number was given twice")
            // An answer that was under way is lost with its process; each writer has one.
            #expect(failures.count <= (wasKilled ? Writers.number : 0), "\(failures)")
            let missing = (numbers.max() ?? 0) - numbers.count
            #expect(missing <= failures.count, "\(missing) numbers are missing: \(numbers.count)")
        }

        var report: String {
            var lines = [
                "\(calls) calls, \(lost) lost with \(epochs - 1) killed processes, 0 refused; "
                    + counts.map { "\($0.value) × \($0.key)" }.sorted().joined(separator: ", ")
            ]
            for (name, all) in times.sorted(by: { $0.key < $1.key }) {
                let sorted = all.map { Int($0 / .milliseconds(1)) }.sorted()
                lines.append(
                    "\(name): median \(sorted[sorted.count / 2]) ms, at most \(sorted[sorted.count - 1]) ms"
                )
            }
            return lines.joined(separator: "\n")
        }
    }
}

/// What threads have seen that call again and again.
private final class Writers: Sendable {
    static let number = 4

    private struct State {
        var calls: [(number: Int, host: Int)] = []
        /// How many calls of each writer have ended.
        var finished = Array(repeating: 0, count: number)
        /// The processes that have served, in their order. The system gives a number again after a while.
        var hosts: [Int32] = []
        var failures: [String] = []
        var refused: [String] = []
    }

    private let state = Mutex(State())

    /// Calls once.
    ///
    /// - Returns: That the thread goes on.
    func call(_ socket: String, by writer: Int) -> Bool {
        defer { state.withLock { $0.finished[writer] += 1 } }
        let held: HeldCall
        do {
            held = try HeldCall(socket)
        } catch {
            state.withLock { $0.refused.append("\(error)") }
            return true
        }
        do {
            add(try held.finish())
        } catch {
            state.withLock { $0.failures.append("\(error)") }
        }
        return true
    }

    func add(_ call: CountedCall) {
        state.withLock { state in
            // A late answer may come from one of the last few.
            let recent = state.hosts.indices.suffix(4)
            var host = recent.last { state.hosts[$0] == call.process }
            if host == nil {
                state.hosts.append(call.process)
                host = state.hosts.count - 1
            }
            state.calls.append((call.number, host ?? 0))
        }
    }

    var finished: [Int] { state.withLock { $0.finished } }
    /// The process that serves.
    var process: Int32? { state.withLock { $0.hosts.last } }
    /// The place of that process among all that have served.
    var host: Int { state.withLock { $0.hosts.count - 1 } }
    var refused: [String] { state.withLock { $0.refused } }
    /// Since the last check.
    var failures: [String] { state.withLock { $0.failures } }

    /// Takes out the numbers of the calls that processes up to one have answered, and all failures.
    func take(upTo host: Int) -> (numbers: [Int], failures: [String]) {
        state.withLock { state in
            defer { state.failures = [] }
            let left = state.calls.partition { $0.host <= host }
            defer { state.calls.removeSubrange(left...) }
            return (state.calls[left...].map(\.number), state.failures)
        }
    }
}
