// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The calls of one module that are under way, by the time at which they began: so that calls that never end are found.
///
/// Calls that begin one after the other share a slot until it is closed. All calls of a slot that has been closed for longer
/// than a limit hang. They are taken out together, and none of them counts once more if it ends after all.
///
/// Safe from any thread. A call takes no lock, except for one in each second, and writes to cells of its thread alone.
final class OpenCalls: Sendable {
    /// A call's word, which has the calls of a slot that began on one thread, and the use of it that the call belongs to.
    struct Ticket {
        fileprivate let word: ThreadCells.Cells
        fileprivate let use: Int
    }

    private static let slots = 32
    /// The bits of a word that count its calls. Those above number the uses of the slot.
    private static let counted = 0xFFFF_FFFF

    private let words = ThreadCells(words: slots)
    /// The slot of the calls that begin now.
    private let current = Atomic(0)
    /// When a call that begins closes the slot.
    private let turn = Atomic<UInt64>(0)
    /// When the slots were closed; `nil` for the current one, and for those without calls.
    private let closed = Guarded([UInt64?](repeating: nil, count: slots))

    /// - Parameter now: The time, to close the slot in each second; `nil` if only other calls, and
    ///   ``takeHanging(at:after:)``, are to do that.
    func begin(at now: UInt64?, on context: ThreadContext) -> Ticket {
        if let now, now >= turn.load(ordering: .relaxed) { closed.withLock { close(&$0, at: now) } }
        let word = words.own(of: context) + current.load(ordering: .relaxed)
        let before = word.pointee.wrappingAdd(1, ordering: .relaxed).oldValue
        return Ticket(word: word, use: before & ~Self.counted)
    }

    /// Ends a call.
    ///
    /// - Returns: `false` if it was taken out before.
    func end(_ ticket: Ticket) -> Bool {
        var word = ticket.word.pointee.load(ordering: .relaxed)
        while word & ~Self.counted == ticket.use {
            let (hasEnded, found) = ticket.word.pointee.weakCompareExchange(
                expected: word, desired: word - 1, ordering: .relaxed)
            if hasEnded { return true }
            word = found
        }
        return false
    }

    /// Takes out the calls that have been open for longer than a limit.
    ///
    /// - Returns: Their number, and that of the other calls that began before this was asked for the last time.
    func takeHanging(at now: UInt64, after limit: UInt64) -> (hanging: Int, open: Int) {
        closed.withLock { closed in
            var (hanging, open) = (0, 0)
            for slot in closed.indices where slot != current.load(ordering: .relaxed) {
                let count = count(in: slot)
                // A thread may enter a call in a slot that was closed meanwhile.
                let since = count == 0 ? nil : closed[slot] ?? now
                closed[slot] = since
                if let since, now > since, now - since > limit {
                    hanging += words.all.reduce(0) { $0 + takeOut($1 + slot) }
                    closed[slot] = nil
                } else {
                    open += count
                }
            }
            close(&closed, at: now)
            return (hanging, open)
        }
    }

    private func count(in slot: Int) -> Int {
        words.all.reduce(0) { $0 + $1[slot].load(ordering: .relaxed) & Self.counted }
    }

    private func takeOut(_ place: ThreadCells.Cells) -> Int {
        var word = place.pointee.load(ordering: .relaxed)
        while true {
            let next = (word | Self.counted) &+ 1
            let (isTaken, found) = place.pointee.weakCompareExchange(
                expected: word, desired: next, ordering: .relaxed)
            if isTaken { return word & Self.counted }
            word = found
        }
    }

    /// Closes the current slot if it has calls. Where no other one is free, it takes further calls.
    private func close(_ closed: inout [UInt64?], at now: UInt64) {
        turn.store(now + 1_000_000_000, ordering: .relaxed)
        let slot = current.load(ordering: .relaxed)
        guard count(in: slot) > 0,
            let free = closed.indices.first(where: { $0 != slot && count(in: $0) == 0 })
        else { return }
        (closed[slot], closed[free]) = (now, nil)
        current.store(free, ordering: .relaxed)
    }
}

/// The clock of calls: it stands still while the machine sleeps, so that no call seems to hang then.
enum CallClock {
    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
