// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesLife
import EavesManifest
import EavesQuarantine
import EavesSystem
import Glibc
import Synchronization

/// Lets a live host look at the disk whenever something changes there, on a thread of its own, as long as
/// it has followers.
///
/// Safe from any thread.
final class Follower: Sendable {
    private let live: LiveModules
    private let reports: ReportOffer
    private let tell: @Sendable (HostChange) -> Void
    private let state = Mutex(State())

    private struct State {
        /// The number of followings.
        var count = 0
        /// The watch of the thread that is running.
        var watch: FileWatch?
    }

    /// - Parameter tell: A function that is called with each change, on the thread that took it on.
    init(
        _ live: LiveModules, _ reports: ReportOffer, tell: @escaping @Sendable (HostChange) -> Void
    ) {
        self.live = live
        self.reports = reports
        self.tell = tell
    }

    /// Begins to follow, unless the host follows already. From its return on, no change is missed.
    ///
    /// - Throws: `SystemError` if the disk cannot be watched.
    func begin() throws {
        try state.withLock { state in
            state.count += 1
            guard state.watch == nil else { return }
            do {
                let watch = try FileWatch()
                try watch.watch(places)
                state.watch = watch
                live.waker.set { watch.wake() }
                try DetachedThread.start { [self] in run(watch) }
            } catch {
                state.watch = nil
                state.count -= 1
                throw error
            }
        }
    }

    /// Ends the thread if no other follower is left.
    func end() {
        state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return }
            live.waker.set(nil)
            state.watch?.wake()
            state.watch = nil
        }
    }

    /// The places that the host follows, and its socket for other processes.
    private var places: WatchedPlaces {
        var places = live.places
        if let socket = reports.place { places.files.append(socket) }
        return places
    }

    private func run(_ watch: FileWatch) {
        // Something may have changed since the host read the manifest.
        look(watch)
        while state.withLock({ $0.watch === watch }) {
            var isNews = true
            do throws(SystemError) {
                let soon = live.isWaiting ? ContinuousClock.now + .milliseconds(50) : nil
                // A host whose looks are held is woken.
                let deadline =
                    live.isHeld
                    ? nil
                    : [soon, live.nextJudgement, live.nextAttempt, reports.nextRenewal]
                        .compactMap { $0 }.min()
                isNews = try watch.wait(until: deadline) != nil
            } catch {
                tell(.kept(HostError(error)))
                // Without news, the disk is looked at now and then.
                usleep(1_000_000)
            }
            guard state.withLock({ $0.watch === watch }) else { return }
            look(watch, afterNews: isNews)
        }
    }

    private func look(_ watch: FileWatch, afterNews isNews: Bool = true) {
        let before = places
        _ = live.catchUp(afterNews: isNews, telling: tell)
        reports.renew()
        let places = places
        guard places != before else { return }
        do throws(SystemError) {
            try watch.watch(places)
        } catch {
            tell(.kept(HostError(error)))
        }
        // Something may have happened in the new places before they were watched.
        _ = live.catchUp(telling: tell)
    }
}

extension Manifest {
    /// The places on the disk that say what a host is to do.
    var watchedPlaces: WatchedPlaces {
        let libraries = modules.compactMap(\.library).map { Path.absolute($0, from: directory) }
        return WatchedPlaces(
            directories: directories.map { Path.absolute($0, from: directory) },
            files: [path, QuarantineStore(store).recordsPath] + libraries + [allowedSigners]
                + (revokedKeys.map { [$0] } ?? []))
    }
}
