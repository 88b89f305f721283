// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem
import EavesTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EndToEndSupport

/// A server under `eaves launch --live`, which four writers call without a pause, gets good and bad files, edits, other
/// interfaces, calls that take long, fresh processes and `SIGKILL`, up to three of them at once.
///
/// After each of these steps, a good file of another build has to serve. A usual run takes a few steps; a soak goes on for as
/// long as it is told, in an order that `EAVES_SEED` decides, and prints what it has measured. With `EAVES_SOAK_EVENTS`, it
/// takes those alone that are named there.
@Suite("A soak of eaves launch --live", .onOwnThreads, .patiently)
struct LiveSoakTests {
    /// Something that comes in the way of the calls.
    enum Event: String, CaseIterable {
        case swap, touched, edit, binding, isolation, interface, deleted
        case restart, longCall, lateCall, hangingCall
        case truncated, empty, noModule, noise, folder, inPieces, otherId, noEntry, damagedHeader
        case fails, restoresNothing, keepsNothing
        case diesInLoad, diesInRegister, exitsInRegister, diesInCall, hangsInCalls
        case killHost, killWorkers

        /// Whether a process may end with it, and its state.
        var isDeadly: Bool {
            switch self {
            case .diesInLoad, .diesInRegister, .exitsInRegister, .diesInCall, .killHost,
                .killWorkers:
                true
            default: false
            }
        }

        /// The steps of a usual run.
        static let few: [[Event]] = [
            [.swap], [.restart, .swap], [.truncated], [.restart, .fails], [.longCall, .restart],
            [.killHost], [.restart, .longCall], [.lateCall, .restart], [.edit, .restart],
            [.restart, .edit],
        ]

        /// The events of a soak.
        static let chosen: [Event] = {
            let names = Environment.current["EAVES_SOAK_EVENTS"]?.split(separator: ",")
            return names?.compactMap { Event(rawValue: String($0)) } ?? allCases
        }()

        static func step(_ numbers: inout SeededNumbers) -> [Event] {
            let step = chosen.shuffled(using: &numbers).prefix(
                Int.random(in: 1...3, using: &numbers))
            let restarts = chosen.contains(.restart) && Bool.random(using: &numbers)
            return ((restarts ? [.restart] : []) + step).shuffled(using: &numbers)
        }
    }

    @Test(
        "loses no write that was answered, mixes nothing, and comes back from what is put in its way"
    )
    func soak() throws {
        let seed =
            Environment.current["EAVES_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
        var numbers = SeededNumbers(seed: seed)
        let run = try Run(seed)
        let end = ContinuousClock.now + .seconds(Soak.seconds ?? 0)
        var steps = Event.few
        repeat {
            for step in steps { try run.take(step, &numbers) }
            steps = [Event.step(&numbers)]
        } while ContinuousClock.now < end
        try run.finish()
    }
}

/// One run of the program, and what was seen of it.
private final class Run {
    typealias Event = LiveSoakTests.Event

    private let relay: RelayHost
    private let seed: UInt64
    private let host: LiveEaves
    private let writers = Writers()
    private var threads: RepeatingThreads?
    private let firstDescriptors, firstMemory: Int
    private let interfaces: [URL]
    private var (build, edits) = (0, 0)
    private var held: [(call: HeldCall, event: Event)] = []
    private var lastDeath: ContinuousClock.Instant?
    /// The most sequences of numbers that there can be: each death may begin some.
    private var sequences = 1
    private var unanswered = 0
    private var counts: [String: Int] = [:]
    private var times: [String: [Duration]] = [:]

    private var module: URL { relay.workspace.plugins.appendingPathComponent("counts-later.so") }

