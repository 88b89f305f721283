// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
public import EavesLife
import Synchronization

// A host that stays up, and takes on what changes on the disk.
extension Host {
    /// Follows the manifest and the modules' files: takes on each change as soon as it is complete, and tells
    /// the observer of it, as ``HostEvent/changed(_:)``.
    ///
    /// A new file of a module that is loaded becomes a generation of its own: it is checked, loaded and
    /// registers, and only then takes the place of the old one, at once and for everybody. A service that the
    /// manifest binds to another module comes from that module from then on. Whatever cannot be taken on
    /// leaves everything that it concerns as it was, and is told with the reason. No call and no resolution
    /// fails meanwhile.
    ///
    /// Resolvers, handles, providers and injected properties give what serves now. An object that code keeps
    /// stays what it is until that code drops it; ``generations`` counts them. Meanwhile, the same user sees
    /// them in other processes, too, with `eaves generations`.
    ///
    /// - Returns: The following, which ends when it is released. The host follows on a thread of its own.
    /// - Throws: ``HostError`` if the disk cannot be watched.
    public func follow() throws(HostError) -> Following {
        reports.begin()
        do {
            try HostError.wrapping { try follower.begin() }
        } catch {
            reports.end()
            throw error
        }
        live.beginSharing()
        return Following(follower, reports)
    }

    /// A host's following of the disk. It ends when the value is released.
    public final class Following: Sendable {
        private let follower: Follower
        private let reports: ReportOffer
        private let hasEnded = Atomic(false)

        fileprivate init(_ follower: Follower, _ reports: ReportOffer) {
            self.follower = follower
            self.reports = reports
        }

        deinit { end() }

        /// Ends the following. The host goes on with what it has taken on.
        public func end() {
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            reports.end()
            follower.end()
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
        live.catchUp(discardingState: discardsState) { report(.changed($0)) }
    }

    /// The generations of all modules that this host has loaded or refused, in the order of their numbers.
    public var generations: [HostGeneration] { live.generations }

    /// The ids of the modules that this host has loaded, in the order in which it did.
    package var loadedModules: [String] { observers.loaded }

    /// Tells the observers of an event.
    package func report(_ event: HostEvent) {
        observers.tell(event)
    }
}
