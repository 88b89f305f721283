// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface

/// The notes about the factories that run on a thread, for the moment when they return.
final class FactoryNotes {
    /// The errors of properties that could not be injected, each with the number of factories that ran on the thread
    /// then. The first one of each factory counts.
    fileprivate var injections: [(depth: UInt32, error: ResolutionError)] = []
}

extension ThreadContext {
    /// Whether a factory that returns has to be looked at.
    @inline(__always)
    var hasNotes: Bool { record.pointee.notes != nil }

    private var notes: FactoryNotes? {
        // SAFETY: `openNotes` set it, and `closeNotes` releases it.
        record.pointee.notes.map {
            Unmanaged<FactoryNotes>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The notes, to write one.
    private func openNotes() -> FactoryNotes {
        if let notes { return notes }
        let new = FactoryNotes()
        // SAFETY: `closeNotes` gives the reference back, at the latest when the outermost factory returns.
        record.pointee.notes = Unmanaged.passRetained(new).toOpaque()
        return new
    }

    /// Drops the notes if there is none left.
    private func closeNotes() {
        guard let notes, notes.injections.isEmpty else { return }
        record.pointee.notes = nil
        // SAFETY: gives back the reference that `openNotes` took.
        Unmanaged.passUnretained(notes).release()
    }

    /// Throws if a property of the object could not be injected that the innermost factory has returned.
    @inline(never)
    func checkNotes() throws(ResolutionError) {
        if let injection = takeInjectionError() { throw injection }
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
