// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// The calls of one module while a host judges it: how many there were, how many failed, how long they took.
///
/// Safe from any thread. Noting a call takes no lock, and writes to cells of its thread alone.
package final class CallAccount: Sendable {
    /// The times of so many calls are measured on each thread, before those of one in eight.
    private static let measured = 1_000

    /// The numbers of calls and of errors, and of measured calls by their time: four buckets for each doubling of the time.
    private let numbers = ThreadCells(words: times + CallTally.buckets)
    private static let calls = 0
    private static let errors = 1
    private static let times = 2
    private let isOpen = Atomic(true)
    private let running = OpenCalls()
    /// The calls for which an object is created first, or awaited.
    private let creating = OpenCalls()
    /// The calls that were noted before they have ended, and are under way.
    private let hanging = Atomic(0)
    private let end = Guarded<String?>(nil)

    package init() {}

    /// The end of the process that the module has for itself, in words; `nil` if it has not ended.
    package var crash: String? { end.withLock { $0 } }

    /// Notes that the module's own process has ended by a mistake of the module.
    package func noteCrash(_ words: String) { end.withLock { $0 = words } }

    package var tally: CallTally {
        // Before the calls: none of the errors is without its call then.
        let errors = numbers.sum(of: Self.errors)
        let calls = numbers.sum(of: Self.calls)
        let cells = numbers.all
        return CallTally(
            calls: calls, errors: errors,
            times: (0..<CallTally.buckets).map { numbers.sum(of: Self.times + $0, in: cells) })
    }

    /// Notes the calls that have been open for longer than a limit, as late ones that have failed, and returns all calls
    /// that were noted so far. A call that was noted so is not noted once more when it ends.
    ///
    /// - Parameter limit: The longest time of a call. An object may take ``CallTally/longestUnknown`` to be created.
    package func tally(hangingAfter limit: Duration, at now: UInt64? = nil) -> CallTally {
        let now = now ?? CallClock.nanoseconds
        var open = 0
        for (calls, limit) in [(running, limit), (creating, max(limit, CallTally.longestUnknown))] {
            let limit = UInt64(limit / .nanoseconds(1))
            let found = calls.takeHanging(at: now, after: limit)
            open += found.open
            guard found.hanging > 0 else { continue }
            hanging.wrappingAdd(found.hanging, ordering: .relaxed)
            note(found.hanging, after: limit, isError: true, in: ownNumbers)
        }
        var tally = tally
        (tally.open, tally.hanging) = (open, hanging.load(ordering: .relaxed))
        return tally
    }

    /// Notes nothing from now on.
    package func close() { isOpen.store(false, ordering: .relaxed) }

    /// A call that has begun. Valid as long as its account.
    struct Call {
        fileprivate let ticket: OpenCalls.Ticket
        fileprivate let numbers: ThreadCells.Cells
        /// `nil` if its time is not measured.
        fileprivate let start: UInt64?
    }

    private var ownNumbers: ThreadCells.Cells { numbers.own(of: .current) }

    /// Begins a call on the calling thread. Its time is measured if it is one of the first, or one of some eight.
    func begin(on context: ThreadContext = .current) -> Call {
        let numbers = numbers.own(of: context)
        let count = UInt(bitPattern: numbers[Self.calls].load(ordering: .relaxed))
        // Multiples of the golden ratio are in no step with callers who take turns.
        let isMeasured = count < Self.measured || (count &* 0x9E37_79B9_7F4A_7C15) >> 61 == 0
        let now = isMeasured ? CallClock.nanoseconds : nil
        return Call(ticket: running.begin(at: now, on: context), numbers: numbers, start: now)
    }

    func begin(at now: UInt64) -> Call {
        let context = ThreadContext.current
        return Call(
            ticket: running.begin(at: now, on: context), numbers: numbers.own(of: context),
            start: now)
    }

    func end(_ call: Call, at now: @autoclosure () -> UInt64 = CallClock.nanoseconds, isError: Bool)
    {
        guard end(call.ticket, in: running) else { return }
        note(after: call.start.map { now() &- $0 }, isError: isError, in: call.numbers)
    }

    /// - Returns: Whether the call is still to be noted: it was not taken for one that hangs.
    private func end(_ ticket: OpenCalls.Ticket, in calls: OpenCalls) -> Bool {
        if calls.end(ticket) { return true }
        hanging.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    /// A call whose object is created, or awaited. It ends with this value at the latest.
    struct Creation: ~Copyable {
        private var begun: (account: CallAccount, ticket: OpenCalls.Ticket)?

        init(_ account: CallAccount?) {
            begun = account.map { ($0, $0.creating.begin(at: nil, on: .current)) }
        }

        deinit { if let begun { _ = begun.account.end(begun.ticket, in: begun.account.creating) } }

        /// - Returns: The account, if the call is still to be noted.
        @discardableResult
        mutating func end() -> CallAccount? {
            begun.take().flatMap { $0.end($1, in: $0.creating) ? $0 : nil }
        }
    }

    /// Notes a call whose time says nothing, such as a launch.
    package func note(isError: Bool) { note(after: nil, isError: isError, in: ownNumbers) }

    private func note(
        _ count: Int = 1, after nanoseconds: UInt64?, isError: Bool, in numbers: ThreadCells.Cells
    ) {
        guard isOpen.load(ordering: .relaxed) else { return }
        if let nanoseconds {
            let bucket = CallTally.bucket(of: nanoseconds)
            numbers[Self.times + bucket].wrappingAdd(count, ordering: .relaxed)
        }
        // In this order, as ``tally`` reads them the other way round.
        numbers[Self.calls].wrappingAdd(count, ordering: .acquiringAndReleasing)
        if isError { numbers[Self.errors].wrappingAdd(count, ordering: .acquiringAndReleasing) }
    }

    /// Calls a factory of the module, and notes it as a call that failed if it fails by itself. That it made an object
    /// says nothing: only calls show whether the object is good.
    func noting<Result>(_ factory: () throws -> Result) rethrows -> Result {
        do {
            return try factory()
        } catch {
            if Self.isOwn(error) { note(isError: true) }
            throw error
        }
    }

    func notingAsync<Result>(
        isolation: isolated (any Actor)? = #isolation, _ factory: () async throws -> Result
    ) async rethrows -> Result {
        do {
            return try await factory()
        } catch {
            if Self.isOwn(error) { note(isError: true) }
            throw error
        }
    }

    /// Whether the factory that runs innermost is to blame for an error: not if the factory of something that it
    /// needs has thrown it, nor if the task was cancelled.
    private static func isOwn(_ error: any Error) -> Bool {
        let context = ThreadContext.current
        if error is CancellationError { return false }
        guard let error = error as? ResolutionError else { return true }
        switch error.reason {
        case .factoryFailed, .moduleFailed, .cycle, .cancelled, .containerGone: return false
        default: break
        }
        let running = context.top ?? TaskContext.frame?.registration
        return error.chain.last == running?.request
    }
}

/// The calls that were noted up to a moment, or between two.
package struct CallTally: Hashable, Sendable {
    package private(set) var calls: Int
    package private(set) var errors: Int
    /// The numbers of calls whose time was measured, by bucket.
    private var times: [Int]
    /// The calls that are under way for some time, and may hang. They are none of ``calls``.
    package fileprivate(set) var open = 0
    /// Those of ``calls`` that were noted because they hang, and are under way.
    package fileprivate(set) var hanging = 0

    static let buckets = 4 * 48
    /// The time after which a call hangs if no time of a call is known, as for a function of a life cycle.
    package static let longestUnknown = Duration.seconds(10)

    package init() {
        self.init(calls: 0, errors: 0, times: [])
    }

    /// - Parameter present: The calls that are under way are those of this one.
    fileprivate init(
        calls: Int, errors: Int, times: [Int], underWay present: CallTally? = nil
    ) {
        (open, hanging) = (present?.open ?? 0, present?.hanging ?? 0)
        self.calls = calls
        // A call that ends meanwhile may be in one of the two only.
        self.errors = min(errors, calls)
        self.times = times
    }

    package mutating func add(nanoseconds: UInt64?, isError: Bool = false, count: Int = 1) {
        calls += count
        if isError { errors += count }
        guard let nanoseconds else { return }
        if times.isEmpty { times = Array(repeating: 0, count: Self.buckets) }
        times[Self.bucket(of: nanoseconds)] += count
    }

    package static func + (one: CallTally, other: CallTally) -> CallTally {
        let times = zip(one.times, other.times).map(+)
        return CallTally(
            calls: one.calls + other.calls, errors: one.errors + other.errors,
            times: times.isEmpty ? one.times + other.times : times, underWay: other)
    }

    package func since(_ earlier: CallTally) -> CallTally {
        let left = times.indices.map { index in
            times[index] - (earlier.times.isEmpty ? 0 : earlier.times[index])
        }
        return CallTally(
            calls: calls - earlier.calls, errors: max(0, errors - earlier.errors), times: left,
            underWay: self)
    }

    /// Returns the number of measured calls that took longer than a time, to about a tenth of it.
    package func slower(than nanoseconds: UInt64) -> Int {
        times.dropFirst(Self.bucket(of: nanoseconds) + 1).reduce(0, +)
    }

    package var measured: Int { times.reduce(0, +) }

    /// The time after which a further call is taken to hang: a second, or twenty times that of the slowest in a hundred.
    package var longest: Duration {
        time(of: 0.99).map { max(.seconds(1), .nanoseconds($0) * 20) } ?? Self.longestUnknown
    }

    /// The time in which a share of the measured calls ended, in nanoseconds, to about a tenth of it; `nil` if none
    /// was measured.
    ///
    /// - Parameter share: 0.5 for the median.
    package func time(of share: Double) -> UInt64? {
        let measured = measured
        guard measured > 0 else { return nil }
        var left = max(1, Int((Double(measured) * share).rounded(.up)))
        for (index, count) in times.enumerated() {
            left -= count
            if left <= 0 { return Self.middle(of: index) }
        }
        return nil
    }

    static func bucket(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 4 else { return Int(nanoseconds) }
        let octave = 63 - nanoseconds.leadingZeroBitCount
        let quarter = Int(nanoseconds >> UInt64(octave - 2)) & 3
        return min(octave * 4 + quarter - 4, buckets - 1)
    }

    private static func middle(of bucket: Int) -> UInt64 {
        guard bucket >= 4 else { return UInt64(bucket) }
        let octave = (bucket + 4) / 4
        let least = UInt64(4 + bucket % 4) << UInt64(octave - 2)
        return least + (1 << UInt64(octave - 2)) / 2
    }
}

extension CallTally: Codable {
    private enum CodingKeys: CodingKey { case calls, errors, times, hanging }

    /// - Throws: If the numbers cannot be those of calls.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        calls = try fields.decode(Int.self, forKey: .calls)
        errors = try fields.decode(Int.self, forKey: .errors)
        times = try fields.decode([Int].self, forKey: .times)
        hanging = try fields.decode(Int.self, forKey: .hanging)
        // Sums of as many calls as a process makes in a thousand years do not overflow.
        let possible = 0...(1 << 53)
        guard times.isEmpty || times.count == Self.buckets, possible.contains(calls),
            (0...calls).contains(errors), times.allSatisfy(possible.contains)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .calls, in: fields, debugDescription: "not the numbers of calls")
        }
    }
}