    init(_ seed: UInt64) throws {
        self.seed = seed
        relay = try RelayHost()
        try relay.workspace.drop(RelayHost.build("other"))
        interfaces = [
            relay.workspace.url.appendingPathComponent("common.so"), try RelayHost.grownInterface(),
        ]
        try FileManager.default.copyItem(
            at: relay.workspace.plugins.appendingPathComponent("common.so"), to: interfaces[0])
        try relay.edit(0, more: Self.probation)
        host = try relay.launch(["--restart-after", "6"])
        threads = RepeatingThreads(Writers.number) { [writers, socket = relay.socket] in
            writers.call(socket, by: $0)
        }
        firstDescriptors = try CountingHost.openFiles(of: host.process).count
        firstMemory = try CountingHost.memory("RssAnon", of: host.process)
        say("the soak's seed: \(seed)")
        // With the first call, the host loads what the events exchange.
        try awaitCalls()
        try heal(from: [])
    }

    /// Prints a line at once, also into a file.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static let probation = #""probation": { "seconds": 5, "calls": 50 },"#

    /// Lets events come one after the other, each soon after the one before, and waits until all is well again.
    func take(_ step: [Event], _ numbers: inout SeededNumbers) throws {
        let isDeadly = step.contains(where: \.isDeadly)
        // The third death of a file, or the sixth one within a minute, would end the program.
        if isDeadly {
            if let lastDeath, Soak.seconds != nil {
                while ContinuousClock.now < lastDeath + .seconds(20) { try awaitCalls() }
            }
            lastDeath = .now
            sequences += 4
        }
        let name = step.map(\.rawValue).joined(separator: "+")
        let said = host.printed.utf8.count
        if Soak.seconds != nil { say(name) }
        do {
            for event in step {
                try apply(event, &numbers)
                Patience.letPass(.milliseconds(Int.random(in: 0..<300, using: &numbers)))
            }
            let begun = ContinuousClock.now
            try heal(from: step)
            for event in step { times[event.rawValue, default: []].append(.now - begun) }
        } catch {
            throw FixtureError(
                "seed \(seed), after \(name): \(error)\n\(host.printed.suffix(4_000))")
        }
        counts[name, default: 0] += 1
        let failures = writers.takeFailures()
        unanswered += failures.count
        let news = String(host.printed.utf8.dropFirst(said)) ?? ""
        // Calls that never end get no answer, and the state goes over without them.
        let isEndless = step.contains(.hangsInCalls)
        if !isDeadly, !isEndless {
            #expect(failures == [], "seed \(seed), after \(name)\n\(news)")
        }
        if !isDeadly, !isEndless, !step.contains(.hangingCall) {
            #expect(!news.contains("is lost"), "seed \(seed), after \(name)\n\(news)")
        }
        writers.check(atMost: sequences, "seed \(seed), after \(name)\n\(news)")
    }

    private func apply(_ event: Event, _ numbers: inout SeededNumbers) throws {
        edits += 1
        switch event {
        case .swap: try place()
        case .touched: utimes(module.path, nil)
        case .edit: try relay.edit(edits, more: Self.probation)
        case .binding: try relay.edit(edits, boundTo: "counts-other", more: Self.probation)
        case .isolation: try relay.edit(edits, isolated: true, more: Self.probation)
        case .interface: try relay.workspace.replace("common.so", with: interfaces[edits % 2])
        case .deleted: try? FileManager.default.removeItem(at: module)
        case .restart: host.signal(SIGUSR2)
        case .longCall, .lateCall, .hangingCall:
            guard let call = try? HeldCall(relay.socket) else { return }
            if event != .lateCall { try call.send("s") }
            held.append((call, event))
        case .folder:
            try? FileManager.default.removeItem(at: module)
            try FileManager.default.createDirectory(at: module, withIntermediateDirectories: false)
        case .killHost:
            if let process = writers.process { kill(process, SIGKILL) }
        case .killWorkers:
            guard let process = writers.process else { return }
            for worker in CountingHost.children(of: process) { kill(worker, SIGKILL) }
        default: try placeBad(event, &numbers)
        }
    }

