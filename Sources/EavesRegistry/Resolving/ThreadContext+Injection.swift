// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

// `Injected` cannot throw. An error that keeps a property from being injected is noted in the thread's
// record, and thrown for the factory when the factory returns.
extension ThreadContext {
    // SAFETY: `outer` is the reference that the record held before this note, and holds again after it.
    /// Why a property could not be injected, and how many factories ran on the thread then.
    private final class Note {
        let depth: UInt32
        let error: ResolutionError
        let outer: Unmanaged<Note>?

        init(depth: UInt32, error: ResolutionError, outer: Unmanaged<Note>?) {
            self.depth = depth
            self.error = error
            self.outer = outer
        }
    }

    // SAFETY: only this setter writes the field, and `noteInjectionError` took the reference.
    private var note: Unmanaged<Note>? {
        get { record.pointee.uninjected.map { Unmanaged<Note>.fromOpaque($0) } }
        nonmutating set { record.pointee.uninjected = newValue?.toOpaque() }
    }

    /// Makes `Injected` ask the calling thread's context, in the whole process.
    static func answerInjected() {
        InjectionSource.install {
            let context = current
            // A factory that runs on another thread is on top here too while its resolver is used.
            guard context.runsTop, let owner = context.top?.owner else { return nil }
            // SAFETY: everything that resolves holds the container of the factory that runs.
            let container = owner.takeUnretainedValue()
            return InjectionSource.RunningFactory(resolver: container) {
                context.noteInjectionError($0)
            }
        }
    }

    /// Whether a property could not be injected.
    @inline(__always)
    var hasInjectionError: Bool { record.pointee.uninjected != nil }

    /// Notes the error. The first one of each factory counts.
    private func noteInjectionError(_ error: ResolutionError) {
        let depth = record.pointee.depth
        if let note, note.takeUnretainedValue().depth == depth { return }
        // SAFETY: `takeNote` gives the reference back, at the latest when the factory returns.
        note = .passRetained(Note(depth: depth, error: error, outer: note))
    }

    /// Throws the error that kept a property of the innermost factory from being injected.
    @inline(never)
    func checkInjected() throws(BoxedResolutionError) {
        if let error = takeNote() { throw BoxedResolutionError(error) }
    }

    /// Drops the note of a factory that throws an error itself.
    func forgetInjected() {
        _ = takeNote()
    }

    private func takeNote() -> ResolutionError? {
        guard let top = note, top.takeUnretainedValue().depth >= record.pointee.depth else {
            return nil
        }
        note = top.takeUnretainedValue().outer
        // SAFETY: takes over the reference of `noteInjectionError`.
        return top.takeRetainedValue().error
    }
}
