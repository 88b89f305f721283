// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative

/// The owner of a container's registrations: it changes them, one change at a time, under the container's lock.
///
/// Functions with a parameter `publish` call it with each new table, so that readers see it. What they
/// replace waits for ``reclaim(awaiting:)``.
struct ContainerRecords {
    /// Publishes the table that counts, and the one at which readers look first.
    typealias Publish = (_ table: RegistrationTable, _ front: RegistrationTable) -> Void

    var registrations: [Registration] = []
    var decorators: [Decorator] = []
    /// The registrations whose place others have taken by overriding, by key, the last one on top.
    var overridden: [ServiceKey: [Registration]] = [:]
    private(set) var table: RegistrationTable
    var retirement: Retirement
    /// An empty table: a reader that misses here looks closer. `nil` before the first exchange.
    private var detour: RegistrationTable?
    /// Whether readers are sent there.
    private var isOnDetour = false

    init(table: RegistrationTable, noting epochs: CallEpochs) {
        self.table = table
        retirement = Retirement(noting: epochs)
    }

    /// The registration, or its alternative if a module adds it and the host overrides its key.
    func yielded(_ registration: Registration) -> Registration {
        guard registration.module != nil else { return registration }
        let known = table.find(registration.key)?.takeUnretainedValue()
        return known?.traits.overriding != nil
            ? registration.asAlternative(isYielding: true) : registration
    }

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
    mutating func insert(_ added: [Registration], decorators: [Decorator] = [], publish: Publish) {
        self.decorators += decorators
        let added = added.map(prepared)
        let removed = decorators.isEmpty ? [] : prepareAll()
        registrations += added
        guard !added.isEmpty || !removed.isEmpty else { return }
        if added.count == 1, removed.isEmpty, let registration = added.first, table.hasRoom {
            table.add(registration)
        } else {
            replaceTable(publish, removing: removed)
        }
    }

    /// Adds registrations and decorators, all at once. The registrations take the place of those with the same keys.
    mutating func override(_ added: [Registration], decorators: [Decorator], publish: Publish) {
        let keys = Set(added.map(\.key))
        for registration in registrations where keys.contains(registration.key) {
            overridden[registration.key, default: []].append(registration)
        }
        registrations.removeAll { keys.contains($0.key) }
        self.decorators += decorators
        let removed = decorators.isEmpty ? [] : prepareAll()
        registrations += added.map(prepared)
        replaceTable(publish, removing: removed)
    }

    /// Puts back the registrations that were overridden, all at once.
    mutating func undo(_ overriding: Overriding, publish: Publish) {
        let count = decorators.count
        decorators.removeAll { decorator in
            overriding.decorators.contains { $0 === decorator }
        }
        var removed: [Registration] = []
        for (key, kept) in overridden {
            removed += kept.filter { $0.traits.overriding === overriding }
            let rest = kept.filter { $0.traits.overriding !== overriding }
            overridden[key] = rest.isEmpty ? nil : rest
        }
        let gone = registrations.filter { $0.traits.overriding === overriding }
        removed += gone
        registrations.removeAll { $0.traits.overriding === overriding }
        for registration in gone {
            guard let back = takeOverridden(registration.key, removing: &removed) else { continue }
            registrations.append(prepared(back))
        }
        if decorators.count != count { removed += prepareAll() }
        guard !removed.isEmpty else { return }
        replaceTable(publish, removing: removed)
    }

    /// The registration that takes its place again: the last one that was overridden, or else the
    /// first one that yielded.
    private mutating func takeOverridden(
        _ key: ServiceKey, removing removed: inout [Registration]
    ) -> Registration? {
        if let back = overridden[key]?.popLast() {
            if overridden[key]?.isEmpty == true { overridden[key] = nil }
            return back
        }
        guard
            let index = registrations.firstIndex(where: {
                $0.traits.isYielding && $0.base.key == key
            }),
            let back = registrations[index].traits.base
        else { return nil }
        removed.append(registrations.remove(at: index))
        return back
    }

    /// Replaces registrations by copies that have created nothing, all at once.
    mutating func renew(where isRenewed: (Registration) -> Bool, publish: Publish) {
        var removed = registrations.filter(isRenewed)
        for (key, kept) in overridden {
            removed += kept.filter(isRenewed)
            overridden[key] = kept.map { isRenewed($0) ? $0.renewed() : $0 }
        }
        guard !removed.isEmpty else { return }
        registrations = registrations.map { isRenewed($0) ? $0.renewed() : $0 }
        replaceTable(publish, removing: removed)
    }

    /// Frees what was replaced and is out of every reader's reach, and asks the readers that are in the
    /// way of the rest to see to it.
    ///
    /// - Parameter note: A function that notes that the container waits for them. Called before they are asked.
    /// - Returns: The references to release when no lock is held.
    mutating func reclaim(awaiting note: () -> Void) -> Retirement.Released {
        // Outgrown tables are small compared with the one that replaced them, and freeing them costs
        // time. So they may wait until they are no longer small.
        retirement.reclaim(tablesAbove: 1 << 20 + 2 * table.bytes, awaiting: note)
    }

    /// Frees all tables. No thread may be reading them.
    mutating func end() -> Retirement.Released {
        table.free()
        detour?.free()
        return retirement.end()
    }

    /// Updates the decorators of all registrations.
    ///
    /// - Returns: The registrations that were replaced.
    mutating func prepareAll() -> [Registration] {
        let before = registrations
        registrations = registrations.map(prepared)
        return zip(before, registrations).filter { $0 !== $1 }.map(\.0)
    }

    func prepared(_ registration: Registration) -> Registration {
        registration.decorated(byAllOf: decorators)
    }

    mutating func replaceTable(
        _ publish: Publish, removing removed: [Registration] = [],
        noting retired: RetiredInstances? = nil
    ) {
        let old = table
        // Calls that are under way go on with the tables with which they began. If there are some is known only when no
        // further one can begin with the old table.
        if retired != nil {
            isOnDetour = true
            publish(old, front)
        }
        let replaced = eaves_epoch_advance()
        table = RegistrationTable(for: registrations.count)
        for registration in registrations { table.add(registration) }
        publish(table, front)
        retirement.add(old, replacedIn: replaced, removed, retired)
        endDetour(publish)
    }

    /// The table with which the calls of an epoch began; the present one if they ask no other.
    func table(since epoch: UInt64) -> RegistrationTable { retirement.table(since: epoch) ?? table }

    /// The table at which readers look first.
    private var front: RegistrationTable {
        mutating get {
            guard isOnDetour else { return table }
            if let detour { return detour }
            let new = RegistrationTable(for: 0)
            detour = new
            return new
        }
    }

    /// Lets readers look at the table at once when no call is under way any more that began with another one.
    mutating func endDetour(_ publish: Publish) {
        guard isOnDetour, !retirement.isAskedByCalls else { return }
        isOnDetour = false
        publish(table, table)
    }
}

/// One act of overriding, which can be undone: see `Container.undo(_:)`.
package final class Overriding: Sendable {
    let decorators: [Decorator]

    init(decorators: [Decorator]) {
        self.decorators = decorators
    }
}
