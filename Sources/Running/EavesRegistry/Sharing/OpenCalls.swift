// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The calls of one module that are under way, by the time at which they began: so that calls that never end are found.
///
/// Calls that begin one after the other share a slot until it is closed. All calls of a slot that has been closed for longer
/// than a limit hang. They are taken out together, and none of them counts once more if it ends after all.
///
/// Safe from any thread. A call takes no lock, except for one in each second.
final class OpenCalls: Sendable {
    /// A call's slot, and the use of it that the call belongs to.
    struct Ticket {
        fileprivate let slot: Int
        fileprivate let use: UInt64
    }

    private static let slots = 32
    /// One call more, in a word of a slot. The bits above number the uses of the slot.
    private static let use: UInt64 = 1 << 32

    // SAFETY: the memory is constant until `deinit`, and has atomics only.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>
    /// The slot of the calls that begin now.
    private let current = Atomic(0)
    /// When a call that begins closes the slot.
    private let turn = Atomic<UInt64>(0)
    /// When the slots were closed; `nil` for the current one, and for those without calls.
    private let closed = Guarded([UInt64?](repeating: nil, count: slots))

    init() {
        words = .allocate(capacity: Self.slots)
        for slot in 0..<Self.slots { (words + slot).initialize(to: Atomic(0)) }
    }

    deinit {
        words.deinitialize(count: Self.slots)
        words.deallocate()
    }

    /// - Parameter now: The time, to close the slot in each second; 0 if only ``takeHanging(at:after:)`` is to do that.
    func begin(at now: UInt64 = 0) -> Ticket {
        if now >= turn.load(ordering: .relaxed) { closed.withLock { close(&$0, at: now) } }
        let slot = current.load(ordering: .relaxed)
        let word = words[slot].add(1, ordering: .relaxed).oldValue
        return Ticket(slot: slot, use: word / Self.use)
    }

    /// Ends a call.
    ///
    /// - Returns: `false` if it was taken out before.
    func end(_ ticket: Ticket) -> Bool {
        var word = words[ticket.slot].load(ordering: .relaxed)
        while word / Self.use == ticket.use {
            let (hasEnded, found) = words[ticket.slot].weakCompareExchange(
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
                let count = words[slot].load(ordering: .relaxed) % Self.use
                // A thread may enter a call in a slot that was closed meanwhile.
                let since = count == 0 ? nil : closed[slot] ?? now
                closed[slot] = since
                if let since, now > since, now - since > limit {
                    hanging += takeOut(slot)
                    closed[slot] = nil
                } else {
                    open += Int(count)
                }
            }
            close(&closed, at: now)
            return (hanging, open)
        }
    }

    private func takeOut(_ slot: Int) -> Int {
        var word = words[slot].load(ordering: .relaxed)
        while true {
            let next = (word / Self.use &+ 1) &* Self.use
            let (isTaken, found) = words[slot].weakCompareExchange(
                expected: word, desired: next, ordering: .relaxed)
            if isTaken { return Int(word % Self.use) }
            word = found
        }
    }

    /// Closes the current slot if it has calls. Where no other one is free, it takes further calls.
    private func close(_ closed: inout [UInt64?], at now: UInt64) {
        turn.store(now + 1_000_000_000, ordering: .relaxed)
        let slot = current.load(ordering: .relaxed)
        guard words[slot].load(ordering: .relaxed) % Self.use > 0,
            let free = closed.indices.first(where: { other in
                other != slot && words[other].load(ordering: .relaxed) % Self.use == 0
            })
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
