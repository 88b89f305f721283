// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesReadSections
import EavesInterface

/// A thread gives up what it is creating, and begins anew.
///
/// There are two reasons. Two threads that each create what the other one needs are in a cycle only if
/// one thread alone would come back to where it began. The thread that finds that waiting would never end
/// cannot know that. So it gives up everything, lets the other thread go on, and begins anew. A real cycle
/// shows then.
///
/// And an object whose factory needs an object that needs the first one when it is completed can only be
/// created second. So it is given up, the other object is created, and then the first one exists, or can
/// be created.
///
/// Factories see an ordinary error, and may do with it whatever they like. The step back is noted in the
/// thread's record all the same: nothing that a factory returns after it counts, down to the place where
/// the thread begins anew.
struct StepBack {
    enum Reason {
        /// Another thread creates an instance, and that in the end waits for this thread.
        case meeting(CreationTurn)
        /// The object to create first.
        case order(Registration)
    }

    let reason: Reason
    /// How many of the running factories go on: those below are not given up.
    let floor: UInt32
    /// How many factories there are, of those that were running, that have not returned yet. Factories
    /// that were called later are not given up.
    var depth: UInt32
    /// The error that factories see.
    let error: ResolutionError

    /// The one of two that gives up more, and so includes the other one.
    func including(_ other: StepBack) -> StepBack {
        var wider = floor <= other.floor ? self : other
        wider.depth = max(depth, other.depth)
        return wider
    }
}

extension ThreadContext {
    /// Notes that the thread has to step back.
    func note(_ stepBack: StepBack) {
        let notes = openNotes()
        guard let known = notes.stepBack else {
            notes.stepBack = stepBack
            return
        }
        notes.stepBack = stepBack.including(known)
    }

    /// Notes that waiting for what another thread creates would never end.
    ///
    /// - Parameters:
    ///   - turn: The turn that the other thread has.
    ///   - error: The error in case of a real cycle.
    /// - Returns: The failure to throw.
    func crossing(_ turn: CreationTurn, _ error: ResolutionError) -> ResolutionError {
        // If the thread itself has the turn, it is a cycle, and nothing else. So it is if the thread starts a module that
        // the other one waits for: the thread cannot give that up.
        if !turn.isTaken(byOneOf: dependents), !turn.leadsThroughModule(to: waiter) {
            noteMeeting(turn, error)
        }
        return error
    }

    /// Notes that the thread has to step back to where it began, and to let another thread go on.
    func noteMeeting(_ turn: CreationTurn, _ error: ResolutionError) {
        note(
            StepBack(
                reason: .meeting(turn), floor: 0, depth: record.pointee.depth, error: error))
    }

    /// The failure of a registration that needs itself.
    ///
    /// If only the order is wrong in which the objects are created, this notes a step back.
    ///
    /// - Parameter index: The place of the registration among those whose factories run.
    func cycle(_ registration: Registration, at index: UInt32) -> ResolutionError {
        let failure = cycle(registration)
        if let first = completing(above: index) {
            note(
                StepBack(
                    reason: .order(first), floor: index, depth: record.pointee.depth,
                    error: failure))
        }
        return failure
    }

    /// The error of the innermost factory, if it is given up. It counts as returned from then on.
    func giveUp() -> ResolutionError? {
        let depth = record.pointee.depth
        guard let notes, let stepBack = notes.stepBack, depth > stepBack.floor,
            depth <= stepBack.depth
        else { return nil }
        notes.stepBack?.depth = depth - 1
        return stepBack.error
    }

    /// Calls `body`, and again after each step back to this place.
    func steppingBack<Result>(
        _ body: () throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        var first: [FirstObject] = []
        while true {
            do throws(ResolutionError) {
                return try body()
            } catch {
                guard let stepBack = takeStepBack(to: record.pointee.depth) else { throw error }
                try follow(stepBack, &first)
            }
        }
    }

    /// An object that was created first.
    struct FirstObject {
        fileprivate let registration: Registration
        /// Kept until the object that needs it exists too: no scope may keep it.
        fileprivate let object: Any
    }

    /// The step back that the thread has to do now, if this is the place where it begins anew.
    ///
    /// - Parameter depth: How many factories are running that are not given up.
    func takeStepBack(to depth: UInt32) -> StepBack? {
        guard let notes, let stepBack = notes.stepBack, stepBack.floor == depth else {
            return nil
        }
        // While a lazy value is being resolved, other threads may wait for it.
        if case .meeting = stepBack.reason, record.pointee.lazy_depth > 0 { return nil }
        notes.stepBack = nil
        closeNotes()
        return stepBack
    }

    /// Does what has to be done before the thread begins anew.
    ///
    /// - Parameter first: The objects that were created first so far. None of them is tried again.
    /// - Throws: The error if that cannot help.
    func follow(
        _ stepBack: StepBack, _ first: inout [FirstObject]
    ) throws(ResolutionError) {
        switch stepBack.reason {
        case .meeting(let turn):
            turn.wait(in: self)
        case .order(let registration):
            guard !first.contains(where: { $0.registration === registration }) else {
                throw stepBack.error
            }
            do throws(ResolutionError) {
                let object = try registration.instance(in: self)
                first.append(FirstObject(registration: registration, object: object))
            } catch {
                // The service that was asked for is a part of the same cycle, and the better beginning.
                if case .cycle = error.reason { throw stepBack.error }
                throw error
            }
        }
    }

    /// Removes a step back from the thread's record, after it has asked in another thread's name.
    ///
    /// - Parameter foreign: The places of the factories that run on other threads.
    /// - Returns: The step back, if it concerns them.
    func takeStepBack(among foreign: Range<UInt32>) -> StepBack? {
        guard let notes, let stepBack = notes.stepBack else { return nil }
        if case .order = stepBack.reason, stepBack.floor < foreign.lowerBound {
            notes.stepBack?.depth = min(stepBack.depth, foreign.lowerBound)
            return nil
        }
        notes.stepBack = nil
        closeNotes()
        return stepBack
    }
}
