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

@Suite("A hand-over to a fresh process", .onOwnThreads, .patiently)
struct HandoverTests {
    /// The facts that decide how a hand-over goes. Usually, there are sockets and a state, and nothing is in its way.
    struct Situation: Sendable {
        var hasSockets = true
        var keepsState = true
        /// Whether the work goes on although it is asked to end.
        var isSlow = false
        /// When it ends by itself, if it does.
        var end = End.none
        /// The hold of calls, from 1 on, at which one is under way that does not end.
        var busyHold = 0
        var isInVain = false
        var hasSnapshot = true
        /// Whether the feature has said in this process that it is ready.
        var saysReady = true
        /// Whether the service goes to another module while the fresh process comes up.
        var isRebound = false
        /// Whether a fresh process is asked for meanwhile.
        var isAskedAgain = false
        var lost: [String] = []
        var fresh = Fresh.takesSocket

        enum End {
            case none, atStart, atDrain
            /// Not the work alone: the old process dies as soon as the fresh one has its place.
            case afterServing
        }

        enum Fresh {
            case takesSocket, callsState
            case lacksModule, neverLoads, fails, neverReady, diesUnready, diesReady
        }
    }

    /// The steps of a hand-over: those of the old host, and those of the fresh one. A host takes steps with a star while it holds
    /// back calls of modules with state.
    enum Steps {
        static let check = ["holdLooks", "holdCalls", "resumeLooks"]
        static let snapshot = check + ["began", "snapshots"]
        static let start = snapshot + ["start"]
        static let hold = ["holdLooks", "holdCalls"]
        static let state = ["leftOut*", "snapshots*", "leaveTrials*"]
        static let hand = start + ["end of work"] + hold + state
        static let end = ["handedOver", "stop", "withdraw", "clean"]
        static let leave = hand + ["serves*", "changes"] + end
        static let leaveAskedAgain = hand + ["serves*", "signal 12*", "changes", "lost m"] + end
        static let leaveSideBySide =
            start + hold + state + ["serves*", "end of work*", "changes"] + end
        static let late = ["overdue*", "changes*"] + end.map { $0 + "*" }
        static let leaveLateCalls = hand + ["serves*"] + late
        // It has not begun to take calls: those of this process go on at once.
        static let putOff = start + ["end of work"] + hold + ["resumeLooks", "signal 15"]
        static let stop = start + ["signal 15"]
        // It may take calls, and has to end before those of this process go on.
        static let stopUnready = hand + ["signal 15*", "resumeLooks"]
        static let goOn = hand + ["resumeLooks"]
        static let stopServing = hand + ["serves*", "signal 15*", "resumeLooks"]

        static let load = ["holdLooks", "settle", #"load ["m"] ["m": "file"] ["S": "m"]"#]
        static let rehearse = load + ["settle", "holdCalls"]
        static let restore = rehearse + ["settle*", "restore*"]
        static let serve = ["inherit", "settle", "resumeLooks", "served"]
        static let takeOver = restore + serve
        static let takeOverAtOnce = load + ["settle", "restore"] + serve
        static let giveUpEarly = rehearse + ["giveUp*", "ended"]
        static let takeOverAlone = restore + ["inherit", "ask", "resumeLooks", "served"]
        static let giveUp = restore + ["inherit", "ask", "giveUp", "ended"]
        static let fail = rehearse + ["ended"]
        static let endUnready = restore + ["ended"]
        static let lack = load + ["there is no module 'm', which the process before has loaded"]
        static let loadInVain =
            load + ["the process that this one was to take over from is gone"]
    }

