// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

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
        try scene.waitForWork(2)
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
