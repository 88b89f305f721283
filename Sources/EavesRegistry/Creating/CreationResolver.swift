// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface
import Synchronization

/// The resolver that factories are given while other threads may wait for the instance: the container,
/// and the knowledge of what is being created.
///
/// A factory that hands its resolver to another thread, and waits for what that thread resolves, is
/// still creating the same instance. So a resolution through this resolver continues where the factory
/// stands: on any thread, asking for what is being created is a cycle. Once the factory has returned,
/// the resolver is no more than the container.
final class CreationResolver: IndirectResolver {
    /// Where a factory stands.
    private struct Position {
        /// The registrations whose factories run, outermost first.
        let running: [Registration]
        /// The threads that cannot go on before the instance exists.
        let dependents: [WaitGraph.Thread]
    }

    private let container: Container
    /// The thread that runs the factory.
    fileprivate let thread: WaitGraph.Thread
    /// `nil` once the factory has returned, so that code which keeps the resolver keeps nothing else.
    private let position: Guarded<Position?>
    private let isOver = Atomic(false)

    private init(_ container: Container, in context: ThreadContext) {
        self.container = container
        thread = context.thread
        position = Guarded(Position(running: context.running, dependents: context.dependents))
    }

    /// Calls `body` with a resolver that knows what the thread is creating.
    static func lend<Result>(
        in context: ThreadContext, of container: Container, _ body: (any Resolver) throws -> Result
    ) rethrows -> Result {
        let resolver = CreationResolver(container, in: context)
        let outer = context.exchangeCreationResolver(resolver)
        defer {
            context.record.pointee.making = outer
            resolver.end()
        }
        return try body(resolver)
    }

    var keptContainer: Container? { container }
    var weak: WeakResolver { WeakResolver(container) }

    func ask<Answer>(
        for wanted: @autoclosure () -> ServiceRequest,
        _ body: (Container) throws(BoxedResolutionError) -> Answer
    ) throws(BoxedResolutionError) -> Answer {
        let context = ThreadContext.current
        // The record of the factory's own thread says what is being created.
        if isOver.load(ordering: .acquiring) || context.thread == thread {
            return try body(container)
        }
        guard let position = position.withLock({ $0 }) else { return try body(container) }
        let before = context.enter()
        let outer = context.exchangeCreationResolver(self)
        let bits = position.running.map(context.push)
        defer {
            bits.reversed().forEach(context.pop)
            context.record.pointee.making = outer
            context.leave(before)
        }
        return try body(container)
    }

    /// The threads that wait until the instance exists.
    fileprivate var dependents: [WaitGraph.Thread] {
        position.withLock { $0?.dependents ?? [] }
    }

    private func end() {
        isOver.store(true, ordering: .releasing)
        let ended = position.withLock { position in
            defer { position = nil }
            return position
        }
        // Released here, where no lock is held.
        withExtendedLifetime(ended) {}
    }
}

extension ThreadContext {
    /// The thread, for the ``WaitGraph``.
    var thread: WaitGraph.Thread { UInt(bitPattern: record) }

    /// The thread, and those for whose factories it resolves.
    var dependents: [WaitGraph.Thread] { (creationResolver?.dependents ?? []) + [thread] }

    /// Whether the innermost factory runs on this thread, and not on one that handed its resolver over.
    var runsTop: Bool { creationResolver.map { $0.thread == thread } ?? true }

    /// Whether the thread creates something that other threads may wait for.
    @inline(__always)
    var hasCreationResolver: Bool { record.pointee.making != nil }

    /// The resolver that the innermost such factory was given.
    private var creationResolver: CreationResolver? {
        // SAFETY: `exchangeCreationResolver` set it; its caller keeps it alive until it is set back.
        record.pointee.making.map {
            Unmanaged<CreationResolver>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Notes the resolver that the innermost factory is given.
    ///
    /// - Parameter resolver: The caller keeps it alive, and later sets back the returned value.
    /// - Returns: The record's value until now.
    fileprivate func exchangeCreationResolver(
        _ resolver: CreationResolver
    ) -> UnsafeMutableRawPointer? {
        defer {
            // SAFETY: the caller keeps it alive.
            record.pointee.making = Unmanaged.passUnretained(resolver).toOpaque()
        }
        return record.pointee.making
    }
}
