// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative

/// Tables and registrations that were replaced, kept until no thread can be reading them.
///
/// A container frees what it can whenever it changes. If sections are open that began before the change,
/// it asks their threads to clean up, and the last of them to leave its section does.
struct Retirement {
    private struct Item {
        /// Sections that began in it, or before, may read the table.
        var epoch: UInt64
        let time = ContinuousClock.now
        let table: RegistrationTable
        let registrations: [Registration]
        /// The instances to tell when no thread can read the table any more.
        let retired: RetiredInstances?
        var isAwaited: Bool { !registrations.isEmpty || retired != nil }
    }

    /// Registrations out of every thread's reach, to be released where no lock is held.
    struct Released {
        fileprivate(set) var registrations: [Registration] = []
        /// To be told that a table is gone.
        fileprivate(set) var retired: [RetiredInstances] = []

        mutating func end() {
            let told = retired
            for retired in told { retired.noteObjects() }
            registrations = []
            retired = []
            for retired in told { retired.end() }
        }
    }

    private var items: [Item] = []
    private var revoked: [RegistrationTable] = []
    private var bytes = 0
    /// The number of tables that wait for more than their memory.
    private var count = 0

    /// Takes over a table that has just been replaced, and the registrations that only it had.
    mutating func add(
        _ table: RegistrationTable, _ registrations: [Registration], _ retired: RetiredInstances?
    ) {
        retired?.begin()
        let item = Item(
            epoch: eaves_epoch_advance(), table: table, registrations: registrations,
            retired: retired)
        items.append(item)
        bytes += table.bytes
        if item.isAwaited { count += 1 }
    }

    /// Whether a call is under way that began with a table which was replaced since.
    var isAskedByCalls: Bool { items.contains(where: \.table.isAskedByCalls) }

    /// Lets a table go that a call or a factory holds. Sections that are open now may still read it: they may have got
    /// it from the holder.
    mutating func letGo(_ table: RegistrationTable, by holder: RegistrationTable.Holder) {
        for index in items.indices where items[index].table.identity == table.identity {
            items[index].epoch = eaves_epoch_advance()
        }
        table.letGo(by: holder)
    }

    /// Lets calls ask no table any more that was replaced before a time.
    mutating func revoke(before time: ContinuousClock.Instant) {
        for index in items.indices
        where items[index].time < time && items[index].table.isAskedByCalls {
            items[index].table.revoke()
            items[index].epoch = eaves_epoch_advance()
        }
    }

    /// Frees the tables that are out of reach.
    ///
    /// - Parameters:
    ///   - limit: The memory that tables alone may take before freeing them is worth the time.
    ///   - note: A function that notes that the container waits for threads to leave their sections. Called before they
    ///     are asked to clean up.
    /// - Returns: The references that they had.
    mutating func reclaim(tablesAbove limit: Int, awaiting note: () -> Void) -> Released {
        var released = Released()
        freeRevoked()
        guard count > 0 || bytes > limit else { return released }
        free(&released)
        guard let last = items.last(where: \.isAwaited) else { return released }
        note()
        eaves_ask_to_clean(last.epoch)
        // A thread that left meanwhile may not have noticed.
        free(&released)
        return released
    }

    /// Frees all tables. No thread may be reading them.
    mutating func end() -> Released {
        var released = Released()
        free(items.count, &released)
        freeRevoked()
        return released
    }

    private mutating func freeRevoked() {
        revoked.removeAll { table in
            guard !table.isHeld else { return false }
            table.free()
            return true
        }
    }

    private mutating func free(_ released: inout Released) {
        let oldest = eaves_oldest_section()
        // What a table has may be among the registrations of the items behind it.
        let free = items.prefix { $0.epoch <= oldest && !$0.table.isInUse }
        self.free(free.count, &released)
    }

    private mutating func free(_ number: Int, _ released: inout Released) {
        for item in items.prefix(number) {
            bytes -= item.table.bytes
            if item.isAwaited { count -= 1 }
            if item.table.isHeld { revoked.append(item.table) } else { item.table.free() }
            released.registrations += item.registrations
            if let retired = item.retired { released.retired.append(retired) }
        }
        items.removeFirst(number)
    }
}

/// The containers that wait for threads to leave their sections.
enum Reclamation {
    private static let waiting = Guarded<[ObjectIdentifier: WeakContainer]>([:])

    /// Lets the next thread that was asked to clean up look at a container.
    static func wait(for container: Container) {
        waiting.withLock {
            $0[ObjectIdentifier(container)] = WeakContainer(container: container)
        }
    }

    /// Frees what is out of reach by now. Called by threads that were asked, after they have left their
    /// section. Releasing runs `deinit`s of modules, so no lock is held meanwhile.
    static func run() {
        let containers = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.values.compactMap(\.container)
        }
        for container in containers { container.reclaim() }
    }
}
