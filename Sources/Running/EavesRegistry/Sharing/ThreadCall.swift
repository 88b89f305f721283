// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface
import Synchronization

/// A call that begins and ends on one thread, whose record notes it: it allocates nothing, takes no lock, and writes to
/// no memory that other threads write to.
///
/// The call creates by the tables of the epoch in which the outermost call of the thread began. The threads
/// that exchange modules read the records. So a call that has to wait, or is a part of a call in a task, or finds its
/// service elsewhere than in the container's own table, is a ``MeasuredCall``.
struct ThreadCall {
    private let context: ThreadContext
    /// The value for the end of the resolution.
    let before: UInt64
    private let isOutermost: Bool
    // SAFETY of all three: until the outermost call has ended, its epoch keeps what could be found when it began; the
    // registration is used in the read section alone.
    private let registration: Unmanaged<Registration>
    private var door: Unmanaged<CallGate.Door>?
    private var account: Unmanaged<CallAccount>?
    private var count: CallGate.Door.Count?
    private var noted: CallAccount.Call?

    /// Begins a call, and a resolution with it, which its caller ends before the service is called.
    ///
    /// - Returns: `nil` if the call has to begin in another way.
    @inline(__always)
    static func begin(
        _ key: ServiceKey, in container: Container, on context: ThreadContext
    ) -> ThreadCall? {
        guard !context.isResolving else { return nil }
        let (before, isOutermost) = context.enterCall()
        let table = container.frontTable
        if let found = table.find(key) {
            var call = ThreadCall(
                context: context, before: before, isOutermost: isOutermost, registration: found)
            let isBegun = found._withUnsafeGuaranteedRef { registration in
                if registration.created.load(ordering: .relaxed) == nil {
                    if registration.drawsModule { return false }
                    context.pin(container, table)
                }
                return call.enter(registration)
            }
            if isBegun { return call }
        }
        context.leave(before)
        if isOutermost { context.leaveCall() }
        return nil
    }

    private init(
        context: ThreadContext, before: UInt64, isOutermost: Bool,
        registration: Unmanaged<Registration>
    ) {
        self.context = context
        self.before = before
        self.isOutermost = isOutermost
        self.registration = registration
    }

    /// - Returns: Whether the gate is open, if there is one.
    @inline(__always)
    private mutating func enter(_ registration: Registration) -> Bool {
        if let door = registration.entry {
            guard context.hasRoomForGate,
                let count = door._withUnsafeGuaranteedRef({ $0.enterIfOpen(on: context) })
            else { return false }
            door._withUnsafeGuaranteedRef { context.push($0.gate) }
            self.door = door
            self.count = count
        }
        account = registration.book?.current
        return true
    }

    /// Whether further calls of the same object would be as good as this one, until the container changes.
    var isLasting: Bool { door == nil }

    /// Points to the instance, a value of the service's type, if the scope keeps one.
    var created: UnsafeRawPointer? {
        registration._withUnsafeGuaranteedRef { $0.created.load(ordering: .acquiring) }
    }

    /// Creates the instance. If that fails, the call has ended.
    ///
    /// - Parameter create: A function that ends the resolution, too.
    mutating func create<Service>(
        _ create: (Registration) throws(ResolutionError) -> Service
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionError) {
            let registration = registration.takeUnretainedValue()
            guard let account else { return try create(registration) }
            var creation = CallAccount.Creation(account.takeUnretainedValue())
            let instance = try create(registration)
            if creation.end() == nil { self.account = nil }
            return instance
        } catch {
            end(isError: false)
            throw error
        }
    }

    /// Begins to measure the call, which has its instance.
    @inline(__always)
    mutating func start() {
        noted = account?._withUnsafeGuaranteedRef { $0.begin(on: context) }
    }

    @inline(never)
    func end(after error: any Error) { end(isError: !(error is CancellationError)) }

    @inline(__always)
    func end(isError: Bool) {
        if let account, let noted {
            account._withUnsafeGuaranteedRef { $0.end(noted, isError: isError) }
        }
        if let door, let count {
            context.popGate()
            door._withUnsafeGuaranteedRef { $0.leave(count) }
        }
        if isOutermost { context.leaveCall() }
    }
}

extension ThreadContext {
    /// The gates through which the thread's own calls have gone, outermost first.
    var gates: [CallGate] {
        (0..<Int(record.pointee.gate_count)).compactMap { index in
            // SAFETY: the epoch of the thread's outermost call keeps the doors, which keep their gates.
            places[index].map { Unmanaged<CallGate>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    fileprivate var hasRoomForGate: Bool {
        Int(record.pointee.gate_count)
            < MemoryLayout.size(ofValue: record.pointee.gates)
            / MemoryLayout<UnsafeRawPointer?>.size
    }

    fileprivate func push(_ gate: CallGate) {
        // SAFETY: the epoch of the thread's outermost call keeps the door, and with it the gate, until it is popped.
        places[Int(record.pointee.gate_count)] =
            UnsafeRawPointer(Unmanaged.passUnretained(gate).toOpaque())
        record.pointee.gate_count &+= 1
    }

    fileprivate func popGate() { record.pointee.gate_count &-= 1 }

    private var places: UnsafeMutablePointer<UnsafeRawPointer?> {
        guard let offset = MemoryLayout<eaves_reader>.offset(of: \.gates) else {
            preconditionFailure("a field of a C structure has an offset")
        }
        // SAFETY: the field is an array of such pointers, which the thread alone uses.
        return (UnsafeMutableRawPointer(record) + offset)
            .assumingMemoryBound(to: UnsafeRawPointer?.self)
    }
}
