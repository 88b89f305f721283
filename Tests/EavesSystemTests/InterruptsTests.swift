// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization
import Testing

/// How often the handler that stood before was called.
private let handled = Atomic<Int>(0)
/// The pipe that it writes to, so that a test can wait for it.
private let handledPipe = Atomic<Int32>(-1)

/// Serialised: a process has one handler a signal.
@Suite(.serialized, .timeLimit(.minutes(1))) struct InterruptsTests {
    /// Puts a handler of the test's own in place, as a program around us might have one, and gives
    /// the body a function that waits until it has been called.
    private func withHandler(_ body: (_ wait: () -> Void) throws -> Void) rethrows {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        handled.store(0, ordering: .relaxed)
        handledPipe.store(ends[1], ordering: .relaxed)
        let before = signal(SIGHUP) { _ in
            handled.add(1, ordering: .relaxed)
            var byte: UInt8 = 0
            write(handledPipe.load(ordering: .relaxed), &byte, 1)
        }
        defer {
            signal(SIGHUP, before)
            for end in ends { close(end) }
        }
        try body {
            var byte: UInt8 = 0
            while read(ends[0], &byte, 1) < 0, errno == EINTR {}
        }
    }

    private func waitUntilReadable(_ descriptor: Int32) {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&watched, 1, -1) < 0, errno == EINTR {}
    }

    @Test("holds a signal back until the work is cleaned up, and hands it on once")
    func deferred() {
        withHandler { wait in
            Interrupts.deferred { interrupts in
                #expect(interrupts.signal == nil)
                kill(getpid(), SIGHUP)
                kill(getpid(), SIGHUP)
                waitUntilReadable(interrupts.descriptor)
                #expect(interrupts.signal == SIGHUP)
                Interrupts.deferred { #expect($0.signal == SIGHUP) }
                #expect(handled.load(ordering: .relaxed) == 0)
            }
            wait()
            #expect(handled.load(ordering: .relaxed) == 1)
            kill(getpid(), SIGHUP)
            wait()
            #expect(handled.load(ordering: .relaxed) == 2)
        }
    }

    @Test("ends the children that run, with all they have started, and starts no more")
    func endsChildren() {
        withHandler { wait in
            var started = 0
            var endings: [ChildEnding] = []
            Interrupts.deferred { interrupts in
                ChildPool(limit: 2).run(interrupts: interrupts) {
                    started += 1
                    // The first one signals us when it is surely running; both would run for long.
                    let script = started == 1 ? "kill -HUP \(getpid());" : ""
                    return (started, ChildCommand("sh", ["-c", script + "sleep 60 & wait"]))
                } finished: { _, result in
                    if let report = try? result.get() { endings.append(report.ending) }
                }
            }
            wait()
            #expect(started == 2)
            #expect(endings == [.signalled(SIGTERM), .signalled(SIGTERM)])
        }
    }

    @Test("kills a child that will not end when asked")
    func killsChildren() {
        withHandler { wait in
            var report: ChildReport?
            Interrupts.deferred { interrupts in
                report = try? ChildPool.run(
                    ChildCommand(
                        "sh", ["-c", "trap '' TERM; kill -HUP \(getpid()); sleep 60 & wait; wait"]),
                    interrupts: interrupts)
            }
            wait()
            #expect(report?.ending == .signalled(SIGKILL))
        }
    }
}
