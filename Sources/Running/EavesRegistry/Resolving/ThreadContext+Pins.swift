// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface
import Synchronization

// A resolution asks each container one table, however often others are published meanwhile: what it creates comes from
// one generation of each module. The read section keeps the tables.
extension ThreadContext {
    /// Whether a resolution is under way. The code of a loan is none.
    var isResolving: Bool { record.pointee.epoch & 1 != 0 }

    /// Begins a resolution that has asked no container yet.
    @inline(__always)
    func unpin() {
        record.pointee.pin_count = 0
        record.pointee.pins.pointee.container = nil
    }

    /// Begins a resolution that has asked one container.
    @inline(__always)
    func pin(_ container: Container, _ table: RegistrationTable) {
        record.pointee.pins.pointee = eaves_pin(
            container: identity(container), table: table.pointer)
        record.pointee.pin_count = 1
    }

    /// The table in which the resolution that is under way finds what a container has.
    @inline(__always)
    func table(of container: Container) -> RegistrationTable {
        let first = record.pointee.pins.pointee
        guard first.container == identity(container), let table = first.table else {
            return otherTable(of: container)
        }
        return RegistrationTable(table)
    }

    @inline(never)
    private func otherTable(of container: Container) -> RegistrationTable {
        if let known = pins.first(where: { $0.container == identity(container) })?.table {
            return RegistrationTable(known)
        }
        let now = container.currentTable
        // Where readers look at a table first, no call is under way that began with another one.
        let table = container.isAtFront(now) ? now : tableOfCall(in: container, unless: now)
        add(container, table)
        return table
    }

    /// The table of a container with which the call began that the resolution is a part of; the present one if it is a
    /// part of none.
    private func tableOfCall(
        in container: Container, unless now: RegistrationTable
    ) -> RegistrationTable {
        guard !record.pointee.is_fresh, let epoch = epochOfCall(in: container.callNotes.epochs)
        else { return now }
        let table = container.table(since: epoch)
        guard table != now else { return now }
        beginPartOfCall()
        return table
    }

    /// The epoch in which the call began that the resolution is a part of; `nil` if it is a part of none.
    private func epochOfCall(in epochs: CallEpochs) -> UInt64? {
        if let call = MeasuredCall.current(of: epochs) {
            goBack(to: call.epoch)
            // If the call ends on another thread from here on, the section keeps its tables.
            if epochs.contain(call) { return call.epoch }
        }
        let own = call.pointee.load(ordering: .relaxed)
        return own == 0 ? nil : own
    }

    /// Notes that the resolution uses tables of a call until it ends.
    func beginPartOfCall() {
        record.pointee.is_of_call = true
        noteDuty(EAVES_DUTY_CALL)
    }

    /// Whether the resolution uses a table of the call that it is a part of, and another one counts now.
    var isOfCall: Bool { record.pointee.is_of_call }

    /// Calls `body` as a resolution of its own, for what has to come from the tables of this moment.
    ///
    /// - Parameter table: The table of that container in which something was found already.
    @inline(never)
    func freshly<Result>(
        from container: Container, in table: RegistrationTable,
        _ body: () throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        let outer = (pinned, record.pointee.is_of_call, record.pointee.is_fresh)
        unpin()
        add(container, table)
        (record.pointee.is_of_call, record.pointee.is_fresh) = (false, true)
        defer {
            unpin()
            for (container, table) in outer.0 { add(container, table) }
            (record.pointee.is_of_call, record.pointee.is_fresh) = (outer.1, outer.2)
        }
        return try body()
    }

    /// The containers that the resolution has asked so far, and their tables.
    var pinned: [(Container, RegistrationTable)] {
        pins.compactMap { pin in
            guard let container = pin.container, let table = pin.table else { return nil }
            // SAFETY: everything that resolves holds the containers that it asks.
            return (
                Unmanaged<Container>.fromOpaque(container).takeUnretainedValue(),
                RegistrationTable(table)
            )
        }
    }

    private var pins: UnsafeBufferPointer<eaves_pin> {
        UnsafeBufferPointer(start: record.pointee.pins, count: Int(record.pointee.pin_count))
    }

    func add(_ container: Container, _ table: RegistrationTable) {
        if record.pointee.pin_count == record.pointee.capacity { eaves_reader_grow(record) }
        // SAFETY: there is room for one more, and no other thread has this thread's record.
        record.pointee.pins[Int(record.pointee.pin_count)] = eaves_pin(
            container: identity(container), table: table.pointer)
        record.pointee.pin_count += 1
    }

    @inline(__always)
    private func identity(_ container: Container) -> UnsafeRawPointer {
        // SAFETY: everything that resolves holds the containers that it asks; the pointer is compared, or taken back
        // by `pinned` within the same resolution.
        UnsafeRawPointer(Unmanaged.passUnretained(container).toOpaque())
    }
}

extension Container {
    /// Calls `body` with the registration of a key, for the resolution that is under way.
    ///
    /// Registrations that came since the resolution began are resolved separately, such as those of a module that was
    /// loaded because the resolution needs it, whose objects may be kept for others. So is what a call asks for of a
    /// module that keeps state: the state is where the present generation is.
    ///
    /// - Returns: `nil` if there is none.
    func withRegistration<Result>(
        of key: ServiceKey, in context: ThreadContext,
        _ body: (Registration) throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result? {
        // SAFETY: the section keeps it alive.
        let known = context.table(of: self).find(key)?.takeUnretainedValue()
        if let known, !context.isOfCall || !known.hasLostState { return try body(known) }
        let now = currentTable
        guard let later = now.find(key) else { return try known.map(body) }
        return try context.freshly(from: self, in: now) { () throws(ResolutionError) in
            try body(later.takeUnretainedValue())
        }
    }

    /// Calls `body` as a resolution of its own if it creates what others may get, and the resolution is a part of a
    /// call that began before an exchange: what others get is made of what is there now.
    @inline(__always)
    func forOthers<Result>(
        _ registration: Registration, in context: ThreadContext,
        _ body: () throws(ResolutionError) -> Result
    ) throws(ResolutionError) -> Result {
        guard context.isOfCall else { return try body() }
        let now = currentTable
        guard registration.keepsInstances,
            now.all.contains(where: { $0.base === registration.base })
        else { return try body() }
        return try context.freshly(from: self, in: now, body)
    }

    func hasRegistration(of key: ServiceKey, in context: ThreadContext) -> Bool {
        context.table(of: self).find(key) != nil || currentTable.find(key) != nil
    }
}
