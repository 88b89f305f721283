// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesReadSections
import EavesInterface

// `Injected` cannot throw. An error that keeps a property from being injected is noted for the factory,
// which fails with it when it returns.
extension ThreadContext {
    /// Makes `Injected` ask the calling thread's context, or else the current task's, in the whole process.
    static func answerInjected() {
        InjectionSource.install { current.runningFactory ?? TaskContext.current?.runningFactory }
    }

    private var runningFactory: InjectionSource.RunningFactory? {
        // A factory that runs on another thread is on top here too while its resolver is used.
        guard runsTop, let owner = top?.owner else { return nil }
        // SAFETY: everything that resolves holds the container of the factory that runs.
        let container = owner.takeUnretainedValue()
        return InjectionSource.RunningFactory(resolver: container) { noteInjectionError($0) }
    }
}

extension TaskContext {
    fileprivate var runningFactory: InjectionSource.RunningFactory? {
        guard let container else { return nil }
        let resolver = AsyncCreationResolver(container, self)
        return InjectionSource.RunningFactory(resolver: resolver) { noteInjectionError($0) }
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
        // A factory may have led to code that asks for a module of its own, such as the start of that module.
        let asker = context.innermostAsker
        if let asking, asking >= asker?.depth ?? 0 { return running[asking].module }
        if let asker { return asker.label.module }
        return TaskContext.frame?.registration?.module
    }
}
