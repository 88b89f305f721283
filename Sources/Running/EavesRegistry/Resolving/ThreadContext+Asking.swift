// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesReadSections
import EavesInterface

// A service that a scope keeps remembers who asked for it, for the day on which it is taken back. Code outside
// of factories that finds the instance at once notes nothing: it finds it in `created`, which is set only when
// such code has asked before.
extension ThreadContext {
    /// Notes who asks for a service.
    @inline(never)
    func noteAsk(of asked: Registration) {
        guard let asker = foundAsker else { return noteAskOfTask(of: asked) }
        asker._withUnsafeGuaranteedRef { asked.note($0) }
    }

    /// Notes that no factory on this thread asks.
    @inline(never)
    private func noteAskOfTask(of asked: Registration) {
        guard let asker = TaskContext.frame?.registration?.label else {
            return asked.noteAskedOutside()
        }
        asked.note(asker)
    }

    /// The registration whose factory asks, now or later by what it was given; `nil` outside of factories.
    ///
    /// One that only answers with another service is not meant, but whoever asked for it.
    var asker: RegistrationLabel? { foundAsker?.takeUnretainedValue() }

    /// The registration for which code last began to ask that is no factory, such as the start of a module, and how
    /// many factories were running then.
    var innermostAsker: (label: RegistrationLabel, depth: Int)? {
        guard let known = record.pointee.asker else { return nil }
        // SAFETY: `asking` set it, and its caller keeps it alive until it is set back.
        let label = Unmanaged<RegistrationLabel>.fromOpaque(known).takeUnretainedValue()
        return (label, Int(record.pointee.asker_depth))
    }

    /// The same without counting a reference.
    private var foundAsker: Unmanaged<RegistrationLabel>? {
        var depth = record.pointee.depth
        while true {
            if let known = record.pointee.asker, record.pointee.asker_depth == depth {
                // SAFETY: `asking` set it, and its caller keeps it alive until it is set back.
                return Unmanaged<RegistrationLabel>.fromOpaque(known)
            }
            guard depth > 0 else { return nil }
            depth -= 1
            // SAFETY: `push` stored a `Registration`, which the read section keeps alive with its label.
            let found = Unmanaged<Registration>.fromOpaque(record.pointee.building[Int(depth)])
                ._withUnsafeGuaranteedRef { registration in
                    registration.isForwarded ? nil : Unmanaged.passUnretained(registration.label)
                }
            if let found { return found }
        }
    }

    /// Calls `body`, whose resolutions count as asked by a factory that has returned.
    ///
    /// - Parameter asker: `nil` if no factory asks.
    func asking<Answer>(
        for asker: RegistrationLabel?, _ body: () throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer {
        guard let asker else { return try body() }
        // Within a section, nothing is found without a note.
        let before = enter()
        let outer = (record.pointee.asker, record.pointee.asker_depth)
        // SAFETY: the parameter keeps it alive until it is set back.
        record.pointee.asker = UnsafeRawPointer(Unmanaged.passUnretained(asker).toOpaque())
        record.pointee.asker_depth = record.pointee.depth
        defer {
            (record.pointee.asker, record.pointee.asker_depth) = outer
            leave(before)
        }
        return try withExtendedLifetime(asker) { () throws(ResolutionError) in try body() }
    }
}
