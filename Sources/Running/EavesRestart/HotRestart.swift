// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesHost
public import EavesInterface
public import EavesLife
import EavesModules
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc

/// Lets a fresh process of the program take over from this one, without failing a call.
///
/// Code that a process has loaded stays in its memory until it ends, and so do the types of an interface. So a
/// host that has exchanged many files, or that waits for another version of an interface, starts the program
/// once more. The fresh process loads the modules and begins its work, as far as that goes without the sockets that the
/// service `Listeners` keeps. Then this process ends its calls, and the fresh one gets the state and the sockets. This
/// process serves on if anything fails.
///
/// The process that was started does none of this work, so that its number stays: after `Host.begin(as: [.restart])`, it waits for
/// the hosts, passes signals on, starts a host again that crashes, and ends with the exit code or the signal of the last one.
///
/// ```swift
/// try Host.begin(as: [.restart])
/// let host = try Host(manifest: "manifest.json")
/// let following = try host.follow()
/// let restart = try HotRestart(of: host)
/// let code = try await restart.run { try await host.launch("server") }
/// ```
///
/// A process has one, and runs its work in ``run(beforeLeaving:_:)``. The program is started with the same
/// arguments and the same environment, in the folder in which it was when this value was made, by the path by which it was
/// started: a new file in that place is how a new version of the program itself gets in.
///
/// Safe from any thread.
public final class HotRestart: Sendable {
    /// The time at which a fresh process takes over, and how long that may take.
    public struct Policy: Hashable, Sendable {
        /// The limit of generations in the memory of a process that serve no longer; `nil` for any number.
        public var generations: Int?
        /// The limit of the bytes that their files have together; `nil` for any number.
        public var bytes: Int?
        /// The signal that asks for it, such as `SIGUSR2`; `nil` for none. A signal that has a handler, or is ignored, is
        /// left alone.
        public var signal: Int32?
        /// The time that the fresh process has until it serves.
        public var startTime: Duration
        /// The time that the calls of this process have to end.
        public var drainTime: Duration

        /// Creates a policy.
        ///
        /// - Parameters:
        ///   - generations: The limit of generations in memory that serve no longer; `nil` for any number.
        ///   - bytes: The limit of the bytes that their files have together; `nil` for any number.
        ///   - signal: The signal that asks for it; `nil` for none.
        ///   - startTime: The time that the fresh process has until it serves.
        ///   - drainTime: The time that the calls of this process have to end.
        public init(
            generations: Int? = 32, bytes: Int? = 256 << 20, signal: Int32? = nil,
            startTime: Duration = .seconds(60), drainTime: Duration = .seconds(10)
        ) {
            self.generations = generations
            self.bytes = bytes
            self.signal = signal
            self.startTime = startTime
            self.drainTime = drainTime
        }
    }

    /// The reason for which a fresh process takes over.
    ///
    /// Later versions may add cases: give a `switch` over them a `default`.
    public enum Cause: Hashable, Sendable {
        /// A request: by the signal, or by ``HotRestart/request()``.
        case request
        /// The program's file is another one.
        case program
        /// These modules have files that a running process cannot take on: interfaces that are loaded, builds
        /// whose types have the same names, modules of which too many generations are in use.
        case modules([String])
        /// The constructors of this module do not return, so that the process can load nothing more. The module's file is
        /// kept out.
        case hang(String)
        /// This number of generations is in memory, and serves no longer.
        case generations(Int)
        /// The files of those have this number of bytes together.
        case bytes(Int)
    }

    /// A step, told on the thread that takes it.
    ///
    /// Later versions may add cases: give a `switch` over them a `default`.
    public enum Event: Sendable {
        /// A fresh process is being started.
        case began(Cause)
        /// The fresh process did not come up, and this one serves on. It is not tried again before something else happens,
        /// unless the reason is that calls go on, or that the fresh process ended as soon as it was ready: then it is tried
        /// again after 1, 2, 4 and so on up to 60 seconds.
        case failed(Cause, HostError)
        /// Calls of this process did not end in time, and are lost.
        case overdue
        /// Something has written to the state of these modules in this process after it was handed over, and that is lost:
        /// a call that did not end in time, or a thread that writes without a `call`.
        case stateLost([String])
        /// This is the fresh process, and it serves now.
        case tookOver(from: Int32)
        /// The fresh process serves, and this one leaves.
        case handedOver(to: Int32)
        /// This is a fresh process, which goes on with the sockets of one that has crashed. The state of its modules is lost.
        case followed(process: Int32, signal: Int32)
    }

    let host: Host
    let policy: Policy
    let tell: @Sendable (Event) -> Void
    let program: ProgramPlace
    let serving: ServingTask
    let waiter = Waiter.ofProcess
    /// The news that may be a cause.
    let news: RestartNews

