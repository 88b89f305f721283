// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What those who register keep in order, one at a time: the owner of a container's registrations.
struct ContainerRecords {
    /// In the order of registration.
    private(set) var registrations: [Registration] = []
    /// In the order of registration.
    private(set) var decorators: [Decorator] = []
    /// Whether somebody is told of all that is made.
    private var isObserved = false
    private var table: RegistrationTable
    private var retirement = Retirement()

    init(table: RegistrationTable) {
        self.table = table
    }

    /// Which of these cannot be added, and because of which.
    func duplicates(of added: [Registration]) -> [RegistrationError.Duplicate] {
        added.indices.compactMap { index in
            let second = added[index]
            // A module has few of them, and a dictionary of keys costs it more: its first use has the
            // runtime go through every conformance of the process.
            let first =
                table.find(second.key)?.takeUnretainedValue()
                ?? added[..<index].last { $0.hash == second.hash && $0.key == second.key }
            return first.map { RegistrationError.Duplicate(first: $0, second: second) }
        }
    }

    /// A registration, or its alternative if a module adds it and the host overrides its key.
    func yielded(_ registration: Registration) -> Registration {
        guard registration.module != nil else { return registration }
        let known = table.find(registration.key)?.takeUnretainedValue()
        return known?.traits.isOverriding == true ? registration.asAlternative() : registration
    }

    /// Adds registrations and decorators, all visible at once.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What to release when no lock is held.
    mutating func insert(
        _ added: [Registration], decorators: [Decorator] = [], publish: (RegistrationTable) -> Void
    ) -> [Registration] {
        self.decorators += decorators
        let added = added.map(prepared)
        let removed = decorators.isEmpty ? [] : prepare()
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
        registrations += added.map(prepared)
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

    /// Removes registrations and decorators, all at once.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What was removed, and what to release when no lock is held.
    mutating func remove(
        where isGone: (Registration) -> Bool, decorators isOver: (Decorator) -> Bool,
        publish: (RegistrationTable) -> Void
    ) -> ([ServiceRequest], [Registration]) {
        let removed = registrations.filter(isGone)
        registrations.removeAll(where: isGone)
        let count = decorators.count
        decorators.removeAll(where: isOver)
        let replaced = decorators.count == count ? [] : prepare()
        guard !removed.isEmpty || !replaced.isEmpty else { return ([], []) }
        replaceTable(publish, removing: removed + replaced)
        return (removed.map(\.request), retirement.reclaim())
    }

    /// Has everything that is made from now on noticed.
    ///
    /// - Parameter publish: Shows a table to those who read.
    /// - Returns: What to release when no lock is held.
    mutating func observe(publish: (RegistrationTable) -> Void) -> [Registration] {
        guard !isObserved else { return [] }
        isObserved = true
        let replaced = prepare()
        guard !replaced.isEmpty else { return [] }
        replaceTable(publish, removing: replaced)
        return retirement.reclaim()
    }

    /// Puts all registrations to where the decorators and observers of now want them.
    ///
    /// - Returns: Those that were replaced.
    private mutating func prepare() -> [Registration] {
        let before = registrations
        registrations = registrations.map(prepared)
        return zip(before, registrations).filter { $0 !== $1 }.map(\.0)
    }

    /// A registration with what decorates and observes it.
    private func prepared(_ registration: Registration) -> Registration {
        let layered = registration.layered(by: decorators)
        // What is kept is made where all is noticed anyhow.
        return isObserved && layered.isTransient ? layered.observed() : layered
    }

    /// Frees what was replaced and is out of reach.
    ///
    /// - Returns: What to release when no lock is held.
    mutating func reclaim() -> [Registration] { retirement.reclaim() }

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
