// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// The place where a module's code runs, other than the host's own process.
package enum Isolation: Hashable, Sendable {
    /// A separate process, which can crash without the host.
    case process
    /// A separate process for all modules that name it.
    case worker(String)

    /// The text of the manifest for a process of the module alone.
    package static let ofItsOwn = "process"

    /// The name of the process that modules share; `nil` for one of the module alone.
    package var worker: String? {
        if case .worker(let name) = self { name } else { nil }
    }
}

/// The limits of a module in a process of its own.
package struct IsolationLimits: Hashable, Sendable {
    /// The time that each of its calls has; `nil` for as long as it takes.
    package var call: Duration?
    /// The memory that the process may have for itself, in bytes; `nil` for as much as the system gives.
    package var memory: UInt64?
    /// How many processes there may be at one time, its own among them.
    package var processes: Int

    /// As many are usual.
    package static let usualProcesses = 64
    /// As many can be allowed.
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

extension ModuleEntry {
    /// The rights and limits of a process in which two modules differ, as the manifest calls them; empty for none. Modules
    /// that share a process have the same, so that each line says what its module may do.
    package func differences(from other: ModuleEntry) -> [String] {
        [
            permissions == other.permissions ? nil : "permissions",
            limits.memory == other.limits.memory ? nil : "limits.memory",
            limits.processes == other.limits.processes ? nil : "limits.processes",
        ].compactMap { $0 }
    }
}
