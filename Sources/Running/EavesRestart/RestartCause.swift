// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesCatalog
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// Decides when a process lets a fresh one take over. A pure value: it knows the policy, and which attempts have
/// failed.
struct RestartDecision {
    /// The facts about the process and the disk at one time.
    struct Facts: Hashable, Sendable {
        /// How many generations are part of the process and serve no longer, or never did.
        var generations = 0
        /// The sizes of their files together.
        var bytes = 0
        /// The modules whose files only a fresh process can take on, by their ids.
        var modules: [String: FileIdentity] = [:]
        /// The module whose constructors do not return, so that nothing more can be loaded.
        var linkerHolder: String?
        /// The program's file, if another one has taken the place of the one that runs.
        var program: FileIdentity?
        var isRequested = false
    }

    private let policy: HotRestart.Policy
    private var failed = Facts()
    /// The last attempt, if it is to be made again.
    private var postponed: (cause: HotRestart.Cause, tries: Int, next: ContinuousClock.Instant)?

    init(_ policy: HotRestart.Policy) {
        self.policy = policy
    }

    /// When an attempt that was put off is made again; `nil` if none waits for that.
    func nextAttempt(after now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        postponed.flatMap { $0.next > now ? $0.next : nil }
    }

    /// The reason for which a fresh process is to take over now; `nil` if there is none, or if it has failed for
    /// this reason already.
    func cause(_ facts: Facts, at now: ContinuousClock.Instant = .now) -> HotRestart.Cause? {
        if facts.isRequested { return .request }
        if nextAttempt(after: now) != nil { return nil }
        if postponed?.cause == .request { return .request }
        if let program = facts.program, program != failed.program { return .program }
        if let holder = facts.linkerHolder, holder != failed.linkerHolder { return .hang(holder) }
        let waiting = facts.modules.filter { failed.modules[$0.key] != $0.value }
        if !waiting.isEmpty { return .modules(waiting.keys.sorted()) }
        if let bound = policy.generations, facts.generations - failed.generations >= bound {
            return .generations(facts.generations)
        }
        if let bound = policy.bytes, facts.bytes - failed.bytes >= bound {
            return .bytes(facts.bytes)
        }
        return nil
    }

    /// Notes that an attempt has failed. The same files do not lead to another one, and the bounds count from here.
    mutating func fail(with facts: Facts) {
        failed = facts
        postponed = nil
    }

    /// Notes that an attempt is to be made again: after 1, 2, 4 and so on up to 60 seconds.
    ///
    /// - Returns: Whether it is put off for the first time.
    mutating func postpone(
        _ cause: HotRestart.Cause, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        let tries = postponed?.tries ?? 0
        postponed = (cause, tries + 1, now + .seconds(min(60, 1 << min(tries, 6))))
        return tries == 0
    }
}

/// Waits for reasons to hand over: changes of the program's file, a signal, and what the host tells. Counts the code that is
/// part of the process and serves no longer.
///
/// Safe from any thread. One thread waits.
final class RestartNews: Sendable {
    private let files: FileWatch
    private let isRequested = Atomic(false)
    private let load = Mutex(Load())

    private struct Load {
        /// The size of the last file that was loaded of each module.
        var latest: [String: Int] = [:]
        var retired = (generations: 0, bytes: 0)
    }

    init() throws(SystemError) {
        files = try FileWatch()
    }

    func watch(_ program: ProgramPlace) {
        // Where nothing can be watched, each wait tries again, and the host has told why.
        try? files.watch(WatchedPlaces(files: [program.path]))
    }

    func note() { files.wake() }

    /// Notes that a module is loaded: the code of it that was loaded before stays.
    func noteLoad(of module: CatalogEntry) {
        load.withLock { load in
            if let before = load.latest.updateValue(module.status?.size ?? 0, forKey: module.id) {
                load.retired.generations += 1
                load.retired.bytes += before
            }
        }
    }

    var retired: (generations: Int, bytes: Int) { load.withLock(\.retired) }

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
    func wait(until deadline: ContinuousClock.Instant?) {
        _ = files.wait(until: deadline) { _ in }
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

/// The program's file: where a fresh process finds it, and whether another file has taken its place.
struct ProgramPlace: Sendable {
    /// The absolute path by which the program was started, with its links.
    let path: String
    /// The folder in which a fresh process starts.
    let folder: String
    private let identity: FileIdentity

    /// Looks at the program of this process, before any code changes its folder.
    ///
    /// - Parameter started: The path by which it was started; empty if the system does not tell.
    init(
        startedAs started: String = eaves_start_path().map { String(cString: $0) } ?? ""
    ) throws(SystemError) {
        folder = Path.current
        // A program that was started by a descriptor has no path but that of its file.
        let isNamed =
            !started.isEmpty && !started.hasPrefix("/proc/") && !started.hasPrefix("/dev/fd/")
        path =
            isNamed
            ? Path.absolute(started, from: folder) : try Files.target(ofLink: "/proc/self/exe")
        identity = FileIdentity(try FileStatus(path: path)).ofContent
    }

    /// The file that stands in the place of the one that was there; `nil` if there is none, or if it may still be
    /// written. It may be anything that the system can run.
    func replacement(at now: Int64 = WallClock.now) -> FileIdentity? {
        isUnfinished(at: now) ? nil : new
    }

    /// Whether the file may still be written: it was written a moment ago. A file that is renamed into
    /// the place was written before.
    func isUnfinished(at now: Int64 = WallClock.now) -> Bool {
        guard let new else { return false }
        return new.size == 0 || (0..<Self.moment).contains(now - new.modified)
    }

    /// In nanoseconds.
    static let moment: Int64 = 100_000_000

    private var new: FileIdentity? {
        guard let status = try? FileStatus(path: path) else { return nil }
        let new = FileIdentity(status).ofContent
        return new == identity ? nil : new
    }
}

extension FileIdentity {
    /// The identity without the time of the last change of its status: signing a file or changing its mode makes no
    /// other program of it.
    fileprivate var ofContent: FileIdentity {
        var identity = self
        identity.changed = 0
        return identity
    }
}