    /// Prepares a process for handing over. Starts nothing yet.
    ///
    /// - Parameters:
    ///   - host: The host, which follows the disk.
    ///   - policy: The reasons for a fresh process, and its limits.
    ///   - observer: A function that is called with each step, on the thread that takes it.
    /// - Throws: ``HostError`` if the program's file cannot be found or watched.
    public init(
        of host: Host, _ policy: Policy = Policy(),
        observer: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(HostError) {
        self.host = host
        self.policy = policy
        tell = observer
        let parts = try HostError.wrapping {
            let news = try RestartNews()
            return (try ProgramPlace(), try ServingTask(began: news.note), news)
        }
        (program, serving, news) = parts
        let (news, serving) = (news, serving)
        KeptDescriptors.ofProcess.keepAll { serving.isHandingOver }
        host.observers.add { event in
            switch event {
            case .loading(let module): news.noteLoad(of: module)
            case .changed: news.note()
            default: break
            }
        }
    }

    /// Asks for a fresh process, whatever the policy says. Does not wait for it.
    public func request() {
        news.request()
    }

    /// Runs the work of the process, and lets a fresh process take over when there is a reason.
    ///
    /// In a process that takes over, the function is called when the modules are loaded; where it asks `Listeners` for a
    /// socket, or calls a service with state, it waits until the process before has handed that over. When this process
    /// is to leave, the function's task is cancelled, and ends the calls that are under way. If it takes long over that, or
    /// if the fresh process fails, the function is called again.
    ///
    /// - Parameters:
    ///   - clean: A function that is called when this process has handed over, before it leaves: it writes what is kept
    ///     back.
    ///   - serve: A function that launches the feature, or does what else the process is for.
    /// - Returns: The result of the function, if it ended by itself. A process that hands over does not return.
    /// - Throws: The error of the function; ``HostError`` if this process cannot take over.
    public func run(
        beforeLeaving clean: @escaping @Sendable () -> Void = {},
        _ serve: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        let predecessor = Predecessor.ofProcess
        let began = ContinuousClock.now
        let isFollowing = try begin()
        // On this thread: the work begins where it would without a process before.
        try predecessor?.prepare(host)
        let mayBegin = Awaited<Bool>()
        try HostError.wrapping {
            news.watch(program)
            try DetachedThread.start { [self] in
                // The thread that shuts the gates of state passes them: it must not be that of the work.
                let calls = predecessor?.holdCalls(of: host)
                mayBegin.set(true)
                if let predecessor {
                    guard predecessor.takeOver(serving, host, opening: calls) else { return }
                    tell(.tookOver(from: predecessor.process))
                }
                watch(clean)
            }
        }
        _ = mayBegin.wait()
        do {
            return try await serving.run(serve)
        } catch {
            // It cannot go on where one has crashed: another one follows after a pause, and may find a mended module.
            if isFollowing, .now - began < .seconds(60) { waiter?.tellCrash() }
            throw error
        }
    }

    /// Begins to take signals, by way of the process that waits for this one.
    ///
    /// - Returns: Whether this process follows one that has crashed.
    private func begin() throws(HostError) -> Bool {
        let request = policy.signal.flatMap { news.listen(to: $0) ? $0 : nil }
        guard let waiter else { return false }
        let crashed = try HostError.wrapping {
            try waiter.begin(program, taking: [SIGINT, SIGTERM] + [request].compactMap(\.self)) {
                [news] signal in
                if signal == request { news.request() }
                return signal == request
            }
        }
        switch crashed?.ending {
        case .signalled(let signal)?:
            tell(.followed(process: crashed?.process ?? 0, signal: signal))
        case .exited?: host.retryCrashedModules()
        default: break
        }
        return crashed != nil
    }

    /// Waits for causes until this process has handed over, or its work has ended.
    private func watch(_ clean: @Sendable () -> Void) {
        var decision = RestartDecision(policy)
        while !serving.isOver {
            let look = program.isUnfinished() ? ContinuousClock.now + .milliseconds(50) : nil
            news.wait(until: [look, decision.nextAttempt()].compactMap(\.self).min())
            // Before the work has begun, a fresh process would have nothing to take over.
            guard serving.isServing else { continue }
            let facts = facts
            guard let cause = decision.cause(facts) else { continue }
            do throws(HotRestartError) {
                let handover = Handover(
                    host: host, serving: serving, waiter: waiter, policy: policy,
                    takeRequest: news.takeRequest, tell: tell)
                try handover.perform(for: cause, clean)
                exit(0)
            } catch {
                if serving.isOver { return }
                if error.isPutOff {
                    let isFirst = decision.postpone(cause)
                    // The death of a fresh process is told each time.
                    if case .callsGoOn = error, !isFirst { continue }
                } else {
                    decision.fail(with: facts)
                }
                let failure = HostError(error)
                host.noteFailedRestart(failure)
                tell(.failed(cause, failure))
            }
        }
    }

    private var facts: RestartDecision.Facts {
        let (generations, bytes) = news.retired
        return RestartDecision.Facts(
            generations: generations, bytes: bytes,
            modules: host.awaitingFreshProcess,
            linkerHolder: FirstRun.linkerHolder, program: program.replacement(),
            isRequested: news.takeRequest())
    }
}

extension Host.Role {
    /// The process that waits for the hosts of a ``HotRestart``: the program goes on in a child, and this process waits for
    /// it and for the hosts that follow.
    ///
    /// Signals that this process gets go to the host that serves. A host that a mistake or `SIGKILL` ends, or a
    /// module by `exit` while it is loaded, registers or starts, is started again once ``HotRestart/run(beforeLeaving:_:)`` was
    /// called in it: three times at once, and then after 1, 2, 4 and so on up to 60 seconds, until one runs for a minute. One
    /// that follows such a host and whose work cannot begin counts as well. Where no host ever served, the fourth crash ends
    /// this process. If this process is killed, the host gets `SIGTERM`. In a host, and under a debugger, the role does nothing.
    ///
    /// `Host.begin` throws if the process has more than one thread already, or the system no room for a further process.
    public static var restart: Host.Role {
        Host.Role(goesOnInChild: true) { () throws(HostError) in
            try HostError.wrapping { try Waiter.goOnInChild() }
        }
    }
}
