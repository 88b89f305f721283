// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesTestSupport
import Glibc
import Synchronization
import Testing

/// How often the former handler was called.
private let handled = Atomic<Int>(0)

/// Waits until the former handler was called so often. If that takes too long, the test fails.
private func waitUntilHandled(_ count: Int) {
    let end = Patience.end
    while handled.load(ordering: .relaxed) < count, ContinuousClock.now < end { sched_yield() }
}

/// Each test runs in a process of its own, because a signal affects the whole process.
@Suite(.promptly, .patiently) struct InterruptsTests {
    @Test(
        "defers a signal until the process has cleaned up, and then lets it end the process",
        // The second one is sent by Ctrl-\.
        arguments: [SIGHUP, SIGQUIT])
    func dies(number: Int32) async {
        await #expect(processExitsWith: .signal(number)) { [number = number as Int32] in
            signal(number, SIG_DFL)
            Interrupts.deferred { interrupts in
                #expect(interrupts.signal == nil)
                kill(getpid(), number)
                waitUntilReadable(interrupts.descriptor)
                #expect(interrupts.signal == number)
            }
            // The signal was sent again, and may arrive on any thread.
            while true { pause() }
        }
    }

    @Test("calls the former handler once for the deferred signals, and restores it")
    func handsOn() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP) { _ in handled.add(1, ordering: .relaxed) }
            Interrupts.deferred { interrupts in
                for number in [SIGHUP, SIGTERM] {
                    kill(getpid(), number)
                    waitUntilReadable(interrupts.descriptor)
                    // The descriptor tells that the signal has arrived.
                    var count: UInt64 = 0
                    #expect(read(interrupts.descriptor, &count, 8) == 8 && count == 1)
                }
                Interrupts.deferred { #expect($0.signal == SIGHUP) }
                #expect(handled.load(ordering: .relaxed) == 0)
            }
            waitUntilHandled(1)
            kill(getpid(), SIGHUP)
            waitUntilHandled(2)
            #expect(handled.load(ordering: .relaxed) == 2)
        }
    }

    @Test("a signal that is ignored stays ignored")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            Interrupts.deferred { interrupts in
                // Worker threads block signals. If this one does not, `raise` returns only after the
                // handler has run, if there is one.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGHUP)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                raise(SIGHUP)
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
                    if started > 9 { return nil as (Int, ChildCommand)? }
                    // The second child sends the signal when both run. Both would run for long.
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

    @Test("kills a child that does not end when it is asked to")
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
