// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Things that a module must not do while it is loaded and registers.
extension ProbedModule {
    /// Loading and registering may take this long each.
    private static let registrationLimit = Duration.milliseconds(250)

    func checkQuickRegistration() throws -> CheckConclusion {
        guard let effects = try sideEffectsOfRegistering() else { return .passed }
        let slow = [("loading", effects.loading), ("registering", effects.registering)]
            .filter { $0.1 > Self.registrationLimit }
            .map { "\($0.0) took \(Int($0.1 / .milliseconds(1))) ms" }
        guard !slow.isEmpty else { return .passed }
        return warning(
            "\(slow.joined(separator: ", ")), expected less than 250 ms",
            fix: "move the work into the factories, so that only callers who need it wait for it")
    }

    func checkQuietRegistration() throws -> CheckConclusion {
        guard let effects = try sideEffectsOfRegistering(), effects.printed > 0 else {
            return .passed
        }
        return warning(
            "printed \(effects.printed) bytes while it was loaded or registered",
            fix: "leave the output to the features, and log through the host")
    }

    func checkThreads() throws -> CheckConclusion {
        guard let effects = try sideEffectsOfRegistering(), let after = effects.after else {
            return .passed
        }
        let started = after.threads.subtracting(effects.before.threads).count
        guard started > 0 else { return .passed }
        return warning(
            "started \(started) \(started == 1 ? "thread" : "threads") while it was loaded or "
                + "registered", fix: "start threads in the factories, when they are needed")
    }

    func checkDescriptors() throws -> CheckConclusion {
        guard let effects = try sideEffectsOfRegistering(), let after = effects.after?.descriptors
        else { return .passed }
        let before = effects.before.descriptors
        let opened = after.filter { before[$0.key]?.identity != $0.value.identity }
            .values.map(\.target).sorted()
        let closed = before.filter { after[$0.key] == nil }.values.map(\.target).sorted()
        var parts: [String] = []
        if !opened.isEmpty { parts.append("left open " + opened.joined(separator: ", ")) }
        if !closed.isEmpty { parts.append("closed " + closed.joined(separator: ", ")) }
        guard !parts.isEmpty else { return .passed }
        return warning(
            parts.joined(separator: "; ") + " while it was loaded or registered",
            fix: "open files in the factories, and close only what you opened")
    }

    func checkProcessState() throws -> CheckConclusion {
        guard let effects = try sideEffectsOfRegistering(), let after = effects.after else {
            return .passed
        }
        let changes = effects.before.changes(to: after)
        guard !changes.isEmpty else { return .passed }
        return warning(
            "changed \(changes.joined(separator: ", ")) while it was loaded or registered",
            fix: "leave to the host everything that the whole process shares")
    }

    private func sideEffectsOfRegistering() throws -> SideEffects? {
        _ = try register()
        return sideEffects
    }
}

/// The changes that loading and registering a module made to the process, and how long each took.
struct SideEffects {
    let before = ProcessSnapshot()
    private(set) var after: ProcessSnapshot?
    private let printedBefore = ProbeOutput.size
    /// The number of bytes that the module printed.
    private(set) var printed = 0
    private var mark = ContinuousClock.now
    private(set) var loading: Duration = .zero
    private(set) var registering: Duration = .zero

    /// Begins to watch, right before the module is loaded.
    init() {
        // Last, so that the snapshot does not count.
        mark = .now
    }

    mutating func noteLoaded() {
        loading = .now - mark
        mark = .now
    }

    mutating func noteRegistered() {
        registering = .now - mark
        printed = ProbeOutput.size - printedBefore
        after = ProcessSnapshot()
    }
}
