// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface
import Synchronization

// The read section keeps alive what is found in it. It is open while something is resolved or lent.
extension ThreadContext {
    /// Begins a resolution, or takes part in the one that is under way. What is found until
    /// ``leave(_:)`` stays alive.
    ///
    /// - Returns: The value for ``leave(_:)``: the record's epoch before the call.
    @inline(__always)
    func enter() -> UInt64 {
        let before = enterPinned()
        if before & 1 == 0 { unpin() }
        return before
    }

    /// Begins as ``enter()``, for a caller that pins a table, or unpins all, before anything else is resolved.
    @inline(__always)
    func enterPinned() -> UInt64 {
        let before = epoch.pointee.load(ordering: .relaxed)
        if before == 0 {
            open(plus: 0)
        } else if before & 1 == 0 {
            // The section is open for a loan; the resolution is a new one.
            epoch.pointee.store(before - 1, ordering: .relaxed)
        }
        return before
    }

    /// Ends the resolution if ``enter()`` began it.
    @inline(__always)
    func leave(_ before: UInt64) {
        guard before & 1 == 0 else { return }
        epoch.pointee.store(before, ordering: .releasing)
        // As in `open`, the writer's membarrier orders the processor, and this orders the compiler.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if duties.pointee.load(ordering: .relaxed) != 0 { doDuties(isOutside: before == 0) }
    }

    /// Calls `body` in a section. A resolution that begins with it goes on with the tables of the current task's
    /// resolution, if the task runs a factory.
    func inSection<Result>(
        of tables: HeldTables? = TaskContext.frame?.tables,
        _ body: () throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        let before = enter()
        defer { leave(before) }
        guard let tables, !hasPins else { return try body() }
        tables.lend(to: self)
        defer {
            tables.hold(self)
            unpin()
        }
        return try body()
    }

    /// Completes a section that was left: ends the graph of the resolution, and frees objects that
    /// were unpublished while the section was open.
    ///
    /// - Parameter isOutside: Whether the thread is in no section any more. It still is in one that is
    ///   open for a loan.
    @inline(never)
    func doDuties(isOutside: Bool) {
        if record.pointee.needs_fence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
        if record.pointee.graph != nil { endGraph() }
        if record.pointee.is_of_call {
            record.pointee.is_of_call = false
            duties.pointee.bitwiseAnd(~UInt64(EAVES_DUTY_CALL), ordering: .relaxed)
        }
        guard isOutside else { return }
        let clean = UInt64(EAVES_DUTY_CLEAN)
        let old = duties.pointee.bitwiseAnd(~clean, ordering: .acquiringAndReleasing).oldValue
        if old & clean != 0 { Reclamation.run() }
    }

    /// Opens a section for a loan, in which nothing is being resolved.
    ///
    /// - Returns: The place to store 0 in to leave the section; `nil` if one was open already.
    @inline(__always)
    func openForLoan() -> UnsafePointer<Atomic<UInt64>>? {
        guard epoch.pointee.load(ordering: .relaxed) == 0 else { return nil }
        open(plus: 1)
        return epoch
    }

    /// Makes returned loans do what is left to do after a section, in the whole process.
    static func takeBackLoans() {
        LoanReturns.install { current.doDuties(isOutside: true) }
    }

    /// - Parameter offset: The number to add to the epoch, which is odd: 0 for a resolution, 1 for a loan.
    @inline(__always)
    private func open(plus offset: UInt64) {
        // SAFETY: the header says that it is atomic, and the C side treats it so.
        let now = UnsafeRawPointer(record.pointee.now).assumingMemoryBound(to: Atomic<UInt64>.self)
        epoch.pointee.store(now.pointee.load(ordering: .acquiring) &+ offset, ordering: .relaxed)
        // The writer's membarrier orders the processor. This fence is for the compiler, so that it
        // moves no load before the store. It costs nothing on x86.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if record.pointee.needs_fence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
    }

    /// The instances of the graph scope that this resolution has created so far.
    var graph: ResolutionGraph {
        if let known = record.pointee.graph {
            // SAFETY: set below, and released only by `endGraph`.
            return Unmanaged<ResolutionGraph>.fromOpaque(known).takeUnretainedValue()
        }
        let graph = TaskContext.enterGraph()
        record.pointee.graph = Unmanaged.passRetained(graph).toOpaque()
        noteDuty(EAVES_DUTY_GRAPH)
        return graph
    }

    /// Lets ``doDuties(isOutside:)`` be called at the end of the resolution.
    func noteDuty(_ duty: Int) {
        duties.pointee.bitwiseOr(UInt64(duty), ordering: .relaxed)
    }

    /// Releases the instances of the graph scope. If one of their `deinit`s resolves, that begins
    /// another graph.
    private func endGraph() {
        while let graph = record.pointee.graph {
            record.pointee.graph = nil
            duties.pointee.bitwiseAnd(~UInt64(EAVES_DUTY_GRAPH), ordering: .relaxed)
            // SAFETY: gives back the reference that `graph` took.
            Unmanaged<ResolutionGraph>.fromOpaque(graph).takeRetainedValue().leave()
        }
    }

    // SAFETY: the C side asserts that the field follows the epoch, and treats it as atomic.
    private var duties: UnsafePointer<Atomic<UInt64>> { epoch + 1 }

    private var epoch: UnsafePointer<Atomic<UInt64>> {
        guard let offset = MemoryLayout<eaves_reader>.offset(of: \.epoch) else {
            preconditionFailure("a field of a C structure has an offset")
        }
        // SAFETY: the header says that it is atomic, and the C side treats it so.
        return (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