    /// Puts something bad in the place of the module.
    private func placeBad(_ event: Event, _ numbers: inout SeededNumbers) throws {
        let whole = try Data(contentsOf: RelayHost.build("first"))
        var bytes = whole
        switch event {
        case .truncated: bytes = whole.prefix(whole.count / 2)
        case .empty: bytes = Data()
        case .noModule: bytes = Data("no module".utf8)
        case .noise: bytes = Data((0..<10_000).map { _ in .random(in: 0...255, using: &numbers) })
        case .otherId: bytes = try Data(contentsOf: SwiftFixtures.module("relays-calls"))
        case .noEntry:
            let range = try #require(whole.range(of: Data("eaves_register".utf8)))
            bytes.replaceSubrange(range, with: Data("eaves_registex".utf8))
        case .damagedHeader: bytes[18] = 0xff
        case .inPieces:
            try clear()
            try Data().write(to: module)
            for start in stride(from: 0, to: bytes.count, by: bytes.count / 4) {
                let file = try FileHandle(forWritingTo: module)
                try file.seekToEnd()
                try file.write(contentsOf: bytes[start...].prefix(bytes.count / 4))
                try file.close()
                Patience.letPass(.milliseconds(20))
            }
            return
        default: bytes = try Data(contentsOf: RelayHost.build(event.rawValue))
        }
        try clear()
        try bytes.write(to: module, options: .atomic)
    }

    /// Puts a good file of another build in place.
    private func place() throws {
        build = (build + 1) % 3
        try clear()
        try relay.workspace.replace(
            "counts-later.so", with: RelayHost.build(["first", "second", "third"][build]))
    }

    private func clear() throws {
        var status = stat()
        if lstat(module.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            try FileManager.default.removeItem(at: module)
        }
    }

    /// Lets calls end, puts a good file in place, and waits until it serves all writers.
    private func heal(from step: [Event]) throws {
        for (call, event) in held {
            // The process that has it may be gone.
            let answer = event == .hangingCall ? nil : try? call.finish()
            if let answer { writers.add(answer) } else { unanswered += 1 }
        }
        // Where such code is the first that a process loads, no other code can take on what it has written.
        let isStuck = step.contains(.restoresNothing) && step.contains(where: \.isDeadly)
        try relay.edit(edits, losingState: isStuck, more: Self.probation)
        // A module that gets its service back and a new file at once would have two states to take on.
        if step.contains(.binding) {
            // A process that has begun since loads no file that is bad or gone.
            var late = step.contains(where: \.isDeadly) ? ContinuousClock.now + .seconds(20) : nil
            try wait("the binding") {
                if late.map({ $0 < .now }) ?? false, late.take() != nil { try place() }
                return writers.builds.allSatisfy { $0 > 0 && $0 != RelayHost.otherBuild }
            }
        }
        try place()
        try wait("build \(build + 2)") { writers.builds.allSatisfy { $0 == build + 2 } }
        held = []
        try awaitCalls()
    }

    /// Waits until the writers have seen something, which must not take longer than calls are waited for that do not end.
    private func wait(_ aim: String, until condition: () throws -> Bool) throws {
        let begun = ContinuousClock.now
        writers.forgetBuilds()
        try Patience.wait(for: aim) {
            guard host.isRunning, .now < begun + .seconds(90) else {
                throw FixtureError("waits for \(aim), and has \(writers.builds)")
            }
            return try condition()
        }
    }

    private func awaitCalls() throws {
        let before = writers.finished
        try Patience.wait(for: "further calls") {
            _ = host.isRunning
            return zip(before, writers.finished).allSatisfy { $1 >= $0 + 2 }
        }
    }

