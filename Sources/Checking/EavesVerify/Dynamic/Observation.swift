// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import Glibc

/// The changes that loading and registering a module made to its process, and how long each took: seen by the
/// verifying process, which runs no code of the module.
struct Observation: Sendable {
    /// How the process looked at each moment; a moment is missing if `/proc` did not show it.
    var views: [ProbeMoment: ProcessView] = [:]
    /// When each moment was reported, and when the probe was told to go on.
    var times:
        [ProbeMoment: (reported: ContinuousClock.Instant, answered: ContinuousClock.Instant)] =
            [:]
    var printed: [ProbeMoment: Int] = [:]

    /// A check's judgement of what was seen: the warning and its remedy, or `nil` if nothing is wrong.
    typealias Judgement = @Sendable (Observation) -> (message: String, fix: String)?

    /// The time from the answer at one moment to the report of the next; `nil` if it was not reached.
    private func time(from start: ProbeMoment, to end: ProbeMoment) -> Duration? {
        guard let start = times[start], let end = times[end] else { return nil }
        return start.answered.duration(to: end.reported)
    }

    /// The views before any code of the module ran, and after its entry point returned.
    var beforeAndAfter: (ProcessView, ProcessView)? {
        guard let before = views[.unloaded], let after = views[.registered] else { return nil }
        return (before, after)
    }
}

// The judgements.
extension Observation {
    /// Loading and registering may take this long each.
    private static let registrationLimit = Duration.milliseconds(250)

    func judgeTime() -> (message: String, fix: String)? {
        let slow = [
            ("loading", time(from: .unloaded, to: .loaded)),
            ("registering", time(from: .loaded, to: .registered)),
        ]
        .compactMap { name, time in
            guard let time, time > Self.registrationLimit else { return String?.none }
            return "\(name) took \(Int(time / .milliseconds(1))) ms"
        }
        guard !slow.isEmpty else { return nil }
        return (
            "\(slow.joined(separator: ", ")), expected less than 250 ms",
            "move the work into the factories, so that only callers who need it wait for it"
        )
    }

    func judgeOutput() -> (message: String, fix: String)? {
        guard let before = printed[.unloaded], let after = printed[.registered], after > before
        else { return nil }
        return (
            "printed \(after - before) bytes while it was loaded or registered",
            "leave the output to the features, and log through the host"
        )
    }

    func judgeThreads() -> (message: String, fix: String)? {
        guard let (before, after) = beforeAndAfter else { return nil }
        let threads = after.threads.subtracting(before.threads).count
        let processes = after.children.subtracting(before.children).count
        var parts: [String] = []
        if threads > 0 { parts.append("\(threads) \(threads == 1 ? "thread" : "threads")") }
        if processes > 0 {
            parts.append("\(processes) \(processes == 1 ? "process" : "processes")")
        }
        guard !parts.isEmpty else { return nil }
        return (
            "started \(parts.joined(separator: " and ")) while it was loaded or registered",
            "start threads in the factories, when they are needed"
        )
    }

    func judgeDescriptors() -> (message: String, fix: String)? {
        guard let (before, after) = beforeAndAfter else { return nil }
        let opened = after.descriptors
            .filter { before.descriptors[$0.key]?.identity != $0.value.identity }
            .values.map(\.target).sorted()
        let closed = before.descriptors.filter { after.descriptors[$0.key] == nil }
            .values.map(\.target).sorted()
        var parts: [String] = []
        if !opened.isEmpty { parts.append("left open " + opened.joined(separator: ", ")) }
        if !closed.isEmpty { parts.append("closed " + closed.joined(separator: ", ")) }
        guard !parts.isEmpty else { return nil }
        return (
            parts.joined(separator: "; ") + " while it was loaded or registered",
            "open files in the factories, and close only what you opened"
        )
    }

