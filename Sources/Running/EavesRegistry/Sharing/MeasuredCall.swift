// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import Synchronization

/// A call that is not its thread's alone: it may be awaited, or go through several gates, or wait at one. Tasks that it
/// starts are a part of it.
///
/// It has entered through the gates of those that may answer it. It creates by the tables of the epoch in which it began,
/// or in which the call began that it is a part of. It ends when its caller says so, and at the latest when the caller has
/// let go of it.
final class MeasuredCall: Sendable {
    /// The call as a part of which code runs. The tasks that a call starts inherit it.
    @TaskLocal static var current: MeasuredCall?

    /// One of ``CallEpochs``, until the call ends.
    let epoch: UInt64
    private let epochs: CallEpochs
    /// Where they count the call.
    fileprivate let place: Int
    private let passes: [CallGate.Pass]
    /// The gates of the calls of the thread that this one is a part of, which it has noted itself.
    private let outerGates: [CallGate]
    private let hasEnded = Atomic(false)
    private let surrounding: Guarded<MeasuredCall?>

    private init(_ passes: [CallGate.Pass], noting epochs: CallEpochs) {
        let context = ThreadContext.current
        self.passes = passes
        self.epochs = epochs
        outerGates = context.gates
        surrounding = Guarded(Self.current?.underWay)
        (epoch, place) = epochs.begin(within: Self.current(of: epochs), on: context)
    }

    /// The innermost call under way, among those of a container's family, as a part of which code runs.
    static func current(of epochs: CallEpochs) -> MeasuredCall? {
        var call = current?.underWay
        while let one = call, one.epochs !== epochs { call = one.outer }
        return call
    }

    /// The innermost call under way that this one is a part of.
    var outer: MeasuredCall? {
        surrounding.withLock { outer in
            // A program that calls from task to task for ever keeps none that has ended.
            outer = outer?.underWay
            return outer
        }
    }

    /// The call, or the one that it was a part of if it has ended.
    private var underWay: MeasuredCall? {
        let outer = outer
        return hasEnded.load(ordering: .relaxed) ? outer : self
    }

    /// Enters through all of the doors or none: a call that waits at one keeps no other from being settled.
    ///
    /// - Parameter isOnMainThread: Whether the main thread would have to wait.
    static func enter(
        _ doors: [CallGate.Door], noting epochs: CallEpochs,
        onMainThread isOnMainThread: @autoclosure () -> Bool
    ) -> Result<MeasuredCall, CallGate.Obstacle> {
        var passes: [CallGate.Pass] = []
        for door in doors {
            switch door.enter(onMainThread: isOnMainThread()) {
            case .success(let pass): passes.append(pass)
            case .failure(let obstacle):
                for pass in passes { pass.leave() }
                return .failure(obstacle)
            }
        }
        return .success(MeasuredCall(passes, noting: epochs))
    }

    /// Whether the call has not ended, and one of its gates is meant.
    func isUnderWay(behind isMeant: (CallGate) -> Bool) -> Bool {
        !hasEnded.load(ordering: .relaxed)
            && (passes.contains { isMeant($0.door.gate) } || outerGates.contains(where: isMeant))
    }

    func isThrough(_ doors: [CallGate.Door]) -> Bool {
        passes.elementsEqual(doors) { $0.door === $1 }
    }

    deinit { end() }

    /// Leaves the gates, and lets go of the epoch. Later calls of this have no effect.
    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        for pass in passes { pass.leave() }
        epochs.end(epoch, at: place)
    }
}

/// The epochs in which calls of a container, its parents and its children began that are under way, and that no thread's
/// record notes. The containers keep the tables with which they began, as they do for the calls of threads.
///
/// Safe from any thread.
final class CallEpochs: Sendable {
    /// The numbers of the calls that began on some of the threads, by epoch.
    private final class Place: Sendable {
        let calls = Guarded<[UInt64: Int]>([:])
        /// Processors also fetch the neighbour of a line.
        private let space = InlineArray<14, UInt64>(repeating: 0)
    }

    private let places = (0..<16).map { _ in Place() }

    /// Begins a call.
    ///
    /// - Parameter outer: The call that it is a part of, which may have ended meanwhile.
    /// - Returns: Its epoch: that of the call that it is a part of, also of a call that the thread notes; else the present.
    ///   And the place, which is that of the call that it is a part of.
    fileprivate func begin(
        within outer: MeasuredCall?, on context: ThreadContext
    ) -> (epoch: UInt64, place: Int) {
        let place = outer?.place ?? Int(context.record.pointee.number) % places.count
        let epoch = places[place].calls.withLock { calls in
            let own = context.call.pointee.load(ordering: .relaxed)
            let epoch =
                if let outer, calls[outer.epoch] != nil { outer.epoch } else if own != 0 {
                    own
                } else { context.now.pointee.load(ordering: .acquiring) }
            calls[epoch, default: 0] += 1
            return epoch
        }
        return (epoch, place)
    }

    fileprivate func end(_ epoch: UInt64, at place: Int) {
        let isLast = places[place].calls.withLock { calls in
            let count = calls[epoch, default: 0] - 1
            calls[epoch] = count > 0 ? count : nil
            return count == 0
        }
        guard isLast, ThreadContext.current.now.pointee.load(ordering: .acquiring) != epoch else {
            return
        }
        Reclamation.run()
    }

    /// Whether a call has not ended, or one that is a part of it.
    func contain(_ call: MeasuredCall) -> Bool {
        places[call.place].calls.withLock { $0[call.epoch] != nil }
    }

    /// The epochs of the oldest section and the oldest call under way, as `eaves_oldest_since` says, also in tasks.
    func oldest(since first: UInt64) -> eaves_oldest {
        // Before the threads are asked: a section that has gone back to the epoch of a call may have outlived the call.
        let inTasks = places.map { place in
            place.calls.withLock { $0.keys.lazy.filter { $0 >= first }.min() } ?? .max
        }
        var oldest = eaves_oldest_since(first)
        oldest.call = inTasks.reduce(oldest.call, min)
        return oldest
    }
}
