// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// The limits of a module in a process of its own.
package struct IsolationLimits: Hashable, Sendable {
    /// The time that each of its calls has; `nil` for no limit.
    package var call: Duration?
    /// The memory that the process may have for itself, in bytes; `nil` for no limit.
    package var memory: UInt64?
    /// The number of processes at one time, its own among them.
    package var processes: Int

    /// The default of ``processes``.
    package static let usualProcesses = 64
    /// The largest value of ``processes``.
    package static let mostProcesses = 10_000

    /// The value that the manifest would have, with all keys; `null` for no limit.
    package var json: JSON {
        [
            "call": call.map { .string(Quantity.text($0)) } ?? .null,
            "memory": memory.map { .string(Quantity.text(bytes: $0)) } ?? .null,
            "processes": .integer(processes),
        ]
    }

    /// The limits that the manifest gives, as a list for people; empty if it gives none.
    package var words: [String] {
        [
            call.map { "\(Quantity.text($0)) for a call" },
            memory.map { "\(Quantity.text(bytes: $0)) of memory" },
            processes == Self.usualProcesses ? nil : "\(processes) processes",
        ].compactMap { $0 }
    }

    package init(
        call: Duration? = nil, memory: UInt64? = nil, processes: Int = Self.usualProcesses
    ) {
        self.call = call
        self.memory = memory
        self.processes = processes
    }
}
