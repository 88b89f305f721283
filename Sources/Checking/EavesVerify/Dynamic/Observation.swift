// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
    private var beforeAndAfter: (ProcessView, ProcessView)? {
        guard let before = views[.unloaded], let after = views[.registered] else { return nil }
        return (before, after)
    }

    /// Whether the process could be seen before and after.
    var isComplete: Bool { beforeAndAfter != nil }
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
