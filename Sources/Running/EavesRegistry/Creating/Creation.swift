// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface
import Synchronization

/// The instance that a thread is creating while one of its factories runs.
final class Creation: Sendable {
    private struct Position {
        let running: [Registration]
        /// The threads that cannot go on before the instance exists.
        let dependents: [WaitGraph.Thread]
    }

    fileprivate let thread: WaitGraph.Thread
    /// `nil` once the factory has returned, so that code which keeps the resolver keeps nothing else.
    private let position: Guarded<Position?>
    private let isOver = Atomic(false)
    /// The value of ``ThreadContext/lentDepth`` while the factory runs, which is itself a call of the thread.
    fileprivate let lentDepth: UInt32

    /// Calls `body` with a resolver that knows what the thread is creating.
    static func lend<Result>(
        in context: ThreadContext, of container: Container, _ body: (any Resolver) throws -> Result
    ) rethrows -> Result {
        let creation = Creation(in: context)
        let outer = context.exchangeCreation(creation)
        defer {
            context.record.pointee.making = outer
            creation.end()
        }
        return try body(IndirectResolver(container, in: .thread(creation)))
    }

    private init(in context: ThreadContext) {
        thread = context.thread
        lentDepth = min(context.lentDepth, context.record.pointee.depth - 1)
        position = Guarded(Position(running: context.running, dependents: context.dependents))
    }

    /// Calls `body` with a container, where the factory stands.
    func ask<Answer>(
        _ container: Container, _ body: (Container) throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer {
        let context = ThreadContext.current
        // The record of the factory's own thread says what is being created.
        if isOver.load(ordering: .acquiring) || context.thread == thread {
            return try body(container)
        }
        guard let running = position.withLock({ $0?.running }) else { return try body(container) }
        let before = context.enter()
        let outer = context.exchangeCreation(self)
        let bits = running.map(context.push)
        defer {
            bits.reversed().forEach(context.pop)
            context.record.pointee.making = outer
            // The record keeps none of them alive, and the creation may have ended meanwhile.
            withExtendedLifetime(running) {}
            context.leave(before)
        }
        return try body(container)
    }

    fileprivate var dependents: [WaitGraph.Thread] {
        position.withLock { $0?.dependents ?? [] }
    }

    private func end() {
        isOver.store(true, ordering: .releasing)
        // Released here, where no lock is held.
        withExtendedLifetime(position.withLock { $0.take() }) {}
    }
}

extension ThreadContext {
    var thread: WaitGraph.Thread { UInt(bitPattern: record) }

    /// The thread, and those for whose factories it resolves.
    var dependents: [WaitGraph.Thread] { (creation?.dependents ?? []) + [thread] }

    var waiter: WaitGraph.Waiter { WaitGraph.Waiter(thread: thread, dependents: dependents) }

    /// Whether the innermost factory runs on this thread, and not on one that handed its resolver over.
    var runsTop: Bool { creation.map { $0.thread == thread } ?? true }

    /// The number of running factories, from the outermost on, that may be calls of other threads, for whose factories
    /// this one resolves.
    var lentDepth: UInt32 {
        guard let creation else { return 0 }
        return creation.thread == thread ? creation.lentDepth : record.pointee.depth
    }

    /// Whether the thread creates something that other threads may wait for.
    @inline(__always)
    var isCreating: Bool { record.pointee.making != nil }

    /// The creation that the innermost such factory is a part of.
    private var creation: Creation? {
        // SAFETY: `exchangeCreation` set it; its caller keeps it alive until it is set back.
        record.pointee.making.map {
            Unmanaged<Creation>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Notes the creation that the innermost factory is a part of.
    ///
    /// - Parameter creation: The caller keeps it alive, and later sets back the returned value.
    /// - Returns: The record's value until now.
    fileprivate func exchangeCreation(_ creation: Creation) -> UnsafeMutableRawPointer? {
        defer {
            // SAFETY: the caller keeps it alive.
            record.pointee.making = Unmanaged.passUnretained(creation).toOpaque()
        }
        return record.pointee.making
    }
}
