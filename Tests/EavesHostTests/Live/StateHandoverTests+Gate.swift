// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesLife
import EavesRegistry
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

// How long calls wait while a state goes over.
extension StateHandoverTests {
    @Test("does not go over while a call is under way: that is told once, and tried again")
    func longCall() throws {
        try drop("first")
        let host = try host(gateLimit: .milliseconds(5))
        let call = try HeldCall(to: host)
        try drop("second")
        let reason = try refusal(host)
        #expect(reason.contains("is put off: calls of 'users', which keeps state, did not end"))
        #expect(reason.contains("within 0.005 seconds"))
        #expect(try host.stateful().words == "first")
        // Others call the old object meanwhile.
        try host.services.resolver.call((any UserService).self) { ($0 as? StatefulUsers)?.add(6) }
        try Patience.wait(for: "another attempt") {
            #expect(host.changes() == [])
            return diary.lines.count { $0.hasPrefix("second starts") } > 1
        }
        try call.end()
        try Patience.wait(for: "the switch") { host.changes() == ["users: draining → serving"] }
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes == [6, 5])
    }

    @Test(
        "goes over without a call that has put it off for long, names it, and tells what it writes")
    func leftOut() throws {
        try drop("first")
        let (warned, lost) = (Awaited<String>(), Awaited<String>())
        let observers = HostObservers()
        observers.add { event in
            switch event {
            case .warned(let problem): warned.set(problem.message)
            case .changed(.stateLost(let error)): lost.set("\(error)")
            default: break
            }
        }
        let host = try Host(
            manifest: folder.manifest(), observers: observers,
            policy: LivePolicy(drainDeadline: .milliseconds(500), gateLimit: .milliseconds(5)))
        let call = try HeldCall(to: host)
        try drop("second")
        #expect(try refusal(host).contains("is put off: calls of 'users'"))
        try Patience.wait(for: "the switch") {
            host.changes().contains("users: draining → serving")
        }
        let words = try #require(warned.wait(within: .zero))
        #expect(words.hasPrefix("calls of UserService of 'users' have not ended for "), "\(words)")
        try host.services.resolver.call((any UserService).self) { ($0 as? StatefulUsers)?.add(6) }
        try call.end()
        #expect(lost.wait(within: Patience.limit)?.contains("after the switch is lost") == true)
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes == [6])
    }

    @Test("goes to a fresh process without a call that has put it off for long, and names it")
    func leftOutOfRestart() throws {
        try drop("first")
        let (observers, warnings) = (HostObservers(), Locked<[String]>([]))
        observers.add { event in
            if case .warned(let problem) = event {
                warnings.withLock { $0.append(problem.message) }
            }
        }
        let host = try Host(
            manifest: folder.manifest(), observers: observers,
            policy: LivePolicy(drainDeadline: .zero))
        let call = try HeldCall(to: host)
        for isVain in [true, false] {
            let calls = host.holdStateCalls()
            #expect(calls.settles(within: isVain ? .zero : Patience.limit) != isVain)
            host.tellLeftOutCalls(of: calls)
            #expect(warnings.withLock { $0.count } == (isVain ? 0 : 1))
            calls.open()
        }
        let words = warnings.withLock { $0.joined() }
        #expect(words.hasPrefix("calls of UserService of 'users' have not ended for "), "\(words)")
        try call.end()
    }

    @Test("is put off without holding a call back while a call is known to go on")
    func inVain() throws {
        try drop("first")
        // If the gate were shut, it would stay so until the test is given up.
        let host = try host()
        let call = try HeldCall(to: host)
        let gate = try #require(host.live.running.loaded["users"]?.lifecycle?.gate)
        let closure = GateClosure([gate])
        #expect(!closure.settles(within: .zero))
        closure.open()
        try drop("second")
        #expect(try refusal(host).contains("is put off: calls of 'users'"))
        #expect(host.holdsStateCallsInVain)
        try call.end()
        #expect(!host.holdsStateCallsInVain)
        try Patience.wait(for: "the switch") { host.changes() == ["users: draining → serving"] }
        #expect(try host.stateful().bytes == [5])
    }

    @Test("does not go over while it is late, and calls wait no longer than that is allowed")
    func slowState() throws {
        let (snapshots, goesOn) = (Locked(0), Awaited<Bool>())
        try drop("first") { bytes in
            // Two are made to check while calls go on, and the third one while they wait.
            let number = snapshots.withLock { count in
                count += 1
                return count
            }
            if number == 3 { _ = goesOn.wait(within: Patience.limit) }
            return bytes
        }
        let host = try host(gateLimit: .milliseconds(50))
        try host.stateful().add(1)
        try drop("second")
        #expect(
            try refusal(host).contains("is put off: the state of 'users' did not go over within"))
        try host.services.resolver.call((any UserService).self) { ($0 as? StatefulUsers)?.add(2) }
        #expect(try host.stateful().words == "first")
        #expect(host.live.standing.isWaiting)
        goesOn.set(true)
        try Patience.wait(for: "the switch") { host.changes() == ["users: draining → serving"] }
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes == [1, 2])
    }

    @Test(
        "is that of no module that is loaded while calls are held back, or was not ready by then",
        arguments: [false, true])
    func firstLoad(isLoading: Bool) throws {
        let (hosts, held) = (Locked<Host?>(nil), Awaited<GateClosure>())
        try drop(
            "first",
            reading: { bytes in
                if let host = hosts.withLock({ $0.take() }) { held.set(host.holdStateCalls()) }
                return bytes
            })
        let host = try Host(manifest: folder.manifest())
        try host.restore(["users": [1]])
        if isLoading { hosts.withLock { $0 = host } } else { held.set(host.holdStateCalls()) }
        let (bytes, isWaiting) = (Awaited<[UInt8]?>(), Awaited<Bool>())
        try DetachedThread.start { bytes.set(try? host.stateful().bytes) }
        let calls = try #require(held.wait(within: Patience.limit))
        calls.onWaiting { isWaiting.set(true) }
        #expect(isWaiting.wait(within: Patience.limit) == true)
        #expect(host.servingModules.isEmpty && bytes.wait(within: .zero) == nil)
        // The last state, before the module starts, or after it has started with the one before.
        try host.restore(["users": [1, 2]])
        calls.open()
        #expect(bytes.wait(within: Patience.limit) == [1, 2])
        #expect(host.servingModules == ["users"])
    }

    @Test("may take three times as long as it took with all calls going on")
    func largeState() throws {
        try drop("first") { bytes in
            Patience.letPass(.milliseconds(30))
            return bytes
        }
        let host = try host(gateLimit: .milliseconds(5))
        try host.stateful().add(1)
        try drop("second")
        // On a busy machine, it is put off and tried again.
        try Patience.wait(for: "the switch") {
            host.changes().contains("users: draining → serving")
        }
        #expect(try host.stateful().bytes == [1])
    }

    @Test("a call that is waited for may call again, also on other threads")
    func nestedCalls() throws {
        try drop("first")
        let host = try host()
        _ = try host.stateful()
        try drop("second")
        let switched = Awaited<[String]>()
        try host.services.resolver.call((any UserService).self) { _ in
            try DetachedThread.start { switched.set(host.changes()) }
            try Patience.wait(for: "the new generation's start") {
                try host.services.resolver.call((any UserService).self) {
                    ($0 as? StatefulUsers)?.add(1)
                }
                return diary.lines.contains { $0.hasPrefix("second starts") }
            }
            for _ in 0..<20 {
                try host.services.resolver.call((any UserService).self) {
                    ($0 as? StatefulUsers)?.add(2)
                }
                Patience.letPass(.milliseconds(1))
            }
            #expect(switched.wait(within: .zero) == nil)
        }
        #expect(switched.wait(within: Patience.limit) == ["users: draining → serving"])
        #expect(try host.stateful().words == "second")
        #expect(try host.stateful().bytes.count { $0 == 2 } == 20)
    }
}
