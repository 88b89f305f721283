// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesRegistry

/// All generations that a host has seen, in the order of their numbers, and the rules about them. It does
/// nothing itself: the code that takes a step writes it here.
package struct GenerationBook {
    /// One generation of a module.
    package struct Record: Sendable {
        package let number: Int
        /// The module's id.
        let module: String
        let version: String?
        package fileprivate(set) var state: GenerationState
        /// The reason, if it was refused.
        fileprivate(set) var refusal: [Diagnostic] = []
        /// The instances that live on, once another generation serves; `nil` before that.
        fileprivate(set) var left: RetiredInstances?
        /// When it began to drain.
        fileprivate var drainingSince: ContinuousClock.Instant?
        /// Whether observers know that draining is overdue.
        fileprivate var isOverdue = false
    }

    /// How many generations of one module may have living objects at once. In Swift, code is never unmapped,
    /// so each of them takes memory until the process ends.
    static let limit = 16
    /// The number of unused generations that the book keeps.
    static let memory = 100

    package private(set) var records: [Record] = []

    /// The generation of a module that serves now.
    package func serving(_ module: String) -> Record? {
        records.last { $0.module == module && $0.state == .serving }
    }

    /// The generations of a module that others still use, or that serve.
    func living(_ module: String) -> [Record] {
        records.filter { $0.module == module && $0.isInUse }
    }

    /// Enters a generation that was found.
    mutating func begin(_ number: Int, of module: String, version: String?) {
        records.append(
            Record(number: number, module: module, version: version, state: .found))
    }

    /// Enters a generation that served before anybody wrote this book.
    mutating func enter(serving number: Int, of module: String, version: String?) {
        records.append(
            Record(number: number, module: module, version: version, state: .serving))
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

    /// Notes why a generation will never serve.
    mutating func refuse(_ number: Int, because reason: [Diagnostic]) {
        advance(number, to: .refused)
        change(number) { $0.refusal = reason }
    }

    /// Forgets a generation on its way: the same file serves already.
    mutating func withdraw(_ number: Int) { records.removeAll { $0.number == number } }

    /// Notes that another generation serves, or none.
    ///
    /// - Parameter left: The instances that live on.
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
    mutating func noteOverdue(after deadline: Duration) -> [Record] {
        var overdue: [Record] = []
        for index in records.indices
        where records[index].state == .draining && !records[index].isOverdue {
            guard let since = records[index].drainingSince, .now - since >= deadline else {
                continue
            }
            records[index].isOverdue = true
            overdue.append(records[index])
        }
        return overdue
    }

    /// Notes which generations have drained since.
    ///
    /// - Returns: Those that have.
    package mutating func retireDrained() -> [Record] {
        var retired: [Record] = []
        for index in records.indices
        where records[index].state == .draining && records[index].left?.isDrained == true {
            records[index].state = .retired
            retired.append(records[index])
        }
        return retired
    }

    /// Forgets the oldest of the generations that are unused and that are not on their way, if there are many.
    mutating func forgetOldest() {
        let over = records.filter(\.isOver)
        guard over.count > Self.memory else { return }
        let forgotten = Set(over.prefix(over.count - Self.memory).map(\.number))
        records.removeAll { forgotten.contains($0.number) }
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
        switch state {
        case .serving, .draining: true
        case .retired: (left?.living ?? 0) > 0
        case .found, .checked, .loaded, .registered, .selfChecked, .refused: false
        }
    }

    /// Whether it will never be in use again.
    fileprivate var isOver: Bool {
        state == .refused || state == .retired && (left?.living ?? 0) == 0
    }
}

/// A generation has not drained in time.
package struct DrainError: Error, Diagnosable {
    private let record: GenerationBook.Record
    private let deadline: Duration

    init(_ record: GenerationBook.Record, _ deadline: Duration) {
        self.record = record
        self.deadline = deadline
    }

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
