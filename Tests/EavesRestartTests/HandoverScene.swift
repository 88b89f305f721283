// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesLife
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesRegistry
@testable import EavesRestart

/// A host that notes the calls that it gets.
final class NotingHost: RestartingHost {
    private struct State {
        var steps: [String] = []
        var closure: GateClosure?
        var holds = 0
    }

    private let situation: HandoverTests.Situation
    private let state = Mutex(State())
    private let gate = CallGate(keepsState: true)
    /// A call that does not end.
    private let call: Result<CallGate.Pass, CallGate.Obstacle>
    /// Ends a load that takes long, or work that ends by itself.
    let asked = Awaited<Bool>()
    /// Whether the work has ended by itself.
    let isOver = Awaited<Bool>()
    /// How often the work has begun, so far that it hears when it is asked to end.
    let runs = Shared(0)

    init(_ situation: HandoverTests.Situation) {
        self.situation = situation
        call = gate.door(for: ServiceRequest(Int.self)).enter(onMainThread: false)
    }

    /// A state that takes several packets.
    private var handed: HandedState {
        situation.keepsState ? ["m": Array(repeating: 7, count: 200_000)] : [:]
    }
    static let failure = HostError(FixtureError("no snapshot"))

    var steps: [String] { state.withLock(\.steps) }
    var closure: GateClosure? { state.withLock(\.closure) }

    func note(_ step: String) {
        state.withLock { $0.steps.append(step + ($0.closure?.isOver == false ? "*" : "")) }
    }

    var servingModules: [String] { ["m"] }
    var files: [String: String] { ["m": "file"] }
    var providers: [String: String] {
        ["S": situation.isRebound && steps.contains("start") ? "other" : "m"]
    }
    var keepsState: Bool {
        if situation.end == .atDrain {
            asked.set(true)
            _ = isOver.wait()
        }
        return situation.keepsState
    }
    var gateLimit: Duration {
        situation.isSlow || situation.busyHold > 0 ? Scene.short : Patience.limit
    }
    var holdsStateCallsInVain: Bool { situation.isInVain }
    func holdLooks() { note("holdLooks") }
    func resumeLooks() { note("resumeLooks") }
    func holdStateCalls() -> GateClosure {
        note("holdCalls")
        return state.withLock { state in
            state.holds += 1
            let closure = GateClosure(state.holds == situation.busyHold ? [gate] : [])
            state.closure = closure
            return closure
        }
    }
    func tellLeftOutCalls(of closure: GateClosure) { note("leftOut") }
    func stateSnapshots() throws(HostError) -> HandedState {
        note("snapshots")
        guard situation.hasSnapshot else { throw Self.failure }
        return handed
    }
    func stateChanges(since handed: HandedState) -> [String] {
        note("changes")
        #expect(handed == self.handed)
        return situation.lost
    }
    func leaveTrials() { note("leaveTrials") }
    func stop(within limit: Duration) -> Bool {
        note("stop")
        return true
    }
    func withdrawReport() { note("withdraw") }
    func load(
        _ ids: [String], from files: [String: String], bound bindings: [String: String],
        restoring state: HandedState
    ) throws -> String? {
        note("load \(ids) \(files) \(bindings)")
        #expect(state == handed)
        if situation.fresh == .neverLoads { _ = asked.wait() }
        return situation.fresh == .lacksModule ? "m" : nil
    }
    func restore(_ snapshots: HandedState) throws(ModuleError) {
        note("restore")
        #expect(snapshots == handed)
    }
    func inheritTrials(of process: Int32) { note(process == getpid() ? "inherit" : "wrong") }
}

/// Both processes of a hand-over, in this one.
final class Scene: HostStarter {
    /// The time for what does not end in time.
    static let short = Duration.milliseconds(20)
    static let killed = HotRestartError.ended(.signalled(SIGKILL))

    private let situation: HandoverTests.Situation
    let old: NotingHost
    let serving: ServingTask
    private let kept = KeptDescriptors { _ in nil }
    private let fresh: NotingHost
    private let freshWork = Mutex<Task<Void, Never>?>(nil)
    private let freshEnd = Awaited<Bool>()
    private let freshWorkEnd = Awaited<Bool>()
    private let ended = Awaited<ChildEnding>()
    /// Lets the fresh process hear no more of the old one.
    private let oldDeath = Mutex<@Sendable () -> Void>({})

    init(_ situation: HandoverTests.Situation) throws {
        self.situation = situation
        (old, fresh) = (NotingHost(situation), NotingHost(situation))
        serving = try ServingTask(began: {})
        if situation.saysReady { kept.ready() }
        // No code uses the descriptor.
        if situation.hasSockets { kept.adopt(0, named: "s") }
        Task { [serving, old] in
            try? await serving.run {
                if [.none, .afterServing].contains(situation.end) {
                    await Self.work(isSlow: situation.isSlow, begun: { old.runs.value += 1 }) {
                        old.note("end of work")
                    }
                } else {
                    old.runs.value += 1
                    _ = try await DetachedThread.result { old.asked.wait() }
                }
            }
            old.isOver.set(true)
        }
        try waitForWork(1)
    }

