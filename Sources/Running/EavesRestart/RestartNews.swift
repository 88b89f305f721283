// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Waits for reasons to hand over: changes of the program's file, a signal, and what the host tells.
///
/// Safe from any thread. One thread waits.
final class RestartNews: Sendable {
    private let files: FileWatch
    private let isRequested = Atomic(false)

    init() throws(SystemError) {
        files = try FileWatch()
    }

    func watch(_ program: ProgramPlace) {
        // Where nothing can be watched, each wait tries again, and the host has told why.
        try? files.watch(WatchedPlaces(files: [program.path]))
    }

    func note() { files.wake() }

    func request() {
        isRequested.store(true, ordering: .releasing)
        files.wake()
    }

    /// Takes a signal for a request from now on, unless it has a handler or is ignored.
    ///
    /// - Returns: Whether it does.
    func listen(to signal: Int32) -> Bool {
        guard case .usual = SignalHandler.present(signal) else { return false }
        // A handler must not be the first to touch what Swift initialises.
        isRequestedBySignal.store(false, ordering: .relaxed)
        alarmOfRequests.store(files.alarm.descriptor, ordering: .releasing)
        return SignalHandler.install(noteRequest, for: signal)
    }

    /// Whether a fresh process was asked for since the last call.
    func takeRequest() -> Bool {
        // Both are taken.
        let bySignal = isRequestedBySignal.exchange(false, ordering: .acquiring)
        return isRequested.exchange(false, ordering: .acquiring) || bySignal
    }

    /// Waits until there may be a reason.
    ///
    /// - Parameter deadline: When to look again although nothing has happened; `nil` for never.
    func wait(until deadline: ContinuousClock.Instant?) {
        do throws(SystemError) {
            _ = try files.wait(until: deadline)
        } catch {
            files.pause(until: deadline)
        }
    }
}

/// The eventfd that wakes the thread which waits for reasons, or -1.
private let alarmOfRequests = Atomic<Int32>(-1)
private let isRequestedBySignal = Atomic(false)

/// Handles the signal that asks for a fresh process.
///
/// SAFETY: it only uses atomics and calls `write`, `getppid` and `clock_gettime`, which signal handlers may do; the globals
/// are initialised before `listen` installs the handler.
private func noteRequest(
    _ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _: UnsafeMutableRawPointer?
) {
    let error = errno
    if !SignalPair.isSecond(signal, information) {
        isRequestedBySignal.store(true, ordering: .releasing)
        var one: UInt64 = 1
        _ = write(alarmOfRequests.load(ordering: .acquiring), &one, MemoryLayout.size(ofValue: one))
    }
    errno = error
}
