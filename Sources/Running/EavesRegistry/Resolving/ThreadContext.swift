// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface
import Synchronization

/// The calling thread's record: its read section, and the factories that run on it.
///
/// All state is in a structure in C, which the thread owns until it ends. So a context is just
/// a pointer, and is valid on its own thread only.
struct ThreadContext {
    let record: UnsafeMutablePointer<eaves_reader>

    @inline(__always)
    static var current: ThreadContext { ThreadContext(record: eaves_reader_current()) }

    /// Whether nothing waits for what the thread resolves now.
    var isIdle: Bool { record.pointee.depth == 0 && record.pointee.making == nil }

    /// The registrations whose factories run, outermost first.
    var running: [Registration] {
        (0..<record.pointee.depth).map(running(at:))
    }

    /// The registration whose factory runs innermost.
    var top: Registration? {
        record.pointee.depth == 0 ? nil : running(at: record.pointee.depth - 1)
    }

    var runningContainer: Container? {
        // SAFETY: everything that resolves holds the container of the factory that runs.
        top?.owner?.takeUnretainedValue()
    }

    func running(at index: UInt32) -> Registration {
        // SAFETY: `push` stored a `Registration`, which the read section keeps alive.
        Unmanaged<Registration>.fromOpaque(record.pointee.building[Int(index)])
            .takeUnretainedValue()
    }

    /// The creations under way in words, outermost first: first by the thread's task, then by the thread.
    var chain: [ServiceRequest] {
        let running = running
        return TaskContext.chain
            + running.indices
            // To users, a decorated service and the service that decorates it are one.
            .filter { $0 == 0 || running[$0 - 1].traits.decoration?.inner !== running[$0] }
            .map { running[$0].request }
    }

    /// Whether a factory can be called with nothing else to do: no other thread waits for what is being
    /// created, and the factory is not running.
    @inline(__always)
    func mayCall(_ registration: Registration) -> Bool {
        record.pointee.making == nil
            && record.pointee.building_bits & registration.creationBit == 0
    }

    /// Throws if a factory is running that must not be called again.
    ///
    /// A recursion with runtime arguments can be meant, and end by itself. Without arguments it cannot, unless the
    /// inner call gets an object that is being completed.
    @inline(__always)
    func checkCycle(_ registration: Registration) throws(ResolutionError) {
        if record.pointee.building_bits & registration.creationBit != 0 {
            try checkRunning(registration)
        }
    }

    private func checkRunning(_ registration: Registration) throws(ResolutionError) {
        // SAFETY: compared, and never dereferenced.
        let wanted = UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        let places = (0..<record.pointee.depth).filter {
            record.pointee.building[Int($0)] == wanted
        }
        guard let last = places.last else { return }
        let isOver =
            registration.request.arguments.isEmpty
            ? !mayCallAgain(above: last) : places.count > ResolutionError.mostRecursions
        if isOver { throw cycle(registration) }
    }

    func cycle(_ registration: Registration) -> ResolutionError {
        ResolutionError(.cycle, wanted: registration.request, chain: chain)
    }

    /// Calls `create` while a registration is on top of the running ones.
    @inline(__always)
    func running<Service>(
        _ registration: Registration, create: () throws -> Service
    ) throws(ResolutionError) -> Service {
        let bits = push(registration)
        defer { pop(bits) }
        do {
            let instance = try create()
            if hasNotes { try checkNotes() }
            return instance
        } catch {
            throw failure(of: registration, error)
        }
    }

    /// Puts a registration on top of the running ones.
    ///
    /// - Returns: The value for ``pop(_:)``.
    @inline(__always)
    func push(_ registration: Registration) -> UInt64 {
        if record.pointee.depth == record.pointee.capacity { eaves_reader_grow(record) }
        // SAFETY: the line above made room.
        record.pointee.building[Int(record.pointee.depth)] =
            UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        record.pointee.depth &+= 1
        let bits = record.pointee.building_bits
        record.pointee.building_bits = bits | registration.creationBit
        return bits
    }

    /// Takes away the registration that ``push(_:)`` put on top.
    @inline(__always)
    func pop(_ bits: UInt64) {
        record.pointee.depth &-= 1
        record.pointee.building_bits = bits
    }

    @inline(never)
    func failure(of registration: Registration, _ error: any Error) -> ResolutionError {
        _ = takeInjectionError()
        if let error = error as? ResolutionError { return error }
        // The chain still ends with the registration itself.
        return ResolutionError(
            .factoryFailed(error), wanted: registration.request,
            chain: Array(chain.dropLast()), candidates: [registration.description])
    }
}