    @Test(
        "takes each step in its order, and takes none back too early",
        arguments: [
            (Situation(), nil, Steps.leave, Steps.takeOver),
            (Situation(fresh: .callsState), nil, Steps.leave, Steps.takeOver),
            (Situation(saysReady: false, fresh: .neverReady), nil, Steps.leave, Steps.takeOver),
            (
                Situation(isAskedAgain: true, lost: ["m"]), nil, Steps.leaveAskedAgain,
                Steps.takeOver
            ),
            (Situation(hasSockets: false), nil, Steps.leave, Steps.takeOverAtOnce),
            (
                Situation(hasSockets: false, keepsState: false), nil, Steps.leaveSideBySide,
                Steps.takeOverAtOnce
            ),
            (
                Situation(hasSockets: false, isSlow: true), nil, Steps.leaveLateCalls,
                Steps.takeOverAtOnce
            ),
            (Situation(keepsState: false, isSlow: true), nil, Steps.leaveLateCalls, Steps.takeOver),
            (Situation(isInVain: true), .callsGoOn(Patience.limit), [], []),
            (Situation(busyHold: 1), .callsGoOn(Scene.short), Steps.check, []),
            (Situation(hasSnapshot: false), .noSnapshot(NotingHost.failure), Steps.snapshot, []),
            (Situation(isSlow: true), .callsGoOn(Scene.short), Steps.putOff, Steps.giveUpEarly),
            (Situation(busyHold: 2), .callsGoOn(Scene.short), Steps.putOff, Steps.giveUpEarly),
            (Situation(isRebound: true), .rebound, Steps.putOff, Steps.giveUpEarly),
            (Situation(fresh: .lacksModule), .ended(.exited(1)), Steps.start, Steps.lack),
            (Situation(fresh: .fails), .ended(.exited(1)), Steps.start, Steps.fail),
            (Situation(fresh: .neverLoads), .late(.seconds(2)), Steps.stop, Steps.loadInVain),
            (Situation(fresh: .neverReady), .answered(nil), Steps.stopUnready, Steps.endUnready),
            (
                Situation(keepsState: false, fresh: .neverReady), .late(.seconds(2)),
                Steps.stopUnready, Steps.endUnready
            ),
            (Situation(fresh: .diesUnready), Scene.killed, Steps.goOn, Steps.endUnready),
            (
                Situation(keepsState: false, saysReady: false, fresh: .diesUnready), Scene.killed,
                Steps.goOn, Steps.endUnready
            ),
            (
                Situation(saysReady: false, fresh: .diesUnready), .answered(.signalled(SIGKILL)),
                Steps.goOn, Steps.endUnready
            ),
            (Situation(end: .atStart, fresh: .neverLoads), .over, Steps.stop, Steps.loadInVain),
            (Situation(hasSockets: false, end: .atDrain), .over, Steps.stop, Steps.loadInVain),
            (
                Situation(fresh: .diesReady), .left(.signalled(SIGTERM)), Steps.stopServing,
                Steps.giveUp
            ),
            (
                Situation(saysReady: false, fresh: .diesReady), .answered(.signalled(SIGTERM)),
                Steps.stopServing, Steps.giveUp
            ),
            (Situation(end: .afterServing), nil, Steps.leave, Steps.takeOverAlone),
        ] as [(Situation, HotRestartError?, [String], [String])])
    func steps(situation: Situation, failure: HotRestartError?, old: [String], fresh: [String])
        throws
    {
        let scene = try Scene(situation)
        #expect(scene.handOver() == failure.map { "\($0)" })
        #expect(scene.old.steps == old)
        #expect(scene.freshSteps() == fresh)
        guard failure != nil else { return }
        guard situation.end == .none else {
            #expect(scene.handOver() == failure.map { "\($0)" })
            #expect(scene.old.steps == old, "nothing is handed over any more")
            return
        }
        try Patience.wait(for: "the work") { scene.serving.isServing }
    }

    @Test("waits for work that was asked to end before, and leaves that behind when it is overdue")
    func overdue() throws {
        let scene = try Scene(Situation(isSlow: true))
        #expect(scene.handOver() == "\(HotRestartError.callsGoOn(Scene.short))")
        _ = scene.freshSteps()
        try Patience.wait(for: "the next run") { scene.serving.isServing }
        let before = scene.old.steps
        #expect(scene.handOver(drainTime: .seconds(3600)) != nil)
        #expect(scene.old.steps == before, "no fresh process is started in vain")
        #expect(scene.handOver(drainTime: .zero) == nil)
        #expect(scene.old.steps == before + Steps.leaveLateCalls)
    }

    @Test("takes the report of a host that leaves out of the store")
    func report() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        let host = try Host(manifest: folder.file("manifest.json"))
        let following = try host.follow()
        let reports = folder.file(".eaves/hosts")
        func names() throws -> [String] { try Folder(reports).entries.map(\.name) }
        try Patience.wait(for: "the report") { try names().contains { $0.hasSuffix(".sock") } }
        host.withdrawReport()
        #expect(try names() == [])
        withExtendedLifetime(following) {}
    }
}

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
                    await Self.work(isSlow: situation.isSlow) { old.note("end of work") }
                } else {
                    _ = try await DetachedThread.result { old.asked.wait() }
                }
            }
            old.isOver.set(true)
        }
        try Patience.wait(for: "the work") { serving.isServing }
    }

    private static func work(
        isSlow: Bool = false, _ asked: @escaping @Sendable () -> Void = {}
    ) async {
        let (stream, end) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
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
