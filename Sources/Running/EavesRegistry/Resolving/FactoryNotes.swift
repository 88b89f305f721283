// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesReadSections
import EavesInterface

/// What is noted about the factories that run on a thread, for the moment when they return: nothing else
/// tells the container, since factories may catch every error.
final class FactoryNotes {
    /// Why properties could not be injected, each with the number of factories that ran on the thread
    /// then. The first one of each factory counts.
    fileprivate var injections: [(depth: UInt32, error: ResolutionError)] = []
    /// The step back that is under way.
    var stepBack: StepBack?
}

extension ThreadContext {
    /// Whether a factory that returns has to be looked at.
    @inline(__always)
    var hasNotes: Bool { record.pointee.notes != nil }

    var notes: FactoryNotes? {
        // SAFETY: `openNotes` set it, and `closeNotes` releases it.
        record.pointee.notes.map {
            Unmanaged<FactoryNotes>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The notes, to write one.
    func openNotes() -> FactoryNotes {
        if let notes { return notes }
        let new = FactoryNotes()
        // SAFETY: `closeNotes` gives the reference back, at the latest when the outermost factory returns.
        record.pointee.notes = Unmanaged.passRetained(new).toOpaque()
        return new
    }

    /// Drops the notes if there is none left.
    func closeNotes() {
        guard let notes, notes.injections.isEmpty, notes.stepBack == nil else { return }
        record.pointee.notes = nil
        // SAFETY: gives back the reference that `openNotes` took.
        Unmanaged.passUnretained(notes).release()
    }

    /// Throws if the innermost factory, which has returned, has to fail all the same: a property of its
    /// object could not be injected, or the thread steps back.
    @inline(never)
    func checkNotes() throws(ResolutionError) {
        let injection = takeInjectionError()
        if let error = giveUp() { throw error }
        if let injection { throw injection }
    }

    /// Notes the error of a property that could not be injected.
    func noteInjectionError(_ error: ResolutionError) {
        let depth = record.pointee.depth
        let notes = openNotes()
        if notes.injections.last?.depth != depth { notes.injections.append((depth, error)) }
    }

    /// Removes the note of the innermost factory.
    func takeInjectionError() -> ResolutionError? {
        guard let notes, let last = notes.injections.last, last.depth >= record.pointee.depth else {
            return nil
        }
        notes.injections.removeLast()
        closeNotes()
        return last.error
    }
}
