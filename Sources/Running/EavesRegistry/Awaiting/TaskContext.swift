// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The current task's record: the awaited factory that it runs, and the resolution that the factory is a part of.
struct TaskContext: Sendable {
    /// Inherited by the tasks that a factory starts.
    @TaskLocal static var current: TaskContext?

    let frame: AsyncFrame
    let graph: ResolutionGraph

    /// The awaited factory that the current task runs, if it runs one.
    static var frame: AsyncFrame? { current?.frame.active }

    static var chain: [ServiceRequest] { frame?.chain ?? [] }

    /// Enters the graph of the resolution that the current task is a part of, or a new one if that has
    /// ended. To be left with `leave()`.
    static func enterGraph() -> ResolutionGraph { ResolutionGraph.enter(current?.graph) }

    var container: Container? { frame.container }

    /// Whether the factory is running, and the current task is not a part of it.
    var isElsewhere: Bool {
        frame.active != nil && !(Self.frame?.isInside(frame) ?? false)
    }

    /// Calls `body` with a container, where the factory stands.
    func ask<Answer>(
        _ container: Container, _ body: (Container) throws(ResolutionError) -> Answer
    ) throws(ResolutionError) -> Answer {
        try ThreadContext.current.inSection(of: frame.tables) { () throws(ResolutionError) in
            guard isElsewhere else { return try body(container) }
            return try Self.$current.resolving(with: self) { () throws(ResolutionError) in
                try body(container)
            }
        }
    }
}

/// A running call of an awaited factory, and the call that asked for its instance.
///
/// Tasks that a factory starts inherit its frame, and may outlive it. What they ask for after that is
/// not a need of the factory: a frame counts only until it has ended.
final class AsyncFrame: Sendable {
    private struct Call: Sendable {
        let registration: Registration
        let tables: HeldTables
        let parent: AsyncFrame?
        /// The instance, while it is being completed.
        var incomplete: (any Sendable)?
        /// Why a property of the factory's object could not be injected. The first one counts.
        var injectionError: ResolutionError?
    }

    let request: ServiceRequest
    /// Whether it runs in a task of its own, and other tasks wait for its instance.
    private let isCreation: Bool
    /// `nil` once the factory has returned, so that code which keeps the frame keeps nothing else.
    private let call: Guarded<Call?>

    /// - Parameter parent: The call in whose task it runs; `nil` if it runs in a task of its own.
    init(
        _ registration: Registration, in tables: HeldTables, parent: AsyncFrame? = nil,
        isCreation: Bool = false
    ) {
        request = registration.request
        self.isCreation = isCreation
        call = Guarded(Call(registration: registration, tables: tables, parent: parent))
    }

    /// The frame, if its factory has not returned.
    var active: AsyncFrame? { current == nil ? nil : self }

    /// The creations under way in the task, outermost first.
    var chain: [ServiceRequest] { frames.map(\.frame.request).reversed() }

    /// The call in whose task this one runs, if other tasks wait for its instance.
    var creation: AsyncFrame? { frames.first { $0.frame.isCreation }?.frame }

    var registration: Registration? { current?.registration }

    /// Where the resolution finds what the factory needs; `nil` once it has returned.
    var tables: HeldTables? { current?.tables }

    /// The container whose factory runs; `nil` once it has returned.
    fileprivate var container: Container? {
        // SAFETY: the function that runs the factory holds the container until it has ended the frame.
        call.withLock { $0?.registration.owner?.takeUnretainedValue() }
    }

    func noteInjectionError(_ error: ResolutionError) {
        call.withLock { call in
            if call?.injectionError == nil { call?.injectionError = error }
        }
    }

    func checkInjected() throws(ResolutionError) {
        if let error = current?.injectionError { throw error }
    }

    /// Lets what the instance asks for while it is completed come back to it.
    func keepIncomplete(_ instance: any Sendable) {
        call.withLock { $0?.incomplete = instance }
    }

    /// The instance of a registration that is being completed, and asks for what is being created here.
    func incomplete<Service: Sendable>(of registration: Registration) -> Service? {
        let call = frames.first { $0.call.registration === registration }?.call
        guard let incomplete = call?.incomplete else { return nil }
        return incomplete as? Service
    }

    func end() {
        // Released here, where no lock is held.
        withExtendedLifetime(call.withLock { $0.take() }) {}
    }

    /// Whether the frame is `other`, or runs for it in the same task.
    func isInside(_ other: AsyncFrame) -> Bool { frames.contains { $0.frame === other } }

    /// Returns the number of calls of a registration's factory that are running in the task.
    func depth(of registration: Registration) -> Int {
        frames.lazy.filter { $0.call.registration === registration }.count
    }

    private var current: Call? { call.withLock { $0 } }

    /// Innermost first.
    private var frames: some Sequence<(frame: AsyncFrame, call: Call)> {
        sequence(state: self) { (next: inout AsyncFrame?) -> (frame: AsyncFrame, call: Call)? in
            guard let frame = next, let call = frame.current else { return nil }
            next = call.parent
            return (frame, call)
        }
    }
}

extension TaskLocal {
    func resolving<Found>(
        with value: Value, _ body: () throws(ResolutionError) -> Found
    ) throws(ResolutionError) -> Found {
        try withValue(value) { Result(catching: body) }.get()
    }

    func resolvingAsync<Found: Sendable>(
        with value: Value, _ body: () async throws(ResolutionError) -> Found
    ) async throws(ResolutionError) -> Found {
        try await withValue(value) { () async -> Result<Found, ResolutionError> in
            do throws(ResolutionError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }.get()
    }
}

/// The tables of a resolution that is awaited. No read section keeps them, because tasks go on where they like: their
/// containers keep them until this goes.
///
/// Safe from any thread.
final class HeldTables: Sendable {
    private let held = Guarded<[(container: Container, table: RegistrationTable)]>([])
    /// Whether a call began with them, and others count by now.
    private let isOfCall: Bool

    /// Holds the tables that a thread's resolution has asked so far.
    init(of context: ThreadContext) {
        isOfCall = context.isOfCall
        hold(context)
    }

    deinit {
        for held in held.withLock({ $0 }) { held.container.letGo(held.table) }
    }

    /// Lets a resolution of the calling thread, which has asked no container yet, go on with these tables.
    func lend(to context: ThreadContext) {
        for held in held.withLock({ $0 }) { context.add(held.container, held.table) }
        if isOfCall { context.beginPartOfCall() }
    }

    fileprivate func agree(with context: ThreadContext) -> Bool {
        let held = held.withLock { $0 }
        return context.pinned.allSatisfy { container, table in
            held.allSatisfy { $0.container !== container || $0.table == table }
        }
    }

    /// Holds the tables of further containers, which a thread's resolution has asked. Its section still keeps them.
    func hold(_ context: ThreadContext) {
        let known = held.withLock { $0 }
        for (container, table) in context.pinned
        where !known.contains(where: { $0.container === container }) {
            table.hold()
            held.withLock { $0.append((container, table)) }
        }
    }
}

extension ThreadContext {
    /// The tables of the resolution that is under way, for a factory that is awaited: those of the task's resolution,
    /// if this is a part of it.
    var heldTables: HeldTables {
        if let tables = TaskContext.frame?.tables, tables.agree(with: self) { return tables }
        return HeldTables(of: self)
    }
}
