// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesLife
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc

/// An attempt to let the work of this process, and its state, go over to a fresh one.
///
///     this process                                     the fresh one
///     serves                                           loads the modules, restores their state, and begins its work,
///                                                      which waits for its sockets and for calls of state
///     asks its work to end
///     holds back calls and first loads of modules
///     with state, and hands the last state over    →   restores it, lets calls go on, and is ready
///     gives it its place, and never serves again   →   takes calls, and looks at the disk
///     stops its modules, and leaves
///
/// Whatever fails before the fresh process has the place of this one leaves this one as it was.
struct Handover {
    let host: any RestartingHost
    let serving: ServingTask
    /// The process that starts the fresh one; `nil` for none.
    let waiter: (any HostStarter)?
    let policy: HotRestart.Policy
    var kept = KeptDescriptors.ofProcess
    /// A function that returns whether a fresh process was asked for meanwhile.
    let takeRequest: () -> Bool
    let tell: (HotRestart.Event) -> Void

    /// Starts a fresh process, and hands over to it. Then this one has to leave.
    ///
    /// - Throws: If the fresh process did not come up. This process then serves as before.
    func perform(for cause: HotRestart.Cause, _ clean: () -> Void) throws(HotRestartError) {
        guard serving.prepare() else { throw .over }
        let deadline = ContinuousClock.now + policy.startTime
        let saysReady = kept.isReady
        var successor: Successor?
        var calls: GateClosure?
        do throws(HotRestartError) {
            try checkCalls()
            tell(.began(cause))
            let preparation = HandoverMessage.Preparation(
                modules: host.servingModules, files: host.files, bindings: host.providers,
                state: try snapshots(), saysReady: saysReady)
            let started = try Successor(from: waiter, within: policy.startTime)
            successor = started
            try started.say(
                .prepare(preparation), awaiting: .prepared, until: deadline, unless: serving.ended)
            let state = try switchOver(
                to: started, goingBy: preparation.bindings ?? [:], until: deadline, holding: &calls)
            try started.serve { takeRequest() ? policy.signal : nil }
            // Late calls wait until the process ends: the state is not here.
            if serving.drain(until: .now + (state.isEmpty ? policy.drainTime : .zero)) {
                calls?.open()
            } else {
                tell(.overdue)
            }
            leave(to: started, handing: state, clean)
        } catch {
            // Calls wait. A fresh process that may take some has to end first; one that has not begun has no sockets.
            if successor?.hasBegun == true { successor?.end() }
            if let calls {
                calls.open()
                host.resumeLooks()
            }
            serving.goOn()
            successor?.end()
            throw successor?.error(error, ifItSaysReady: saysReady) ?? error
        }
    }

    /// Checks that calls into modules with state end in time, and that the runs of an earlier attempt have ended. If they
    /// have not, a fresh process would have to wait. Calls that have put off attempts for long are left out.
    private func checkCalls() throws(HotRestartError) {
        let limit = host.gateLimit
        if serving.leavingSince != nil, !isOverdue { throw .callsGoOn(limit) }
        if host.holdsStateCallsInVain { throw .callsGoOn(limit) }
        host.holdLooks()
        let calls = host.holdStateCalls()
        defer {
            calls.open()
            host.resumeLooks()
        }
        guard calls.settles(within: limit) else { throw .callsGoOn(limit) }
    }

    /// Whether work that an earlier attempt has asked to end has had its time.
    private var isOverdue: Bool {
        serving.leavingSince.map { .now >= $0 + policy.drainTime } ?? false
    }

    /// Ends the work, and lets the fresh process serve with the state that it has left.
    ///
    /// Where there are sockets, calls wait in them meanwhile. If the work takes long, the attempt is put off. A host without
    /// state goes on, and so does one whose work has had its time since an earlier attempt.
    ///
    /// - Parameters:
    ///   - bindings: Those by which the fresh process has loaded its modules. Where a service comes from another one by now,
    ///     that has the state, and the attempt is put off.
    ///   - held: The calls, and first loads, of modules with state, from when they are held back.
    /// - Returns: The state that the fresh process has.
    private func switchOver(
        to successor: Successor, goingBy bindings: [String: String],
        until deadline: ContinuousClock.Instant, holding held: inout GateClosure?
    ) throws(HotRestartError) -> HandedState {
        let limit = host.gateLimit
        let hasSockets = !kept.all.isEmpty
        // If not, the works of both processes go on side by side for a moment.
        let isShared = hasSockets || host.keepsState
        if hasSockets {
            try successor.say(
                .rehearse, awaiting: .rehearsed, until: deadline, unless: serving.ended)
        }
        var hasEnded = false
        if isShared {
            let time = hasSockets ? min(limit, policy.drainTime) : policy.drainTime
            hasEnded = serving.drain(until: .now + time)
            if serving.isOver { throw .over }
        }
        host.holdLooks()
        let calls = host.holdStateCalls()
        held = calls
        let mayGoOn = !host.keepsState || isShared && !hasSockets || isOverdue
        guard hasEnded || mayGoOn, calls.settles(within: limit) else { throw .callsGoOn(limit) }
        guard host.providers.allSatisfy({ (bindings[$0] ?? $1) == $1 }) else { throw .rebound }
        host.tellLeftOutCalls(of: calls)
        let state = try snapshots()
        host.leaveTrials()
        try successor.begin(state: state, until: deadline, unless: isShared ? nil : serving.ended)
        return state
    }