    func judgeState() -> (message: String, fix: String)? {
        guard let (before, after) = beforeAndAfter else { return nil }
        let changes = before.changes(to: after)
        guard !changes.isEmpty else { return nil }
        return (Self.message(of: changes), Self.adviceForState)
    }

    /// The message about changes of what all code of a process shares.
    static func message(of changes: [String]) -> String {
        "changed \(changes.joined(separator: ", ")) while it was loaded or registered"
    }

    static let adviceForState = "leave to the host everything that the whole process shares"

    static let adviceForThreads =
        "link without '-ffast-math' and '-Ofast', which bring in crtfastmath.o, and change rounding, "
        + "traps and blocked signals only on threads that the module starts"
}

/// A probe's process, seen from outside while it waits: through `/proc`, by a process that runs no code of the module.
struct ProcessView: Hashable, Sendable {
    /// An open file, pipe or the like.
    struct Descriptor: Hashable {
        /// Device and inode. The name of a file can change, and `(deleted)` can be appended to it.
        let identity: [UInt64]
        /// The path that it leads to, for messages.
        let target: String

        init?(_ link: String) {
            guard let status = try? FileStatus(path: link),
                let target = try? Files.target(ofLink: link)
            else { return nil }
            identity = status.node
            self.target = target
        }
    }

    let threads: Set<String>
    /// The processes that it has started, and that still run.
    let children: Set<String>
    let descriptors: [String: Descriptor]
    let directory: String
    /// The lines of its status by name, such as `SigCgt`.
    private let status: [String: String]
    private let resources: [String: String]

    /// - Returns: `nil` if `/proc` does not show it, or not to this user.
    init?(_ identifier: Int) {
        let folder = "/proc/\(identifier)"
        threads = Self.names(in: "\(folder)/task")
        let numbers = Self.names(in: "\(folder)/fd")
        guard !threads.isEmpty, !numbers.isEmpty,
            let directory = try? Files.target(ofLink: "\(folder)/cwd")
        else { return nil }
        self.directory = directory
        var children: Set<String> = []
        for thread in threads {
            let text = Self.text(of: "\(folder)/task/\(thread)/children")
            children.formUnion(text.split(separator: " ").map(String.init))
        }
        self.children = children
        var descriptors: [String: Descriptor] = [:]
        for name in numbers { descriptors[name] = Descriptor("\(folder)/fd/\(name)") }
        self.descriptors = descriptors
        var status: [String: String] = [:]
        for line in Self.text(of: "\(folder)/status").split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            status[String(line[..<colon])] = String(
                line[colon...].drop { $0 == ":" || $0 == "\t" || $0 == " " })
        }
        self.status = status
        resources = Self.resources(in: folder)
    }

    /// The limits, the priority and the timers of a process, by their names in messages.
    static func resources(in folder: String) -> [String: String] {
        // The nice value, and the priority and policy for real time, behind a name that may have spaces in it.
        let fields = text(of: "\(folder)/stat").split(separator: ")").last?.split(separator: " ")
        return [
            "the resource limits": text(of: "\(folder)/limits"),
            "the priority": [16, 37, 38].map { String(fields?[$0] ?? "") }.joined(separator: " "),
            "the timers": text(of: "\(folder)/timers"),
        ]
    }

    /// The names of the resources that differ.
    static func changes(of resources: [String: String], to now: [String: String]) -> [String] {
        resources.keys.filter { now[$0] != resources[$0] }.sorted()
    }

    /// A difference in words; none between equal values.
    static func change(of name: String, _ before: String, _ now: String) -> [String] {
        before == now ? [] : ["\(name) (\(before) → \(now))"]
    }

    /// The differences to a later view in what all code of a process shares, in words, as far as they can be
    /// seen from outside.
    func changes(to now: ProcessView) -> [String] {
        var changes =
            Self.change(of: "the working directory", directory, now.directory)
            + Self.change(of: "the umask", status["Umask"] ?? "", now.status["Umask"] ?? "")
        let signals = (1...31).filter { signal in
            ["SigCgt", "SigIgn"].contains { contains(signal, $0) != now.contains(signal, $0) }
        }
        if !signals.isEmpty {
            changes.append(
                "the handling of "
                    + signals.map { SignalName.of(Int32($0)) }.joined(separator: ", "))
        }
        return changes + Self.changes(of: resources, to: now.resources)
    }

    /// Whether a set of signals in the status, in hexadecimal digits, contains one.
    private func contains(_ signal: Int, _ set: String) -> Bool {
        guard let bits = status[set].flatMap({ UInt64($0, radix: 16) }) else { return false }
        return bits >> UInt64(signal - 1) & 1 == 1
    }

    /// The text of a file of `/proc`, whose status tells no size; empty if it cannot be read.
    private static func text(of path: String) -> String {
        guard let file = try? OpenFile(reading: path),
            let bytes = try? file.bytes(at: 0, count: 64 << 10)
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func names(in folder: String) -> Set<String> {
        Set((try? Folder(folder))?.entries.map(\.name) ?? [])
    }
}