    /// Waits until nothing is judged any more, ends the program, and looks at what it leaves.
    func finish() throws {
        let file = relay.workspace.url.appendingPathComponent(".eaves/quarantine/probation.json")
        try Patience.wait(for: "the verdicts of all trials") {
            _ = host.isRunning
            guard let bytes = try? Data(contentsOf: file) else { return true }
            return try JSONNode.parse(Array(bytes))["trials"]?.elements?.isEmpty ?? true
        }
        threads?.end()
        writers.check(atMost: sequences, "in the end")
        #expect(writers.mixed == 0)
        #expect(writers.missing <= 2 * unanswered, "numbers are missing: a nested call takes two")
        #expect(try CountingHost.openFiles(of: host.process).count <= firstDescriptors + 1)
        #expect(
            try CountingHost.memory("RssAnon", of: host.process) - firstMemory <= 256, "kilobytes")
        #expect(try host.end(by: SIGTERM).signal == SIGTERM)
        if Soak.seconds != nil { say(report) }
    }

    private var report: String {
        var lines = [
            "\(writers.count) calls, \(unanswered) without an answer, \(writers.sequences) sequences of numbers, "
                + "\(counts.values.reduce(0, +)) steps",
            "from the last event of a step to a good file that serves, in ms:",
        ]
        for (name, all) in times.sorted(by: { $0.key < $1.key }) {
            let sorted = all.map { Int($0 / .milliseconds(1)) }.sorted()
            lines.append(
                "\(name), \(all.count) times: \(sorted[sorted.count / 2]), at most \(sorted[sorted.count - 1])"
            )
        }
        return lines.joined(separator: "\n")
    }
}

/// What threads have seen that call again and again.
private final class Writers: Sendable {
    static let number = 4

    private struct State {
        /// The numbers of each sequence that were given.
        var numbers: [Int: Set<Int>] = [:]
        var twice: [String] = []
        var mixed = 0
        /// How many calls of each writer have ended.
        var finished = Array(repeating: 0, count: number)
        /// The build that has answered each writer last.
        var builds = Array(repeating: 0, count: number)
        var process: Int32?
        var failures: [String] = []
    }

    private let state = Mutex(State())

    /// Calls once.
    ///
    /// - Returns: That the thread goes on.
    func call(_ socket: String, by writer: Int) -> Bool {
        let isNested = finished[writer] % 8 == 0
        do {
            let call = try HeldCall(socket, within: 20).finish(isNested ? "m" : "x")
            add(call)
            state.withLock { state in
                (state.builds[writer], state.process) = (call.build, call.process)
            }
        } catch {
            state.withLock { $0.failures.append("\(error)") }
        }
        state.withLock { $0.finished[writer] += 1 }
        return true
    }

    func add(_ call: CountedCall) {
        state.withLock { state in
            if call.inner.contains(where: { $0.build != call.build || $0.origin != call.origin }) {
                state.mixed += 1
            }
            for one in [call] + call.inner {
                if !state.numbers[one.origin, default: []].insert(one.number).inserted {
                    state.twice.append("\(one.number) of \(one.origin)")
                }
            }
        }
    }

    /// Checks that no number was given twice, and that no sequence has begun without a reason.
    func check(atMost sequences: Int, _ words: String) {
        let (twice, all) = state.withLock { ($0.twice, $0.numbers.mapValues(\.count)) }
        #expect(twice == [], "\(words)")
        #expect(all.count <= sequences, "\(all) \(words)")
        state.withLock { $0.twice = [] }
    }

    var finished: [Int] { state.withLock { $0.finished } }
    var builds: [Int] { state.withLock { $0.builds } }
    func forgetBuilds() { state.withLock { $0.builds = Array(repeating: 0, count: Self.number) } }
    var process: Int32? { state.withLock { $0.process } }
    var mixed: Int { state.withLock { $0.mixed } }
    var sequences: Int { state.withLock { $0.numbers.count } }
    var count: Int { state.withLock { $0.numbers.values.map(\.count).reduce(0, +) } }
    /// How many numbers were given to no caller although later ones of their sequence were.
    var missing: Int {
        state.withLock { $0.numbers.values.map { ($0.max() ?? 0) - $0.count }.reduce(0, +) }
    }
    /// The failures since the last call of this.
    func takeFailures() -> [String] {
        state.withLock { state in
            defer { state.failures = [] }
            return state.failures
        }
    }
}