    private func leave(to successor: Successor, handing state: HandedState, _ clean: () -> Void) {
        let lost = host.stateChanges(since: state)
        if !lost.isEmpty { tell(.stateLost(lost)) }
        tell(.handedOver(to: successor.process))
        host.stop(within: policy.drainTime)
        host.withdrawReport()
        clean()
        // With it goes the connection, by whose end the fresh process knows that this one has left.
        withExtendedLifetime(successor) {}
    }

    private func snapshots() throws(HotRestartError) -> HandedState {
        do throws(HostError) {
            return try host.stateSnapshots()
        } catch {
            throw .noSnapshot(error)
        }
    }
}

/// A host whose work goes over, or that takes it on.
protocol RestartingHost: Sendable {
    var servingModules: [String] { get }
    var files: [String: String] { get }
    var providers: [String: String] { get }
    var keepsState: Bool { get }
    var gateLimit: Duration { get }
    var holdsStateCallsInVain: Bool { get }
    func holdLooks()
    func resumeLooks()
    func holdStateCalls() -> GateClosure
    func tellLeftOutCalls(of closure: GateClosure)
    func stateSnapshots() throws(HostError) -> HandedState
    func stateChanges(since handed: HandedState) -> [String]
    func leaveTrials()
    @discardableResult func stop(within limit: Duration) -> Bool
    func withdrawReport()

    func load(
        _ ids: [String], from files: [String: String], bound bindings: [String: String],
        restoring state: HandedState
    ) throws -> String?
    func restore(_ snapshots: HandedState) throws(ModuleError)
    func inheritTrials(of process: Int32)
}

extension Host: RestartingHost {}

/// The reason why a fresh process did not take over.
enum HotRestartError: Error {
    /// A module gives no snapshot of its state.
    case noSnapshot(HostError)
    case notStarted(SystemError)
    case noWaiter
    /// Calls that are under way have taken longer than this. It is tried again.
    case callsGoOn(Duration)
    /// A service went to another module while the fresh process came up. It is tried again.
    case rebound
    /// The fresh process ended before it served.
    case ended(ChildEnding)
    /// It ended as soon as it was ready. It is tried again.
    case left(ChildEnding)
    /// It ended so, or was late if there is no ending, after it may have answered calls.
    case answered(ChildEnding?)
    /// It did not serve in this time.
    case late(Duration)
    /// The work of this process has ended meanwhile.
    case over
    /// A module that the process before has loaded cannot be loaded.
    case lacking(String)
    /// The process before is gone, or is of a version that cannot hand over to this one.
    case noPredecessor
}

extension HotRestartError: DiagnosableList {
    /// Whether the same is tried again by and by.
    var isPutOff: Bool {
        switch self {
        case .callsGoOn, .rebound, .left: true
        default: false
        }
    }

    var diagnostics: [Diagnostic] {
        let own: Diagnostic
        switch self {
        case .noSnapshot(let error): return error.problems.map(\.diagnostic)
        case .notStarted(let error): return error.diagnostics
        case .noWaiter:
            own = Diagnostic(
                "no process waits for this one, so that none can take its place",
                fix:
                    "run the program without a debugger; one of your own begins with 'Host.begin(as: [.restart])'",
                code: .notFound)
        case .callsGoOn(let time):
            own = Diagnostic(
                "it is put off: calls that are under way did not end within \(time); it is tried again",
                fix: "let such calls return sooner", code: .crashed)
        case .rebound:
            own = Diagnostic(
                "it is put off: a service went to another module meanwhile; it is tried again",
                fix: "wait", code: .configuration)
        case .ended(let ending):
            own = Diagnostic(
                "a fresh process ended with \(ending) before it served, and this one serves on",
                fix: "mend what it says above, and ask again with SIGUSR2", code: .crashed)
        case .left(let ending):
            own = Diagnostic(
                "it is put off: a fresh process ended with \(ending) as it took over; it is tried again",
                fix: "mend what it says above", code: .crashed)
        case .answered(let ending):
            let end = ending.map { "ended with \($0)" } ?? "was not ready in time"
            own = Diagnostic(
                "a fresh process \(end), and this one serves on: what calls wrote that it may have "
                    + "answered is lost",
                fix: "let the feature say 'ready()' before it takes calls; ask again with SIGUSR2",
                code: .crashed)
        case .late(let time):
            own = Diagnostic(
                "a fresh process did not serve within \(time), and this one serves on",
                fix: "let the feature say 'ready()' earlier, and ask again with SIGUSR2",
                code: .crashed)
        case .over: own = Diagnostic("the feature has ended", code: .crashed)
        case .lacking(let id):
            own = Diagnostic(
                "there is no module '\(id)', which the process before has loaded",
                fix: "restore its file, or switch it off with 'eaves disable \(id)'",
                code: .notFound)
        case .noPredecessor:
            own = Diagnostic(
                "the process that this one was to take over from is gone",
                fix: "start the program without EAVES_HOST", code: .crashed)
        }
        return [own]
    }
}
