// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

/// The owner of a container's registrations: it changes them, one change at a time, under the
/// container's lock.
///
/// Functions with a parameter `publish` call it with each new table, so that readers see it. They
/// return registrations that the caller has to release when it holds no lock.
struct ContainerRecords {
    /// In the order of registration.
    private(set) var registrations: [Registration] = []
    /// In the order of registration.
    private(set) var decorators: [Decorator] = []
    /// Whether all creations are reported.
    private var isObserved = false
    private var table: RegistrationTable
    private var retirement = Retirement()

    init(table: RegistrationTable) {
        self.table = table
    }

    /// The registration, or its alternative if a module adds it and the host overrides its key.
    func yielded(_ registration: Registration) -> Registration {
        guard registration.module != nil else { return registration }
        let known = table.find(registration.key)?.takeUnretainedValue()
        return known?.traits.isOverriding == true ? registration.asAlternative() : registration
    }

    /// Why some of these registrations cannot be added.
    func problems(of added: [Registration]) -> [RegistrationProblem] {
        added.indices.compactMap { index in
            let registration = added[index]
            // A module adds only a few, and a dictionary would cost more: its first use makes the
            // runtime search all conformances of the process.
            let earlier =
                table.find(registration.key)?.takeUnretainedValue()
                ?? added[..<index].last {
                    $0.hash == registration.hash && $0.key == registration.key
                }
            return earlier.map { RegistrationProblem(registration: registration, earlier: $0) }
        }
    }

    /// Adds registrations and decorators, all visible at once.
    mutating func insert(
        _ added: [Registration], decorators: [Decorator] = [], publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        self.decorators += decorators
        let added = added.map(prepared)
        let removed = decorators.isEmpty ? [] : prepareAll()
        registrations += added
        if !removed.isEmpty {
            replaceTable(publish, removing: removed)
            return retirement.reclaim()
        }
        guard !added.isEmpty else { return [] }
        if added.count == 1, let registration = added.first, table.hasRoom {
            table.add(registration)
            return []
        }
        replaceTable(publish)
        // Outgrown tables are small compared with the one that replaced them, and freeing them costs
        // time. So they may wait until they are no longer small.
        return retirement.bytes > 1 << 20 + 2 * table.bytes ? retirement.reclaim() : []
    }

    /// Adds registrations and decorators, all at once. The registrations take the place of those with
    /// the same keys.
    mutating func override(
        _ added: [Registration], decorators: [Decorator], publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        let keys = Set(added.map(\.key))
        var removed = registrations.filter { keys.contains($0.key) }
        registrations.removeAll { keys.contains($0.key) }
        self.decorators += decorators
        if !decorators.isEmpty { removed += prepareAll() }
        registrations += added.map(prepared)
        replaceTable(publish, removing: removed)
        return retirement.reclaim()
    }

    /// Replaces registrations by copies that have created nothing, all at once.
    mutating func renew(
        where isRenewed: (Registration) -> Bool, publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        let removed = registrations.filter(isRenewed)
        guard !removed.isEmpty else { return [] }
        registrations = registrations.map { isRenewed($0) ? $0.renewed() : $0 }
        replaceTable(publish, removing: removed)
        return retirement.reclaim()
    }

    /// Removes registrations and decorators, all at once.
    ///
    /// - Returns: The services that were removed, and the registrations to release.
    mutating func remove(
        where isGone: (Registration) -> Bool, decorators isOver: (Decorator) -> Bool,
        publish: (RegistrationTable) -> Void
    ) -> ([ServiceRequest], [Registration]) {
        let removed = registrations.filter(isGone)
        registrations.removeAll(where: isGone)
        let count = decorators.count
        decorators.removeAll(where: isOver)
        let replaced = decorators.count == count ? [] : prepareAll()
        guard !removed.isEmpty || !replaced.isEmpty else { return ([], []) }
        replaceTable(publish, removing: removed + replaced)
        return (removed.map(\.request), retirement.reclaim())
    }

    /// Reports all creations from now on.
    mutating func observe(publish: (RegistrationTable) -> Void) -> [Registration] {
        guard !isObserved else { return [] }
        isObserved = true
        let replaced = prepareAll()
        guard !replaced.isEmpty else { return [] }
        replaceTable(publish, removing: replaced)
        return retirement.reclaim()
    }

    /// Frees what was replaced and is out of every reader's reach.
    mutating func reclaim() -> [Registration] { retirement.reclaim() }

    /// Frees all tables. No thread may be reading them.
    mutating func end() {
        retirement.end()
        table.free()
    }

    /// Gives all registrations the decorators and observers that they should have by now.
    ///
    /// - Returns: The registrations that were replaced.
    private mutating func prepareAll() -> [Registration] {
        let before = registrations
        registrations = registrations.map(prepared)
        return zip(before, registrations).filter { $0 !== $1 }.map(\.0)
    }

    /// A registration with its decorators and observers.
    private func prepared(_ registration: Registration) -> Registration {
        let decorated = registration.decorated(byAllOf: decorators)
        // All other registrations are created where creations are reported anyway.
        return isObserved && decorated.isDirect ? decorated.observed() : decorated
    }

    private mutating func replaceTable(
        _ publish: (RegistrationTable) -> Void, removing removed: [Registration] = []
    ) {
        let old = table
        table = RegistrationTable(for: registrations.count)
        for registration in registrations { table.add(registration) }
        publish(table)
        retirement.add(old, removed)
    }
}

/// Tables and registrations that were replaced, kept until no thread can be reading them.
private struct Retirement {
    private struct Item {
        let epoch: UInt64
        let table: RegistrationTable
        let registrations: [Registration]
    }

    private var items: [Item] = []
    /// The memory that its tables take.
    private(set) var bytes = 0

    /// Takes over a table that has just been replaced, and the registrations that only it had.
    mutating func add(_ table: RegistrationTable, _ registrations: [Registration]) {
        items.append(
            Item(epoch: eaves_epoch_advance(), table: table, registrations: registrations))
        bytes += table.bytes
    }

    /// Frees the tables that are out of reach.
    ///
    /// - Returns: Their registrations, to be released where no lock is held.
    mutating func reclaim() -> [Registration] {
        let oldest = eaves_oldest_section()
        let count = items.prefix { $0.epoch <= oldest }.count
        return free(count)
    }

    /// Frees all tables. No thread may be reading them.
    mutating func end() {
        _ = free(items.count)
    }

    private mutating func free(_ count: Int) -> [Registration] {
        for item in items.prefix(count) {
            bytes -= item.table.bytes
            item.table.free()
        }
        defer { items.removeFirst(count) }
        return items.prefix(count).flatMap(\.registrations)
    }
}
