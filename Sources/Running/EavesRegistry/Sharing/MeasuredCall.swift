// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import Synchronization

/// A call that callers let be measured. It has entered through the gates of those that may answer it, and knows the
/// tables with which it began: what it creates comes from one generation of each module.
///
/// It ends when its caller says so, and at the latest when the caller has let go of it.
final class MeasuredCall: Sendable {
    /// The call as a part of which code runs. The tasks that a call starts inherit it.
    @TaskLocal static var current: MeasuredCall?

    private struct State {
        var outer: MeasuredCall?
        /// The tables that the call asks for what it creates; `nil` once it has ended, or if the host exchanges
        /// nothing.
        var tables: CallTables?
    }

    private let passes: [CallGate.Pass]
    /// The gates of the calls of the thread that this one is a part of, which it has noted itself.
    private let outerGates: [CallGate]
    private let hasEnded = Atomic(false)
    private let state: Guarded<State>

    private init(_ passes: [CallGate.Pass], on container: Container) {
        self.passes = passes
        outerGates = ThreadContext.current.gates
        let outer = Self.current?.underWay
        let tables = container.isExchanged ? CallTables(on: container, within: outer) : nil
        state = Guarded(State(outer: outer, tables: tables))
    }

    /// The innermost call under way that this one is a part of.
    var outer: MeasuredCall? {
        state.withLock { state in
            // A program that calls from task to task for ever keeps none that has ended.
            state.outer = state.outer?.underWay
            return state.outer
        }
    }

    /// The call, or the one that it was a part of if it has ended.
    private var underWay: MeasuredCall? {
        let outer = outer
        return hasEnded.load(ordering: .relaxed) ? outer : self
    }

    /// The table of a container in which the call finds what it creates, or the call that it was a part of if it has
    /// ended; `nil` for the present one. To be called in a section, which keeps the table also when the call ends.
    func table(of container: Container) -> RegistrationTable? {
        state.withLock { $0.tables.map { $0.table(of: container) } }
            ?? outer?.table(of: container)
    }

    /// Whether nothing was exchanged since the call began.
    var isOfPresent: Bool {
        state.withLock { $0.tables?.areCurrent } ?? outer?.isOfPresent ?? true
    }

    /// Whether further calls of the same object would be as good as this one, until the container changes.
    var isLasting: Bool { passes.isEmpty && isOfPresent }

    /// Enters, and blocks the thread while one of the gates is shut.
    ///
    /// - Returns: `nil` if another generation serves by now.
    static func through(_ doors: [CallGate.Door], on container: Container) -> MeasuredCall? {
        while true {
            switch enter(doors, onMainThread: eaves_is_main_thread()) {
            case .success(let passes): return MeasuredCall(passes, on: container)
            case .failure(.over): return nil
            case .failure(.shut(let closure)): closure.wait()
            }
        }
    }

    /// Enters as ``through(_:on:)``, but suspends the task.
    static func throughAsync(
        _ doors: [CallGate.Door], on container: Container
    ) async -> MeasuredCall? {
        while true {
            switch enter(doors, onMainThread: false) {
            case .success(let passes): return MeasuredCall(passes, on: container)
            case .failure(.over): return nil
            case .failure(.shut(let closure)): await closure.waitAsync()
            }
        }
    }

    /// Enters through all of the gates or none: a call that waits at one keeps no other from being settled.
    private static func enter(
        _ doors: [CallGate.Door], onMainThread isOnMainThread: @autoclosure () -> Bool
    ) -> Result<[CallGate.Pass], CallGate.Obstacle> {
        var passes: [CallGate.Pass] = []
        for door in doors {
            switch door.enter(onMainThread: isOnMainThread()) {
            case .success(let pass): passes.append(pass)
            case .failure(let obstacle):
                for pass in passes { pass.leave() }
                return .failure(obstacle)
            }
        }
        return .success(passes)
    }

    /// Whether the call has not ended, and one of its gates is meant.
    func isUnderWay(behind isMeant: (CallGate) -> Bool) -> Bool {
        !hasEnded.load(ordering: .relaxed)
            && (passes.contains { isMeant($0.door.gate) } || outerGates.contains(where: isMeant))
    }

    func isThrough(_ doors: [CallGate.Door]) -> Bool {
        passes.elementsEqual(doors) { $0.door === $1 }
    }

    deinit { end() }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    func runAsync<Result>(
        isolation: isolated (any Actor)?, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$current.withValue(self, operation: body, isolation: isolation)
    }

    /// Lets go of what the call holds. Later calls of this have no effect.
    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        for pass in passes { pass.leave() }
        // Where no lock is held: it may free what modules have registered.
        state.withLock { $0.tables.take() }?.letGo()
    }
}

/// The tables of a container and its parents with which a call began. They are held until ``letGo()``.
private struct CallTables {
    private let first: HeldTable
    private let others: [HeldTable]

    /// - Parameter outer: The call that this one is a part of: it goes on with the tables of that.
    init(on container: Container, within outer: MeasuredCall?) {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        func held(_ container: Container) -> HeldTable {
            if let known = outer?.table(of: container) ?? context.tableOfOwnCall(in: container) {
                known.hold(for: .call)
                return HeldTable(container: container, table: known)
            }
            return HeldTable(container: container, table: container.holdCurrentTable(for: .call))
        }
        first = held(container)
        others = container.parent == nil ? [] : container.lineage.dropFirst().map(held)
    }

    func letGo() {
        first.container.letGo(first.table, by: .call)
        for held in others { held.container.letGo(held.table, by: .call) }
    }

    /// The table of a container, as long as calls may ask it.
    func table(of container: Container) -> RegistrationTable? {
        let held =
            first.container === container ? first : others.first { $0.container === container }
        return held.flatMap { $0.table.isRevoked ? nil : $0.table }
    }

    /// Whether no container has another table by now.
    var areCurrent: Bool {
        first.container.isCurrent(first.table)
            && others.allSatisfy { $0.container.isCurrent($0.table) }
    }
}
