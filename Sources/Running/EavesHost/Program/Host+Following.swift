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
    /// stays what it is until that code drops it; ``generations`` says who keeps one. Meanwhile, other processes
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

/// Something that a host has taken on while it ran: a new file of a module, another binding.
///
/// Later versions may add cases: give a `switch` over them a `default`.
public enum HostChange: Sendable {
    /// Another generation of a module serves. Calls under way go on in the old one.
    case swapped(HostGeneration, from: HostGeneration)
    /// A service comes from another module. The old one is `nil` if nobody had asked for the service yet.
    case bound(service: String, from: String?, to: String)
    /// A module was switched off, or a binding no longer leads to it. It answers nobody any more.
    case stopped(HostGeneration)
    /// A new generation was refused, with the reason in its problems, and the old one serves on.
    case refused(HostGeneration, serving: HostGeneration)
    /// A change cannot be followed, and everything it concerns stays as it was.
    case kept(HostError)
    /// A generation has drained: no resolution, loan or factory is under way in it. Code that keeps one of its services
    /// may still call it.
    case retired(HostGeneration)
    /// A generation serves no longer, and has not drained in time: a factory or a loan is still under way in it. The
    /// error says what is known of them. Told once; nothing is ended.
    case lingering(HostGeneration, HostError)
    /// Something was written to an old object after its state had gone to the new one, and it cannot be carried
    /// over.
    case stateLost(HostError)
    /// Modules share a service from now on, each call drawing one of them: a canary. The first one is the stable one;
    /// if it is alone, it has all calls again.
    case shared(service: String, shares: [HostBinding.Share])
    /// Something that was swapped has proved to be bad on probation, and what served before serves again.
    case rolledBack(HostRetreat)
    /// Something that was swapped has passed its probation.
    case proven(module: String, service: String?)
}

/// A swap that a host took back by itself.
public struct HostRetreat: Hashable, Sendable {
    /// The id of the module that was bad.
    public let module: String
    /// The service that was bound to it; `nil` if it was a new file of the module.
    public let service: String?
    /// The id of the module that provides the service again; `nil` if an earlier file of the same module does.
    public let to: String?
    /// The reasons, such as `3 of 10 calls failed`.
    public let reasons: [String]
    /// Whether the file is kept out from now on, also by other hosts of the same manifest.
    public let isQuarantined: Bool
    /// The problems of taking it back, such as a manifest that cannot be written: then only this host goes back.
    public let problems: [HostError.Problem]
}