// The read section keeps alive what is found in it. It is open while something is resolved or lent.
extension ThreadContext {
    /// Begins a resolution, or takes part in the one that is under way. What is found until ``leave(_:)`` stays alive.
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
        if duties.pointee.load(ordering: .relaxed) != 0 {
            doDuties(cleaningUpFor: before == 0 ? EAVES_DUTY_CLEAN : 0)
        }
    }

    /// Calls `body` in a section. A resolution that begins with it goes on with the tables of the current task's
    /// resolution, if the task runs a factory.
    func inSection<Result>(
        of tables: HeldTables? = TaskContext.frame?.tables,
        _ body: () throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        let before = enter()
        defer { leave(before) }
        guard let tables, record.pointee.pin_count == 0 else { return try body() }
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
    /// - Parameter duty: The duty to clean up that ends here: that of the section, unless it is still open for a loan, or
    ///   that of the thread's calls.
    @inline(never)
    func doDuties(cleaningUpFor duty: Int) {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if record.pointee.graph != nil { endGraph() }
        if record.pointee.is_of_call {
            record.pointee.is_of_call = false
            duties.pointee.bitwiseAnd(~UInt64(EAVES_DUTY_CALL), ordering: .relaxed)
        }
        let clean = UInt64(duty)
        guard duties.pointee.load(ordering: .relaxed) & clean != 0 else { return }
        duties.pointee.bitwiseAnd(~clean, ordering: .acquiringAndReleasing)
        Reclamation.run()
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
        LoanReturns.install { current.doDuties(cleaningUpFor: EAVES_DUTY_CLEAN) }
    }

    /// - Parameter offset: The number to add to the epoch, which is odd: 0 for a resolution, 1 for a loan.
    @inline(__always)
    private func open(plus offset: UInt64) {
        epoch.pointee.store(now.pointee.load(ordering: .acquiring) &+ offset, ordering: .relaxed)
        orderStores()
    }

    /// Lets other threads see what the record says before this thread loads anything else.
    @inline(__always)
    private func orderStores() {
        // The writer's membarrier orders the processor. This fence is for the compiler, so that it
        // moves no load before the store. It costs nothing on x86.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if duties.pointee.load(ordering: .relaxed) & UInt64(EAVES_DUTY_FENCE) != 0 {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        }
    }

    /// Begins a call that the record notes, and a resolution with it, where none is under way. Until ``leaveCall(_:)``, all
    /// tables stay that there were, unless the call takes too long, and so do gates and accounts.
    ///
    /// - Returns: The value for ``leave(_:)``, and whether the call is the outermost one.
    @inline(__always)
    func enterCall() -> (before: UInt64, isOutermost: Bool) {
        guard call.pointee.load(ordering: .relaxed) == 0 else { return (enterPinned(), false) }
        let before = epoch.pointee.load(ordering: .relaxed)
        while true {
            let since = now.pointee.load(ordering: .acquiring)
            call.pointee.store(since, ordering: .relaxed)
            epoch.pointee.store(before == 0 ? since : before - 1, ordering: .relaxed)
            orderStores()
            // Every thread that begins a later epoch sees the call.
            if now.pointee.load(ordering: .acquiring) == since { return (before, true) }
        }
    }

    /// Ends a call, after its registration was popped.
    @inline(__always)
    func leaveCall(_ isOutermost: Bool) {
        if isOutermost { call.pointee.store(0, ordering: .releasing) }
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if duties.pointee.load(ordering: .relaxed) != 0 {
            doDuties(cleaningUpFor: EAVES_DUTY_CLEAN_CALL)
        }
    }

    /// Keeps for the resolution that is under way what was there in an earlier epoch, and has not gone yet.
    func goBack(to earlier: UInt64) {
        guard earlier < epoch.pointee.load(ordering: .relaxed) else { return }
        epoch.pointee.store(earlier, ordering: .relaxed)
        orderStores()
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

    /// Releases the instances of the graph scope. If one of their `deinit`s resolves, that begins another graph.
    private func endGraph() {
        while let graph = record.pointee.graph {
            record.pointee.graph = nil
            duties.pointee.bitwiseAnd(~UInt64(EAVES_DUTY_GRAPH), ordering: .relaxed)
            // SAFETY: gives back the reference that `graph` took.
            Unmanaged<ResolutionGraph>.fromOpaque(graph).takeRetainedValue().leave()
        }
    }

    // SAFETY: the C side asserts that these fields follow the epoch, and treats them as atomic.
    private var duties: UnsafePointer<Atomic<UInt64>> { epoch + 1 }

    /// The epoch in which the outermost of the thread's own calls began; 0 if none is under way.
    var call: UnsafePointer<Atomic<UInt64>> { epoch + 2 }

    /// The registrations that the thread's own calls have, outermost first.
    var called: UnsafePointer<Atomic<UnsafeRawPointer?>> {
        UnsafeRawPointer(epoch + 3).assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self)
    }

    private var epoch: UnsafePointer<Atomic<UInt64>> {
        guard let offset = MemoryLayout<eaves_reader>.offset(of: \.epoch) else {
            preconditionFailure("a field of a C structure has an offset")
        }
        // SAFETY: the header says that it is atomic, and the C side treats it so.
        return (UnsafeRawPointer(record) + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The current epoch of all threads.
    var now: UnsafePointer<Atomic<UInt64>> {
        // SAFETY: the header says that it is atomic, and the C side treats it so.
        UnsafeRawPointer(record.pointee.now).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
