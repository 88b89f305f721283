// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

// `Injected` cannot throw. What keeps it from being had is noted in the record of the thread that runs
// the factory, and thrown for it when the factory returns.
extension UnsafeMutablePointer<eaves_reader> {
    // SAFETY: `outer` is the reference that the record held before, and holds again after this one.
    /// Why a property could not be injected, with how deep the thread was in factories.
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

    // SAFETY: the setter is the only writer. The reference that it stores is `noteUninjected`'s.
    private var note: Unmanaged<Note>? {
        get { pointee.uninjected.map { Unmanaged<Note>.fromOpaque($0) } }
        nonmutating set { pointee.uninjected = newValue?.toOpaque() }
    }

    /// Has `Injected` ask the calling thread's record, in the whole process.
    static func answerInjected() {
        InjectionSource.install {
            let reader = eaves_reader_current()
            // What is pushed for another thread's factory is not built by this one.
            guard reader.isBuildingItself, let owner = reader.top?.owner else { return nil }
            // SAFETY: whoever resolves holds the container of what is built.
            let container = owner.takeUnretainedValue()
            return InjectionSource.Builder(resolver: container) { reader.noteUninjected($0) }
        }
    }

    /// What the thread is building, innermost.
    var top: Registration? {
        guard pointee.depth > 0 else { return nil }
        // SAFETY: set from a `Registration` in `push`, and alive in the section.
        return Unmanaged<Registration>.fromOpaque(pointee.building[Int(pointee.depth) - 1])
            .takeUnretainedValue()
    }

    /// Whether it is made for what decorates it.
    func isMakingInner(_ registration: Registration) -> Bool {
        top?.traits.layer?.inner === registration
    }

    /// The first one counts, of each factory.
    private func noteUninjected(_ error: ResolutionError) {
        if let note, note.takeUnretainedValue().depth == pointee.depth { return }
        // SAFETY: given back by `takeNote`, at the latest when the factory returns.
        note = .passRetained(Note(depth: pointee.depth, error: error, outer: note))
    }

    /// Throws what kept a property of the innermost factory from being injected.
    @inline(never)
    func checkInjected() throws(ResolutionFailure) {
        if let error = takeNote() { throw ResolutionFailure(error) }
    }

    /// A factory that throws has said what is wrong.
    func forgetInjected() {
        _ = takeNote()
    }

    private func takeNote() -> ResolutionError? {
        guard let top = note, top.takeUnretainedValue().depth >= pointee.depth else { return nil }
        note = top.takeUnretainedValue().outer
        // SAFETY: takes over the reference of `noteUninjected`.
        return top.takeRetainedValue().error
    }
}
