// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections

/// What was replaced or unregistered, kept until no thread can be reading it any more.
struct Retirement {
    private struct Item {
        let epoch: UInt64
        let table: RegistrationTable
        let registrations: [Registration]
    }

    private var items: [Item] = []
    /// What the tables in it take.
    private(set) var bytes = 0

    /// Takes over a table that has just been replaced, and the registrations that were only in it.
    mutating func add(_ table: RegistrationTable, _ registrations: [Registration]) {
        items.append(
            Item(epoch: eaves_epoch_advance(), table: table, registrations: registrations))
        bytes += table.bytes
    }

    /// Frees the tables that are out of reach.
    ///
    /// - Returns: The registrations that are: release them when no lock is held, since that runs
    ///   other people's `deinit`.
    mutating func reclaim() -> [Registration] {
        let oldest = eaves_oldest_section()
        let count = items.prefix { $0.epoch <= oldest }.count
        return free(count)
    }

    /// Frees all. Nobody may be reading.
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
