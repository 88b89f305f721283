// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What those who register keep in order, one at a time: the owner of a container's registrations.
struct ContainerRecords {
    /// In the order of registration.
    private(set) var registrations: [Registration] = []
    private var table: RegistrationTable
    private var retirement = Retirement()

    init(table: RegistrationTable) {
        self.table = table
    }

    /// Which of these cannot be added, and because of which.
    func duplicates(of added: [Registration]) -> [RegistrationError.Duplicate] {
        var earlier: [ServiceKey: Registration] = [:]
        return added.compactMap { second in
            let first =
                table.find(second.key)?.takeUnretainedValue()
                ?? earlier.updateValue(second, forKey: second.key)
            return first.map { RegistrationError.Duplicate(first: $0, second: second) }
        }
    }

    /// Adds registrations, all visible at once.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What to release when no lock is held.
    mutating func insert(
        _ added: [Registration], publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        registrations += added
        if added.count == 1, let registration = added.first, table.hasRoom {
            table.add(registration)
            return []
        }
        replaceTable(publish)
        // Tables that were outgrown are small beside the one that took their place, and freeing
        // them is not for free. So they may wait until they are not.
        return retirement.bytes > 1 << 20 + 2 * table.bytes ? retirement.reclaim() : []
    }

    /// Adds registrations in the place of those with the same keys, all at once.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What to release when no lock is held.
    mutating func override(
        _ added: [Registration], publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        let keys = Set(added.map(\.key))
        let removed = registrations.filter { keys.contains($0.key) }
        registrations.removeAll { keys.contains($0.key) }
        registrations += added
        replaceTable(publish, removing: removed)
        return retirement.reclaim()
    }

    /// Puts registrations back to where nothing was made, all at once.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What to release when no lock is held.
    mutating func renew(
        where isRenewed: (Registration) -> Bool, publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        let removed = registrations.filter(isRenewed)
        guard !removed.isEmpty else { return [] }
        registrations = registrations.map { isRenewed($0) ? $0.renewed() : $0 }
        replaceTable(publish, removing: removed)
        return retirement.reclaim()
    }

    /// Removes registrations, all at once.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What was removed, and what to release when no lock is held.
    mutating func remove(
        where isGone: (Registration) -> Bool, publish: (RegistrationTable) -> Void
    ) -> ([ServiceRequest], [Registration]) {
        let removed = registrations.filter(isGone)
        guard !removed.isEmpty else { return ([], []) }
        registrations.removeAll(where: isGone)
        replaceTable(publish, removing: removed)
        return (removed.map(\.request), retirement.reclaim())
    }

    /// Frees all tables. Nobody may be reading.
    mutating func end() {
        retirement.end()
        table.free()
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
