// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesRegistry
import EavesSystem
package import EavesTrust
import Synchronization

/// The generations of one module that a host has seen, in the order of their numbers, and the rules about them. It does
/// nothing itself: the code that takes a step reports it.
package struct GenerationBook {
    package struct Record: Sendable {
        package let number: Int
        let module: String
        let version: String?
        package fileprivate(set) var state: GenerationState
        fileprivate(set) var refusal: [Diagnostic] = []
        /// The instances that live on, once another generation serves; `nil` before that.
        fileprivate(set) var left: RetiredInstances?
        fileprivate var drainingSince: ContinuousClock.Instant?
        /// Whether observers know that draining is overdue.
        fileprivate var isOverdue = false
    }

    /// How many generations may have living objects at once. In Swift, code is never unmapped, so each of them takes
    /// memory until the process ends.
    static let limit = 16
    static let memory = 20

    package private(set) var records: [Record] = []

    package var serving: Record? { records.last { $0.state == .serving } }

    var living: [Record] { records.filter(\.isInUse) }

    func record(_ number: Int) -> Record? { records.last { $0.number == number } }

    /// Enters a generation that was found, or one that served before the host kept this book.
    mutating func enter(
        _ number: Int, of module: String, version: String?, _ state: GenerationState = .found
    ) {
        records.append(Record(number: number, module: module, version: version, state: state))
    }

    /// - Precondition: The state may follow the present one.
    mutating func advance(_ number: Int, to state: GenerationState) {
        change(number) { record in
            precondition(
                record.state.mayPrecede(state),
                "a generation that is \(record.state) cannot be \(state) next")
            record.state = state
        }
    }

    mutating func refuse(_ number: Int, because reason: [Diagnostic]) {
        advance(number, to: .refused)
        change(number) { $0.refusal = reason }
    }

    /// Forgets a generation on its way: the same file serves already.
    mutating func withdraw(_ number: Int) { records.removeAll { $0.number == number } }

    /// Notes that another generation serves, or none.
    mutating func drain(_ number: Int, leaving left: RetiredInstances) {
        advance(number, to: .draining)
        change(number) { record in
            record.left = left
            record.drainingSince = .now
        }
    }

    /// Notes which generations have not drained in time.
    ///
    /// - Returns: Those that were not returned before.
    mutating func noteOverdue(
        after deadline: Duration, at now: ContinuousClock.Instant = .now
    ) -> [Record] {
        changeDraining { record in
            guard !record.isOverdue, let since = record.drainingSince else { return false }
            record.isOverdue = now - since >= deadline
            return record.isOverdue
        }
    }

    package mutating func retireDrained() -> [Record] {
        changeDraining { record in
            guard record.left?.isDrained == true else { return false }
            record.state = .retired
            return true
        }
    }

    /// - Parameter change: A function that gets each generation that drains, and returns whether it has changed it.
    /// - Returns: Those that have changed.
    private mutating func changeDraining(_ change: (inout Record) -> Bool) -> [Record] {
        records.indices.filter { records[$0].state == .draining && change(&records[$0]) }
            .map { records[$0] }
    }

    /// Forgets the oldest of the generations that are unused and that are not on their way, if there are many.
    ///
    /// - Returns: Whether there were.
    @discardableResult
    mutating func forgetOldest() -> Bool {
        let over = records.filter(\.isOver)
        guard over.count > Self.memory else { return false }
        let forgotten = Set(over.prefix(over.count - Self.memory).map(\.number))
        records.removeAll { forgotten.contains($0.number) }
        return true
    }

    private mutating func change(_ number: Int, _ body: (inout Record) -> Void) {
        guard let index = records.lastIndex(where: { $0.number == number }) else {
            preconditionFailure("no generation has the number \(number)")
        }
        body(&records[index])
    }
}

extension GenerationBook.Record {
    /// Whether it serves, or others still have objects of it.
    var isInUse: Bool {
        state == .serving || state == .draining || state == .retired && (left?.living ?? 0) > 0
    }

