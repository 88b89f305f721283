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
    // SAFETY of all three: until the end of the call, the thread's record says that it has the registration.
    private let registration: Unmanaged<Registration>
    /// Points to the instance, a value of the service's type, if the scope keeps one.
    private(set) var created: UnsafeRawPointer?
    private var door: Unmanaged<CallGate.Door>?
    // SAFETY: until the outermost call has ended, its epoch keeps the accounts that could be found when it began.
    private var account: Unmanaged<CallAccount>?
    private var count: CallGate.Door.Count?

    /// Begins a call, and a resolution with it, which its caller ends before the service is called.
    ///
    /// - Returns: `nil` if the call has to begin in another way.
    @inline(__always)
    static func begin(
        _ key: ServiceKey, in container: Container, on context: ThreadContext
    ) -> ThreadCall? {
        guard !context.isResolving, context.hasRoomForCall else { return nil }
        let (before, isOutermost) = context.enterCall()
        let table = container.frontTable
        if let found = table.find(key) {
            var call = ThreadCall(
                context: context, before: before, isOutermost: isOutermost, registration: found)
            let isBegun = found._withUnsafeGuaranteedRef { registration in
                call.created = registration.created.load(ordering: .acquiring)
                if call.created == nil {
                    if registration.drawsModule { return false }
                    context.pin(container, table)
                }
                return call.enter(registration)
            }
            if isBegun { return call }
        }
        context.leave(before)
        context.leaveCall(isOutermost)
        return nil
    }

    /// - Returns: Whether the gate is open, if there is one.
    @inline(__always)
    private mutating func enter(_ registration: Registration) -> Bool {
        if let door = registration.entry {
            guard let count = door._withUnsafeGuaranteedRef({ $0.enterIfOpen(on: context) })
            else { return false }
            self.door = door
            self.count = count
        }
        context.push(registration: self.registration)
        account = registration.book?.current
        return true
    }

    /// Whether further calls of the same object would be as good as this one, until the container changes.
    var isLasting: Bool { door == nil }

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
            end(nil, isError: false)
            throw error
        }
    }

    /// Calls the instance, measures that, and ends the call.
    @inline(__always)
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        let noted = account?._withUnsafeGuaranteedRef { $0.begin(on: context) }
        do {
            let result = try body()
            end(noted, isError: false)
            return result
        } catch {
            end(noted, after: error)
            throw error
        }
    }

    @inline(never)
    private func end(_ noted: CallAccount.Call?, after error: any Error) {
        end(noted, isError: !(error is CancellationError))
    }

    @inline(__always)
    private func end(_ noted: CallAccount.Call?, isError: Bool) {
        if let account, let noted {
            account._withUnsafeGuaranteedRef { $0.end(noted, isError: isError) }
        }
        if let door, let count { door._withUnsafeGuaranteedRef { $0.leave(count) } }
        context.popRegistration()
        context.leaveCall(isOutermost)
    }
}

/// An instance in its place. The compiler does not copy what cannot be copied, so no reference is counted.
struct Kept<Service>: ~Copyable {
    private let service: Service

    @inline(__always)
    func lend<Result>(to body: (Service) throws -> Result) rethrows -> Result { try body(service) }
}

extension ThreadContext {
    /// The gates through which the thread's own calls have gone, outermost first.
    var gates: [CallGate] {
        (0..<Int(record.pointee.called_count)).compactMap { index in
            called[index].load(ordering: .relaxed).flatMap {
                // SAFETY: the record keeps the registration until it is popped.
                Unmanaged<Registration>.fromOpaque($0).takeUnretainedValue().door?.gate
            }
        }
    }

    fileprivate var hasRoomForCall: Bool {
        Int(record.pointee.called_count)
            < MemoryLayout.size(ofValue: record.pointee.called)
            / MemoryLayout<UnsafeRawPointer?>.size
    }

    /// Keeps a registration that was found in the section until the call ends.
    fileprivate func push(registration: Unmanaged<Registration>) {
        let place = called + Int(record.pointee.called_count)
        place.pointee.store(UnsafeRawPointer(registration.toOpaque()), ordering: .relaxed)
        record.pointee.called_count &+= 1
    }

    fileprivate func popRegistration() {
        record.pointee.called_count &-= 1
        called[Int(record.pointee.called_count)].store(nil, ordering: .releasing)
    }
}
