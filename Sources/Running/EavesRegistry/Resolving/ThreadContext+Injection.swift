// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface

// `Injected` cannot throw. An error that keeps a property from being injected is noted for the factory,
// which fails with it when it returns.
extension ThreadContext {
    /// Makes `Injected` ask the calling thread's context, or else the current task's, in the whole process.
    static func answerInjected() {
        InjectionSource.install { current.runningFactory ?? TaskContext.current?.runningFactory }
    }

    /// Whether a factory that returns has to be looked at.
    @inline(__always)
    var hasNotes: Bool { record.pointee.notes != nil }

    private var notes: FactoryNotes? {
        // SAFETY: `noteInjectionError` set it, and `takeInjectionError` releases it.
        record.pointee.notes.map {
            Unmanaged<FactoryNotes>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Throws if a property of the object could not be injected that the innermost factory has returned.
    @inline(never)
    func checkNotes() throws(ResolutionError) {
        if let injection = takeInjectionError() { throw injection }
    }

    private func noteInjectionError(_ error: ResolutionError) {
        let notes = notes ?? FactoryNotes()
        if !hasNotes {
            // SAFETY: `takeInjectionError` gives the reference back, at the latest when the outermost factory returns.
            record.pointee.notes = Unmanaged.passRetained(notes).toOpaque()
        }
        let depth = record.pointee.depth
        if notes.injections.last?.depth != depth { notes.injections.append((depth, error)) }
    }

    /// Removes the note of the innermost factory.
    func takeInjectionError() -> ResolutionError? {
        guard let notes, let last = notes.injections.last, last.depth >= record.pointee.depth else {
            return nil
        }
        notes.injections.removeLast()
        if notes.injections.isEmpty {
            record.pointee.notes = nil
            // SAFETY: gives back the reference that `noteInjectionError` took.
            Unmanaged.passUnretained(notes).release()
        }
        return last.error
    }

    private var runningFactory: InjectionSource.RunningFactory? {
        // A factory that runs on another thread is on top here too while its resolver is used.
        guard runsTop, let container = runningContainer else { return nil }
        return InjectionSource.RunningFactory(resolver: container) { noteInjectionError($0) }
    }

    // MARK: Code that asks in the name of a module

    func asking<Answer>(
        for module: AskingModule, _ body: () throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer {
        let outer = (record.pointee.asker, record.pointee.asker_depth)
        // SAFETY: the parameter keeps it alive until it is set back.
        record.pointee.asker = UnsafeRawPointer(Unmanaged.passUnretained(module).toOpaque())
        record.pointee.asker_depth = record.pointee.depth
        defer { (record.pointee.asker, record.pointee.asker_depth) = outer }
        return try withExtendedLifetime(module) { () throws(ResolutionError) in try body() }
    }

    /// The module in whose name code last began to ask, and the number of factories that were running then.
    fileprivate var askingModule: (id: String, depth: Int)? {
        guard let known = record.pointee.asker else { return nil }
        // SAFETY: `asking` set it, and its caller keeps it alive until it is set back.
        let module = Unmanaged<AskingModule>.fromOpaque(known).takeUnretainedValue()
        return (module.id, Int(record.pointee.asker_depth))
    }
}

private final class FactoryNotes {
    /// The errors of properties that could not be injected, each with the number of factories that ran on the thread
    /// then. The first one of each factory counts.
    var injections: [(depth: UInt32, error: ResolutionError)] = []
}

extension TaskContext {
    fileprivate var runningFactory: InjectionSource.RunningFactory? {
        guard let container else { return nil }
        let resolver = IndirectResolver(container, in: .task(self))
        return InjectionSource.RunningFactory(resolver: resolver) { frame.noteInjectionError($0) }
    }
}

/// A module in whose name code other than a factory asks, such as the start of the module.
final class AskingModule: Sendable {
    let id: String

    init(id: String) {
        self.id = id
    }
}

extension Container {
    /// The id of the module whose factory asks for the service that the calling factory creates; `nil` if
    /// the program itself asks, or no factory.
    ///
    /// A factory calls this for a service that differs from module to module. Its scope has to be
    /// transient: an instance that is kept would be given to others.
    package static var askingModule: String? {
        let context = ThreadContext.current
        let running = context.running
        guard let own = running.last else { return nil }
        // To users, a decorated service and the service that decorates it are one.
        let asking = running.lastIndex { $0.request != own.request }
        // A factory may have led to code that asks in the name of another module, such as the start of that module.
        let other = context.askingModule
        if let asking, asking >= other?.depth ?? 0 { return running[asking].module }
        if let other { return other.id }
        return TaskContext.frame?.registration?.module
    }
}