    /// Whether it will never be in use again.
    fileprivate var isOver: Bool { !isInUse && !state.isOnItsWay }
}

package struct DrainError: Error, Diagnosable {
    let record: GenerationBook.Record
    let deadline: Duration

    package var diagnostic: Diagnostic {
        let services = Set((record.left?.requests ?? []).map { Capability($0).description })
        let kept = record.left?.living ?? 0
        return Diagnostic(
            "generation \(record.number) of '\(record.module)' has not drained after \(deadline): a "
                + "factory or a call may be under way in "
                + services.sorted().abridged(by: ", ")
                + (kept == 0 ? "" : "; \(kept) of its objects live"),
            fix: "'generations' counts its objects; nothing is ended",
            code: .configuration)
    }
}

/// The life of one generation of a module, from the file that was found to the code that is not used any
/// more. A pure state machine: it decides which state may follow which, and does nothing else.
///
///     found → checked → loaded → registered → selfChecked → serving → draining → retired
///        └────────┴────────┴─────────┴─────────────┴→ refused
///
/// A generation without a life cycle goes from registered to serving.
package enum GenerationState: String, CaseIterable, Sendable {
    /// The file was found, and is not what the host has loaded.
    case found
    /// A private copy of it keeps every rule.
    case checked
    /// Its code is part of the process.
    case loaded
    /// It has registered what it declares, and no caller reaches it yet.
    case registered
    /// It has taken on the state of the generation that serves, has started, and is healthy.
    case selfChecked
    case serving
    /// Another generation serves; calls that were under way go on in this one.
    case draining
    /// The container has released it. Objects of it may still be kept by others.
    case retired
    case refused

    /// Whether a generation in this state may still serve, or be refused.
    package var isOnItsWay: Bool {
        switch self {
        case .found, .checked, .loaded, .registered, .selfChecked: true
        case .serving, .draining, .retired, .refused: false
        }
    }

    /// Whether a generation in this state may come into another one next.
    func mayPrecede(_ next: GenerationState) -> Bool {
        switch (self, next) {
        case (.found, .checked), (.checked, .loaded), (.loaded, .registered),
            (.registered, .selfChecked), (.registered, .serving), (.selfChecked, .serving),
            (.serving, .draining), (.draining, .retired):
            true
        default: next == .refused && isOnItsWay
        }
    }
}

/// The numbers of generations, none of which another generation of this store ever had, in any process: the
/// file `generation` in the store has the next free one. A process takes many at once, so that it need not
/// write a file for each swap; those that it does not use are left out.
///
/// Safe from any thread.
package final class GenerationNumbers: Sendable {
    private static let name = "generation"
    /// How many numbers a process takes at once.
    private static let share = 1000

    private let store: Store
    private let free = Mutex(0..<0)

    package init(_ store: Store) {
        self.store = store
    }

    package func next() -> Int {
        free.withLock { free in
            if free.isEmpty {
                let first = (try? take()) ?? Self.unusedByTime
                free = first..<first + Self.share
            }
            return free.removeFirst()
        }
    }

    private func take() throws -> Int {
        let folder = try store.make()
        let taken = { [store] in SystemError(.lock, store.path, .tryAgain) }
        return try FileLock.holding(folder.ownPath, within: .seconds(10), orThrow: taken) {
            let first = try folder.bytes(of: Self.name).map(Self.number) ?? 1
            let text = "\(first + Self.share)\n"
            try folder.replace(Self.name, with: Array(text.utf8), mode: 0o600)
            return first
        }
    }

    /// The number in a file. A damaged file must not lead back to numbers that were used.
    private static func number(in file: [UInt8]) -> Int {
        let text = String(decoding: file, as: UTF8.self)
        guard text.hasSuffix("\n"), let number = Int(text.dropLast()), number > 0 else {
            return unusedByTime
        }
        return number
    }

    /// A number that no counter has reached, for a store without a file to count in: the milliseconds since 1970.
    private static var unusedByTime: Int { Int(WallClock.now / 1_000_000) }
}
