// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
public import EavesLife
import EavesManifest
import EavesModules
import EavesQuarantine
import EavesSystem
import EavesTrust
import Glibc
import Synchronization

// A host that stays up, and takes on what changes on the disk.
extension Host {
    /// Follows the manifest and the modules' files: takes on each change as soon as it is complete, and tells
    /// the observer of it, as ``HostEvent/changed(_:)``.
    ///
    /// A new file of a module that is loaded becomes a generation of its own: it is checked, loaded and registers, and
    /// only then takes the place of the old one, at once and for everybody. A service that the manifest binds to
    /// another module comes from that module from then on. Whatever cannot be taken on leaves everything that it
    /// concerns as it was, and is told with the reason. No call and no resolution fails meanwhile.
    ///
    /// Resolvers, handles, providers and injected properties give what serves now. An object that code keeps
    /// stays what it is until that code drops it; ``generations`` counts them. Meanwhile, the same user sees
    /// them in other processes, too, with `eaves generations`.
    ///
    /// Where the system watches no more files for this user, the host looks every second, and warns once.
    ///
    /// - Returns: The following, which ends when it is released. The host follows on a thread of its own.
    /// - Throws: ``HostError`` if there is no thread or descriptor left for it.
    public func follow() throws(HostError) -> Following {
        let store = manifest.store
        if let obstacle = store.obstacle?.diagnostic {
            let place = store.isInMemory ? "kept in memory only, in \(store.path)" : "not kept"
            let words = "what this host learns of modules is \(place): "
            observers.warn(
                Diagnostic(words + obstacle.message, fix: obstacle.fix, code: obstacle.code))
        }
        live.inheritTrials(of: nil)
        try HostError.wrapping { try follower.begin() }
        live.beginSharing()
        return Following(follower)
    }

    /// A host's following of the disk. It ends when the value is released.
    public final class Following: Sendable {
        private let follower: Follower
        private let hasEnded = Atomic(false)

        fileprivate init(_ follower: Follower) { self.follower = follower }

        deinit { end() }

        /// Ends the following. The host goes on with what it has taken on.
        public func end() {
            if !hasEnded.exchange(true, ordering: .relaxed) { follower.end() }
        }
    }

    /// Looks at the manifest and the modules' files once, and takes on what has changed, as ``follow()`` does.
    ///
    /// When it returns, observers have also been told of what ``follow()`` took on before.
    ///
    /// - Parameter discardsState: Whether modules may take the place of others, or of older files, whose state
    ///   they cannot take on. The state is lost then.
    /// - Returns: Everything that was taken on, and everything new that could not be.
    @discardableResult
    public func catchUp(discardingState discardsState: Bool = false) -> [HostChange] {
        live.catchUp(discardingState: discardsState)
    }

    /// The generations of all modules that this host has loaded or refused, in the order of their numbers.
    public var generations: [HostGeneration] { live.generations }

    package func report(_ event: HostEvent) {
        observers.tell(event)
    }
}

/// Lets a live host look at the disk whenever something changes there, on a thread of its own, as long as
/// it has followers. Meanwhile, other processes can see the host.
///
/// Safe from any thread.
final class Follower: Sendable {
    private let live: LiveModules
    private let observers: HostObservers
    let reports: ReportOffer
    private let state = Mutex(State())

    private struct State {
        var count = 0
        var watch: FileWatch?
    }

    init(_ live: LiveModules, in store: Store, telling observers: HostObservers) {
        self.live = live
        self.observers = observers
        reports = ReportOffer(of: live, in: store)
    }

    /// Begins to follow, unless the host follows already. From its return on, no change is missed.
    ///
    /// - Throws: `SystemError` if there is no thread or descriptor left for it.
    func begin() throws {
        try state.withLock { state in
            guard state.count == 0 else {
                state.count += 1
                return
            }
            reports.begin()
            do {
                let watch = try FileWatch()
                // The first wait tries again, and tells what cannot be watched.
                try? watch.watch(places)
                state.watch = watch
                live.waker.withLock { $0 = { watch.wake() } }
                try DetachedThread.start { [self] in run(watch) }
                state.count = 1
            } catch {
                reports.end()
                state.watch = nil
                throw error
            }
        }
    }

    /// Ends the thread if no other follower is left.
    func end() {
        state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return }
            reports.end()
            live.waker.withLock { $0 = nil }
            state.watch?.wake()
            state.watch = nil
        }
    }

    private var places: WatchedPlaces {
        var places = live.modules.manifest.watchedPlaces
        if let socket = reports.place { places.files.append(socket) }
        return places
    }

    private func run(_ watch: FileWatch) {
        // Something may have changed since the host read the manifest.
        look(watch)
        while state.withLock({ $0.watch === watch }) {
            let next = [live.running.nextLook(), reports.nextRenewal].compactMap(\.self).min()
            // A host whose looks are held is woken.
            let isNews =
                watch.wait(until: live.isHeld ? nil : next, warning: observers.warn) != nil
            guard state.withLock({ $0.watch === watch }) else { return }
            look(watch, afterNews: isNews)
        }
    }

    private func look(_ watch: FileWatch, afterNews isNews: Bool = true) {
        let before = places
        live.catchUp(afterNews: isNews)
        reports.renew()
        let places = places
        guard places != before else { return }
        try? watch.watch(places)
        // Something may have happened in the new places before they were watched.
        live.catchUp()
    }
}

extension Manifest {
    /// The places on the disk that say what a host is to do.
    fileprivate var watchedPlaces: WatchedPlaces {
        let libraries = modules.compactMap(\.library).map { Path.absolute($0, from: directory) }
        return WatchedPlaces(
            directories: directories.map { Path.absolute($0, from: directory) },
            files: [path, QuarantineStore(store).recordsPath] + libraries
                + (signatures == nil
                    ? [] : signerLists.places + libraries.map { $0 + SignatureCheck.suffix }))
    }
}
