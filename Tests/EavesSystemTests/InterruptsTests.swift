// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization
import Testing

/// How often the handler that stood before was called.
private let handled = Atomic<Int>(0)

/// Each in a process of its own: signals come to all of one.
@Suite(.timeLimit(.minutes(10))) struct InterruptsTests {
    @Test("holds a signal back until the work is cleaned up, and the process dies of it then")
    func dies() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            signal(SIGHUP, SIG_DFL)
            Interrupts.deferred { interrupts in
                #expect(interrupts.signal == nil)
                kill(getpid(), SIGHUP)
                waitUntilReadable(interrupts.descriptor)
                #expect(interrupts.signal == SIGHUP)
            }
            // It is on its way, and comes to any thread.
            while true { pause() }
        }
    }

    @Test("the handler that stood before is called once for what was held back, and stands again")
    func handsOn() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP) { _ in handled.add(1, ordering: .relaxed) }
            Interrupts.deferred { interrupts in
                for number in [SIGHUP, SIGTERM] {
                    kill(getpid(), number)
                    waitUntilReadable(interrupts.descriptor)
                    // Each signal that came in has left a byte: this one is no longer on its way.
                    var byte: UInt8 = 0
                    #expect(read(interrupts.descriptor, &byte, 1) == 1)
                }
                Interrupts.deferred { #expect($0.signal == SIGHUP) }
                #expect(handled.load(ordering: .relaxed) == 0)
            }
            while handled.load(ordering: .relaxed) < 1 { sched_yield() }
            kill(getpid(), SIGHUP)
            while handled.load(ordering: .relaxed) < 2 { sched_yield() }
            #expect(handled.load(ordering: .relaxed) == 2)
        }
    }

    @Test("a signal that is ignored stays ignored")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            Interrupts.deferred { interrupts in
                kill(getpid(), SIGHUP)
                #expect(interrupts.signal == nil)
            }
        }
    }

    @Test("ends the children that run, with all they have started, and starts no more")
    func endsChildren() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP) { _ in }
            var started = 0
            var endings: [ChildEnding] = []
            Interrupts.deferred { interrupts in
                ChildPool(limit: 2).run(interrupts: interrupts) {
                    started += 1
                    // The second one signals us once both run; both would run for long.
                    let script = started == 2 ? "kill -HUP \(getpid());" : ""
                    return (started, ChildCommand("sh", ["-c", script + "sleep 60 & wait"]))
                } finished: { _, result in
                    if let report = try? result.get() { endings.append(report.ending) }
                }
            }
            #expect(started == 2)
            #expect(endings == [.signalled(SIGTERM), .signalled(SIGTERM)])
        }
    }

    @Test("kills a child that will not end when asked")
    func killsChildren() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP) { _ in }
            var report: ChildReport?
            Interrupts.deferred { interrupts in
                report = try? ChildPool.run(
                    ChildCommand(
                        "sh", ["-c", "trap '' TERM; kill -HUP \(getpid()); sleep 60 & wait; wait"]),
                    interrupts: interrupts)
            }
            #expect(report?.ending == .signalled(SIGKILL))
        }
    }
}

private func waitUntilReadable(_ descriptor: Int32) {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&watched, 1, -1) < 0, errno == EINTR {}
}