/// A snapshot of the state that all code of a process shares, taken by the process itself. Only its own code can
/// see the locale, the environment and the addresses of handlers.
struct ProcessSnapshot {
    let directory: String
    let fileMask: String
    let locale: String
    let environment: Set<String>
    /// The handler of each signal: an address, and flags.
    let signals: [Int32: [Int]]
    let resources: [String: String]
    /// Whether a timer of `alarm` or `setitimer` runs.
    let hasAlarm: Bool
    /// The changes of threads' own state since the snapshot before.
    let threads: ThreadState.Changes

    init() {
        directory = Path.current
        let mask = umask(0)
        umask(mask)
        fileMask = String(mask, radix: 8)
        locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
        environment = Set(Environment.current.entries)
        signals = Dictionary(uniqueKeysWithValues: (1...31).map { ($0, Self.handler(of: $0)) })
        resources = ProcessView.resources(in: "/proc/self")
        hasAlarm = (Int32(0)..<3).contains { kind in
            var timer = itimerval()
            getitimer(kind, &timer)
            return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0
        }
        threads = ThreadState.takeChanges()
    }

    /// The differences to a later snapshot, in words.
    func changes(to now: ProcessSnapshot) -> [String] {
        var changes =
            ProcessView.change(of: "the working directory", directory, now.directory)
            + ProcessView.change(of: "the umask", fileMask, now.fileMask)
            + ProcessView.change(of: "the locale", locale, now.locale)
        let names = Set(
            now.environment.symmetricDifference(environment).map { $0.prefix { $0 != "=" } })
        if !names.isEmpty {
            changes.append("the environment (\(names.sorted().joined(separator: ", ")))")
        }
        let handlers = signals.keys.filter { signals[$0] != now.signals[$0] }
        if !handlers.isEmpty {
            let list = handlers.sorted().map(SignalName.of).joined(separator: ", ")
            changes.append("the handling of \(list)")
        }
        if now.hasAlarm != hasAlarm { changes.append("the timer of 'alarm' or 'setitimer'") }
        return changes + ProcessView.changes(of: resources, to: now.resources)
    }

    /// The changes of threads' own state in words. Later code would compute with other results, or miss signals.
    static func harm(in changes: ThreadState.Changes) -> [String] {
        let list = changes.signals.map(SignalName.of).joined(separator: ", ")
        return (changes.ofArithmetic ? ["how its thread computes with floating-point numbers"] : [])
            + (list.isEmpty ? [] : ["the signals that its thread blocks (\(list))"])
    }

    private static func handler(of signal: Int32) -> [Int] {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return [] }
        // SAFETY: the address is compared and never called; SIG_DFL and SIG_IGN are small numbers.
        let address = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return [address, Int(action.sa_flags)]
    }
}
