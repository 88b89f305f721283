// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesProcess
import EavesSystem
import Glibc

extension HotRestart {
    /// Starts a fresh process, hands over to it, and leaves.
    ///
    /// Without state, both processes take calls for a moment, and none waits. With state, the calls of this process end
    /// before the other one takes any, or go on without the state; calls wait in the sockets meanwhile. If there are
    /// sockets, the other feature has begun by then, and waits for them alone. If it fails before that, this process serves
    /// on without having been interrupted.
    ///
    /// - Returns: If there is no work.
    /// - Throws: If the fresh process did not come up. This process then serves as before.
    func handOver(for cause: Cause, _ clean: () -> Void) throws(HotRestartError) {
        guard serving.prepare() else { return }
        KeptDescriptors.ofProcess.handOver(true)
        let deadline = ContinuousClock.now + policy.startTime
        var successor: Successor?
        /// The state that the fresh process has got; `nil` if it has all for good.
        var handed: HandedState? = [:]
        do throws(HotRestartError) {
            try checkStateCalls()
            tell(.began(cause))
            let early = try snapshots()
            let started = try Successor(from: waiter, within: policy.startTime)
            successor = started
            try started.prepare(
                HandoverMessage.Preparation(
                    modules: host.servingModules, state: early,
                    saysReady: KeptDescriptors.ofProcess.isReady),
                until: deadline, unless: serving.ended)
            // Meanwhile, a first module that keeps state may have been loaded.
            let keepsState = early.isEmpty ? try !snapshots().isEmpty : true
            if keepsState {
                handed = try handOverState(to: started, until: deadline)
            } else {
                try started.begin(state: [:], until: deadline, unless: serving.ended)
                if try !drain(within: policy.drainTime) { tell(.overdue) }
            }
            try started.serve { news.takeRequest() ? policy.signal : nil }
        } catch {
            successor?.end()
            // Work that was asked to end may do so yet, and needs its descriptors when it begins again.
            if serving.goOn() { KeptDescriptors.ofProcess.handOver(false) }
            throw error
        }
        guard let successor else { return }
        leave(to: successor, handing: lateSnapshots(besides: handed), clean)
    }

    /// The state that the fresh process has not got: that of modules that this one has loaded meanwhile, for which such
    /// modules wait there, and what was written without a `call` by work that went on.
    private func lateSnapshots(besides handed: HandedState?) -> HandedState {
        guard let handed else { return [:] }
        let (snapshots, failures) = host.stateSnapshotsOrFailures()
        if !failures.isEmpty { tell(.stateLost(failures.map(\.id))) }
        return snapshots.filter { handed[$0.key] != $0.value }
    }

    /// Cancels the work of this process, and waits for its end.
    ///
    /// - Returns: Whether it has ended within the time.
    func drain(within time: Duration) throws(HotRestartError) -> Bool {
        let hasEnded = serving.drain(until: .now + time)
        if serving.isOver { throw .over }
        return hasEnded
    }

    private func leave(
        to successor: Successor, handing state: HandedState, _ clean: () -> Void
    ) -> Never {
        tell(.handedOver(to: successor.process))
        host.stop(within: policy.drainTime)
        host.reports.withdraw()
        clean()
        successor.release(handing: state)
        exit(0)
    }

    func snapshots() throws(HotRestartError) -> HandedState {
        do throws(HostError) {
            return try host.stateSnapshots()
        } catch {
            throw .noSnapshot(error)
        }
    }
}

extension Host {
    /// The ids of the modules that serve.
    fileprivate var servingModules: [String] {
        live.generations.filter { $0.state == .serving }.map(\.module)
    }
}

/// The reason why a fresh process did not take over.
enum HotRestartError: Error {
    /// A module gives no snapshot of its state.
    case noSnapshot(HostError)
    case notStarted(SystemError)
    /// No process waits for this one.
    case noWaiter
    /// Calls of modules that keep state have taken longer than this. It is tried again.
    case callsGoOn(Duration)
    /// The fresh process ended before it served.
    case ended(ChildEnding)
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
    var diagnostics: [Diagnostic] {
        switch self {
        case .noSnapshot(let error):
            error.problems.map(\.diagnostic)
        case .notStarted(let error):
            error.diagnostics
        case .noWaiter:
            [
                Diagnostic(
                    "no process waits for this one, so that none can take its place",
                    fix:
                        "run the program without a debugger; one of your own calls 'HotRestart.goOnInChild()' first",
                    code: .notFound)
            ]
        case .callsGoOn(let time):
            [
                Diagnostic(
                    "it is put off: calls of modules that keep state did not end within \(time); it is tried again",
                    fix: "let such calls return sooner", code: .crashed)
            ]
        case .ended(let ending):
            [
                Diagnostic(
                    "a fresh process ended with \(ending) before it served, and this one serves on",
                    fix: "mend what it says above, and ask again with SIGUSR2", code: .crashed)
            ]
        case .late(let time):
            [
                Diagnostic(
                    "a fresh process did not serve within \(time), and this one serves on",
                    fix: "let the feature say 'ready()' earlier, and ask again with SIGUSR2",
                    code: .crashed)
            ]
        case .over:
            [Diagnostic("the feature has ended", code: .crashed)]
        case .lacking(let id):
            [
                Diagnostic(
                    "there is no module '\(id)', which the process before has loaded",
                    fix: "restore its file, or switch it off with 'eaves disable \(id)'",
                    code: .notFound)
            ]
        case .noPredecessor:
            [
                Diagnostic(
                    "the process that this one was to take over from is gone",
                    fix: "start the program without EAVES_HOST", code: .crashed)
            ]
        }
    }
}