    func waitForWork(_ runs: Int) throws {
        try Patience.wait(for: "the work") { serving.isServing && old.runs.value == runs }
    }

    private static func work(
        isSlow: Bool = false, begun: @escaping @Sendable () -> Void = {},
        _ asked: @escaping @Sendable () -> Void = {}
    ) async {
        let (stream, end) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
            begun()
            // A task of its own is not cancelled.
            if isSlow { await Task { for await _ in stream {} }.value }
            for await _ in stream {}
        } onCancel: {
            asked()
        }
        withExtendedLifetime(end) {}
    }

    /// - Returns: The words of the error.
    func handOver(drainTime: Duration? = nil) -> String? {
        var policy = HotRestart.Policy(signal: SIGUSR2)
        policy.drainTime = drainTime ?? (situation.isSlow ? Self.short : Patience.limit)
        let isLate = [.neverLoads, .neverReady].contains(situation.fresh)
        if isLate, situation.saysReady { policy.startTime = .seconds(2) }
        let handover = Handover(
            host: old, serving: serving, waiter: self, policy: policy, kept: kept,
            takeRequest: { [situation] in situation.isAskedAgain }
        ) { [old] event in
            switch event {
            case .began: old.note("began")
            case .overdue: old.note("overdue")
            case .stateLost(let modules): old.note("lost " + modules.joined())
            case .handedOver: old.note("handedOver")
            default: old.note("\(event)")
            }
        }
        do throws(HotRestartError) {
            try handover.perform(for: .request) { old.note("clean") }
            return nil
        } catch {
            return "\(error)"
        }
    }

    func freshSteps() -> [String] {
        guard old.steps.contains("start") else { return fresh.steps }
        #expect(freshEnd.wait(within: Patience.limit) != nil)
        if fresh.steps.last == "ended" {
            #expect(freshWorkEnd.wait(within: .seconds(60)) != nil, "the feature waits no longer")
        }
        return fresh.steps
    }

    // MARK: The fresh process

    func start(_ channel: Int32) throws(SystemError) -> Int32 {
        old.note("start")
        if situation.end == .atStart { old.asked.set(true) }
        let own = fcntl(channel, F_DUPFD_CLOEXEC, 0)
        let serving = try ServingTask(began: {})
        try DetachedThread.start { [self] in
            run(own, serving)
            freshEnd.set(true)
        }
        return 1
    }

    private func run(_ channel: Int32, _ serving: ServingTask) {
        let kept = KeptDescriptors { _ in nil }
        let predecessor = Predecessor(
            channel, handing: kept,
            moment: situation.fresh == .diesUnready ? Patience.limit : .zero,
            settle: { [fresh] in fresh.note("settle") },
            serves: { [fresh, situation] in
                fresh.note("ask")
                return situation.end == .afterServing
            }, giveUp: { [fresh] in fresh.note("giveUp") })
        if situation.end == .afterServing {
            oldDeath.withLock { $0 = { shutdown(channel, Int32(SHUT_RD)) } }
        }
        do throws(HostError) {
            try predecessor.prepare(fresh)
        } catch {
            fresh.note(error.problems.map(\.message).joined())
            return ended.set(.exited(1))
        }
        let calls = predecessor.holdCalls(of: fresh)
        let task = Task { [self] in
            try? await serving.run { [self] in
                // Tests run at once, and have few threads for tasks.
                _ = try await DetachedThread.result { [self] in
                    if situation.fresh == .fails { throw FixtureError("ill") }
                    if situation.fresh == .callsState {
                        // This process waits for that already, as it does for a feature that takes its time.
                        Patience.letPass(.milliseconds(50))
                        fresh.closure?.wait()
                    } else {
                        _ = try kept.descriptors(named: "s") { [] }
                    }
                    if situation.fresh == .diesUnready {
                        ended.set(.signalled(SIGKILL))
                        throw FixtureError("killed")
                    }
                    if situation.fresh == .neverReady { return }
                    kept.ready()
                    #expect(
                        old.steps.contains("serves*"), "takes no call before it has the place")
                }
                await Self.work()
            }
            freshWorkEnd.set(true)
        }
        freshWork.withLock { $0 = task }
        let isServing = predecessor.takeOver(serving, fresh, opening: calls)
        fresh.note(isServing ? "served" : "ended")
        if isServing {
            let hasLeft = old.steps.contains { $0.hasPrefix("clean") }
            #expect(hasLeft || situation.end == .afterServing)
            return
        }
        task.cancel()
        ended.set(.exited(1))
        // As the end of a process does.
        shutdown(channel, Int32(SHUT_RDWR))
    }

    func serves(_ process: Int32) throws(SystemError) {
        old.note("serves")
        oldDeath.withLock { $0() }
        if situation.fresh == .diesReady {
            throw SystemError(.run, "a fresh process", Errno(rawValue: ESRCH))
        }
    }

    func signal(_ number: Int32, to process: Int32) {
        old.note("signal \(number)")
        guard number == SIGTERM else { return }
        ended.set(.signalled(number))
        fresh.asked.set(true)
        freshWork.withLock { $0 }?.cancel()
    }

    func ending(of process: Int32) -> Awaited<ChildEnding> { ended }
}
