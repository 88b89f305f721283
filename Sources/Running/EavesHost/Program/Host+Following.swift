// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

// A host that stays up, and takes on what changes on the disk.
extension Host {
    /// Follows the manifest and the modules' files: takes on each change as soon as it is complete, and tells
    /// of it.
    ///
    /// A new file of a module that is loaded becomes a generation of its own: it is checked, loaded and
    /// registers, and only then takes the place of the old one, at once and for everybody. A service that the
    /// manifest binds to another module comes from that module from then on. Whatever cannot be taken on
    /// leaves everything that it concerns as it was, and is told with the reason. No call and no resolution
    /// fails meanwhile.
    ///
    /// Resolvers, handles, providers and injected properties give what serves now. An object that code keeps
    /// stays what it is until that code drops it; ``generations`` counts those. Meanwhile, other processes
    /// of the same user see them, too: ``RunningHost`` and `eaves generations`.
    ///
    /// - Returns: The changes from now on. Each call gives a sequence of its own, which keeps the changes that nobody has
    ///   read yet. The host follows, on a thread of its own, until the last such sequence is dropped or its task is
    ///   cancelled.
    /// - Throws: ``HostError`` if the disk cannot be watched.
    public func follow() throws(HostError) -> AsyncStream<HostChange> {
        reports.begin()
        do {
            try HostError.wrapping { try follower.begin() }
        } catch {
            reports.end()
            throw error
        }
        live.beginSharing()
        let (stream, continuation) = AsyncStream.makeStream(of: HostChange.self)
        let observation = observers.add { event in
            if case .changed(let change) = event { continuation.yield(change) }
        }
        continuation.onTermination = { [follower, reports] _ in
            observation.cancel()
            reports.end()
            follower.end()
        }
        return stream
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
}
